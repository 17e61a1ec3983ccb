"""`Suggestions`: a list of what could stand in the input."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from rich.text import Text
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ore.ext.conduits.terminal.inert import one_line

__all__ = ["Suggestion", "Suggestions"]


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could stand in the input.

    Attributes:
        text: What is put there.
        label: What is shown of it.
        description: Beside it, quieter.
        sends: Whether taking it with Enter also sends it.
    """

    text: str
    label: str
    description: str = ""
    sends: bool = False


class Suggestions(OptionList, can_focus=False):
    """Lists what could stand in the input; nothing is shown while there is nothing."""

    DEFAULT_CSS: ClassVar[str] = """
    Suggestions { text-wrap: nowrap; text-overflow: ellipsis; }
    Suggestions { height: auto; max-height: 8; display: none; border: none; padding: 0 1; background: transparent;
                  scrollbar-size-vertical: 1; scrollbar-color: ansi_bright_black; scrollbar-background: transparent; }
    Suggestions.is-open { display: block; }
    """

    class Taken(Message):
        """One was taken.

        Attributes:
            sends: Whether it is to be sent at once.
        """

        def __init__(self, suggestion: Suggestion, *, sends: bool) -> None:
            super().__init__()
            self.suggestion = suggestion
            self.sends = sends

    def __init__(self) -> None:
        super().__init__(id="suggestions", markup=False)
        self._suggestions: Sequence[Suggestion] = ()

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose from."""
        return bool(self._suggestions)

    def offer(self, suggestions: Sequence[Suggestion]) -> None:
        """Show these; the first is chosen."""
        if suggestions == self._suggestions:
            return
        self._suggestions = tuple(suggestions)
        self.clear_options()
        self.add_options([Option(_line(one, is_chosen=not place)) for place, one in enumerate(suggestions)])
        self.highlighted = 0 if suggestions else None
        self.set_class(bool(suggestions), "is-open")

    def press(self, key: str) -> None:
        """Move about, or take what is chosen."""
        if key in ("up", "ctrl+p"):
            self.action_cursor_up()
        elif key in ("down", "ctrl+n"):
            self.action_cursor_down()
        elif key == "escape":
            self.offer(())
        elif key in ("tab", "enter") and self.highlighted is not None:
            self._take(self.highlighted, sends=key == "enter")

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Mark what is chosen, also where there are no colours."""
        super().watch_highlighted(highlighted)
        for place, suggestion in enumerate(self._suggestions[: self.option_count]):
            line = _line(suggestion, is_chosen=place == highlighted)
            self.replace_option_prompt_at_index(place, line)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """One was clicked."""
        event.stop()
        self._take(event.option_index, sends=False)

    def _take(self, place: int, *, sends: bool) -> None:
        suggestion = self._suggestions[place]
        self.offer(())
        self.post_message(self.Taken(suggestion, sends=sends and suggestion.sends))


def _line(suggestion: Suggestion, *, is_chosen: bool) -> Text:
    line = Text(one_line(suggestion.label), style="reverse" if is_chosen else "")
    if suggestion.description:
        line.append(f"  {one_line(suggestion.description)}", style="" if is_chosen else "dim")
    return line
