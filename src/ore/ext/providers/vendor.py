"""`Vendor`: what is known of one vendor, and `connect`, which makes a provider of it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ore.errors import AuthenticationError, InputError
from ore.ext.providers.address import Address
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.capture import CaptureFiles, Capturing
from ore.ext.providers.capture_switch import CaptureSwitch, Switched
from ore.ext.providers.credentials import Credentials
from ore.ext.providers.endpoint import Endpoint
from ore.ext.providers.knowledge import Knowledge
from ore.ext.providers.remote import RemoteProvider
from ore.ext.providers.retry import Retrying
from ore.ext.providers.shared_transport import shared_transport
from ore.ext.providers.sparing import Sparing
from ore.ext.providers.transport import Limits, Transport
from ore.ext.wires.wire import Wire

__all__ = ["Access", "Settings", "Vendor", "bearer", "connect", "in_header", "own_header"]

KeyHeader = Callable[[str], tuple[str, str]]
"""The header, in lower case, in which a vendor takes a key."""


def bearer(key: str) -> tuple[str, str]:
    """`authorization: Bearer KEY`."""
    return "authorization", f"Bearer {key}"


def own_header(key: str) -> tuple[str, str]:
    """`x-api-key: KEY`, as Anthropic has it."""
    return "x-api-key", key


def in_header(name: str) -> KeyHeader:
    """`NAME: KEY`, for a vendor that has a header of its own."""
    return lambda key: (name, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """What is known of one vendor.

    Attributes:
        name: As in `name:model`.
        wire: Makes the wire for an address, since those who copy a vendor take less than it does.
        path: What the wire posts to.
        base_url: Where the vendor itself answers; `None` where each customer has an address of their own.
        key_variable: The environment variable of the key, by the vendor's own name.
        other_key_variable: Another one that is looked at when that is not set.
        base_url_variable: The one of the base URL, where the vendor has one.
        key_header: In which header the key goes.
        folder: Where its interface stands at its address; see `Address`.
        needs_key: Whether it answers nobody without a key.
    """

    name: str
    wire: Callable[[Address], Wire]
    path: str
    base_url: str | None
    key_variable: str
    other_key_variable: str | None = None
    base_url_variable: str | None = None
    key_header: KeyHeader = bearer
    folder: str = "v1"
    needs_key: bool = True

    @property
    def key_variables(self) -> Sequence[str]:
        """The environment variables of the key, the first before the other."""
        return (self.key_variable, self.other_key_variable) if self.other_key_variable else (self.key_variable,)


class Settings(Protocol):
    """What `make` of a vendor needs to know; `ore.app.ProviderSettings` is one."""

    @property
    def base_url(self) -> str | None:
        """Where it answers, instead of the vendor's own address."""
        ...

    @property
    def lenient(self) -> bool:
        """Whether to leave out what the model cannot take, with a notice."""
        ...

    @property
    def timeout_s(self) -> float:
        """Seconds without a byte after which a request fails."""
        ...

    @property
    def capture(self) -> str | CaptureFiles | None:
        """A file that requests and answers are written to, or files that several providers share."""
        ...

    @property
    def capture_switch(self) -> CaptureSwitch | None:
        """What writes single requests down, when somebody asks for it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How a vendor is reached, where that differs from what the environment says.

    Attributes:
        name: The provider's name, when it should have one of its own.
        api_key: The key, instead of the environment's. Shown nowhere.
        base_url: The address, instead of the environment's and the vendor's.
        transport: The network; the process's shared one by default.
        limits: How long an answer may take.
        backoff: How often a request that may pass is made again, and when.
        lenient: Leave out what the model cannot take, with a notice.
    """

    name: str | None = None
    api_key: str | None = None
    base_url: str | None = None
    transport: Transport | None = None
    limits: Limits | None = None
    backoff: Backoff | None = None
    lenient: bool = False

    def __repr__(self) -> str:
        return f"Access(name={self.name!r})"

    @classmethod
    def of(cls, settings: Settings) -> "Access":
        """What the command line and the façade say.

        Raises:
            InputError: Nothing can be captured into that file.
        """
        transport = shared_transport()
        if settings.capture_switch is not None:
            transport = settings.capture_switch.around(transport)
        return cls(
            base_url=settings.base_url,
            transport=transport if settings.capture is None else Capturing(transport, settings.capture),
            limits=Limits(silence_s=settings.timeout_s),
            lenient=settings.lenient,
        )


def connect(vendor: Vendor, access: Access | None = None) -> Retrying:
    """A provider that asks a vendor, and asks again where that may help; nothing is sent yet.

    The key is read now. A server on this machine needs none, and neither does
    one whose base URL holds a name and a password; those take the place of a
    bearer key. A key that is there is sent to whatever address is given.

    Raises:
        AuthenticationError: There is no key, or it cannot be sent.
        InputError: The base URL is none, or the vendor has none of its own and nobody named one.
    """
    access = access or Access()
    name = access.name or vendor.name
    address = _address(vendor, access, name)
    key = _key(vendor, access, name)
    if key is None and vendor.needs_key and address.basic is None and not address.is_loopback:
        expected = " or ".join(vendor.key_variables)
        raise _no_key(f"no key for {address.origin}; expected it in the environment variable {expected}", name)
    if isinstance(access.transport, Switched):
        access.transport.switch.serve(name)
    endpoint = Endpoint(
        address=address,
        credentials=_credentials(vendor, key, address),
        transport=access.transport or shared_transport(),
        limits=access.limits or Limits(),
    )
    remote = RemoteProvider(
        name=name,
        wire=vendor.wire(address),
        endpoint=endpoint,
        lenient=access.lenient,
        knowledge=Knowledge(name=name, vendor=vendor.name, base_url=address.origin),
    )
    return Retrying(Sparing(remote), access.backoff)


def _address(vendor: Vendor, access: Access, name: str) -> Address:
    variable = vendor.base_url_variable
    given = access.base_url or (os.environ.get(variable) if variable else None) or vendor.base_url
    if given is None:
        raise InputError(f"{name}: expected the base URL, or the environment variable {variable} with it, got neither")
    return Address(given, path=vendor.path, folder=vendor.folder)


def _key(vendor: Vendor, access: Access, name: str) -> str | None:
    source, given = "api_key", access.api_key
    if given is None:
        source = next((one for one in vendor.key_variables if os.environ.get(one, "").strip()), vendor.key_variable)
        given = os.environ.get(source, "")
    key = given.strip()  # files that keys are read from end with a line
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise _no_key(f"expected the key in {source} to be one word of plain characters, got something else", name)
    return key or None


def _no_key(said: str, name: str) -> AuthenticationError:
    error = AuthenticationError(f"{name}: {said}", provider=name)
    error.is_unsent = True
    return error


def _credentials(vendor: Vendor, key: str | None, address: Address) -> Credentials:
    headers = dict([vendor.key_header(key)]) if key is not None else {}
    if address.basic is not None:
        headers["authorization"] = address.basic
    return Credentials(headers, *([key] if key else []), *address.secrets)
