"""`Picker`: a list to choose from, with a search."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

import msgspec
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ore.ext.conduits.terminal.inert import one_line

__all__ = ["Choice", "Picked", "Picker"]


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to choose.

    Attributes:
        value: What it stands for.
        label: What is shown.
        aside: Beside it, quieter.
    """

    value: str
    label: str
    aside: str = ""


class Picked(msgspec.Struct, frozen=True, kw_only=True):
    """What was done with a choice.

    Attributes:
        action: `choose`, or the name of another key's action.
        text: What stands in the search field.
    """

    choice: Choice
    action: str = "choose"
    text: str = ""


Find = Callable[[str], Awaitable[Sequence[Choice]]]
"""What fits a search."""


class Picker(ModalScreen[Picked | None]):
    """Chooses one of many; Esc chooses none.

    Args:
        title: What is chosen.
        find: What fits the search.
        keys: More keys and their actions, such as `{"ctrl+d": "delete"}`; each
            is done with what is chosen, and what is typed.
        asks_twice: Actions whose key has to be pressed twice.
    """

    DEFAULT_CSS: ClassVar[str] = """
    Picker { align: center middle; background: transparent; }
    Picker > Vertical { width: 94%; max-width: 100; height: 80%; border: round $primary; padding: 0 1;
                        background: $background; }
    Picker Input { border: none; height: 1; padding: 0; background: transparent; }
    Picker:nocolor Input > .input--cursor { text-style: reverse; }
    Picker OptionList { text-wrap: nowrap; text-overflow: ellipsis; }
    Picker OptionList { height: 1fr; border: none; padding: 0; background: transparent; }
    Picker Static { height: auto; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "nothing", priority=True),
        Binding("up,ctrl+p", "move(-1)", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", show=False, priority=True),
        Binding("pageup", "move(-10)", show=False, priority=True),
        Binding("pagedown", "move(10)", show=False, priority=True),
    ]

    def __init__(
        self, title: str, find: Find, *, keys: dict[str, str] | None = None, asks_twice: frozenset[str] = frozenset()
    ) -> None:
        super().__init__()
        self._title = title
        self._find = find
        self._keys = keys or {}
        self._asks_twice = asks_twice
        self._asked: str | None = None
        self._marked = -1
        self.choices: Sequence[Choice] = ()

    def compose(self) -> ComposeResult:
        """Title, search, list, keys."""
        hints = " · ".join(f"{key} {action}" for key, action in self._keys.items())
        with Vertical():
            yield Static(Text(self._title, style="bold"), id="title")
            yield Input(placeholder="search", id="search", compact=True)
            yield OptionList(markup=False, id="choices", compact=True)
            yield Static(Text(f"Enter choose · {hints}{' · ' * bool(hints)}Esc leave", style="dim"), id="keys")

    async def on_mount(self) -> None:
        """Show all there is."""
        self.query_one("#choices", OptionList).can_focus = False
        self.query_one("#search", Input).focus()
        await self._search("")

    async def on_input_changed(self, event: Input.Changed) -> None:
        """Search."""
        event.stop()
        await self._search(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what is chosen."""
        event.stop()
        self._done("choose")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """It was clicked."""
        event.stop()
        self._done("choose")

    @on(OptionList.OptionHighlighted)
    def _mark(self, event: OptionList.OptionHighlighted) -> None:
        """Mark what is chosen, also where there are no colours."""
        event.stop()
        for place, choice in enumerate(self.choices[: event.option_list.option_count]):
            if place in (event.option_index, self._marked):
                event.option_list.replace_option_prompt_at_index(
                    place, _line(choice, is_chosen=place == event.option_index)
                )
        self._marked = event.option_index

    def action_leave(self) -> None:
        """Choose nothing."""
        self.dismiss(None)

    def action_move(self, by: int) -> None:
        """Move about in the list."""
        options = self.query_one("#choices", OptionList)
        if self.choices:
            options.highlighted = min(max((options.highlighted or 0) + by, 0), len(self.choices) - 1)

    async def _on_key(self, event: object) -> None:
        key = getattr(event, "key", "")
        action = self._keys.get(key)
        if action is None:
            return
        event.stop()  # type: ignore[attr-defined]  # every event has it
        event.prevent_default()  # type: ignore[attr-defined]
        if action in self._asks_twice and self._asked != action:
            self._asked = action
            self.query_one("#keys", Static).update(Text(f"{key} again to {action} it for good", style="bold"))
            return
        self._done(action)

    async def _search(self, text: str) -> None:
        self._asked = None
        self.choices = await self._find(text)
        options = self.query_one("#choices", OptionList)
        options.clear_options()
        options.add_options([Option(_line(choice, is_chosen=False)) for choice in self.choices])
        options.highlighted = 0 if self.choices else None

    def _done(self, action: str) -> None:
        place = self.query_one("#choices", OptionList).highlighted
        if place is not None and place < len(self.choices):
            text = self.query_one("#search", Input).value
            self.dismiss(Picked(choice=self.choices[place], action=action, text=text))


def _line(choice: Choice, *, is_chosen: bool) -> Text:
    line = Text(one_line(choice.label), style="reverse" if is_chosen else "")
    if choice.aside:
        line.append(f"  {one_line(choice.aside)}", style="" if is_chosen else "dim")
    return line
