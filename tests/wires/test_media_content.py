"""What is inside of media is known before a vendor is asked to take it."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import File, Image
from ore.ext.wires.media import Content, content_of, text_of

PNG = b"\x89PNG\r\n\x1a\n0123"
JPEG = b"\xff\xd8\xff0123"


def test_an_image_is_what_its_bytes_say_whatever_it_is_called() -> None:
    assert content_of(Image(data=JPEG, media_type="image/png")) == Content("image/jpeg", JPEG)


def test_bytes_of_a_type_that_nobody_knows_are_what_they_are_called() -> None:
    assert content_of(File(data=b"x", media_type="Application/PDF; q=1")) == Content("application/pdf", b"x")
    assert content_of(File(data=b"%PDF-1.7")) == Content("application/pdf", b"%PDF-1.7")
    assert content_of(File(data=b"x")) == Content("", b"x")


@given(st.binary(max_size=40))
def test_a_data_url_holds_its_bytes(data: bytes) -> None:
    url = f"data:application/x-thing;base64,{base64.b64encode(data).decode()}"
    found = content_of(File(url=url))
    assert found is not None
    assert found.data == data


@pytest.mark.parametrize("media", [Image(url="https://a/b.png"), Image(blob="k"), Image(url="data:image/png;base64,*")])
def test_what_stands_elsewhere_has_no_bytes_here(media: Image) -> None:
    assert content_of(media) is None


@pytest.mark.parametrize(
    ("media_type", "data", "text"),
    [
        ("text/markdown", "é".encode(), "é"),
        ("application/json", b"{}", "{}"),
        ("application/ld+json", b"{}", "{}"),
        ("text/plain", b"\xff", None),
        ("application/pdf", b"%PDF-", None),
        ("image/png", PNG, None),
    ],
)
def test_a_file_of_text_is_read(media_type: str, data: bytes, text: str | None) -> None:
    assert text_of(Content(media_type, data)) == text
