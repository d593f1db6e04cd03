"""The command line, over the bottom of the current screen."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.money import Micros
from pmtui.domain.ticket.command_line import (
    LONGEST,
    Candidate,
    Command,
    CommandProblem,
    EnterOrder,
    FindMarkets,
    complete,
    completed,
    describe_command,
    parse_command,
)
from pmtui.domain.ticket.draft import TicketDraft
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for, bindings_of, footer_entries
from pmtui.ui.modal import Dimming
from pmtui.ui.plain import plain
from pmtui.ui.surface import Options
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.text_line import TextLine, paint_footer


def refuse_nothing(_: TicketDraft) -> str:
    """Return nothing against a draft, because no market is on show."""
    return ""


def paint_preview(
    found: Command | CommandProblem, outcomes: Sequence[str], width: int, *, indent: int,
    refusal: str = "",
) -> Line:  # fmt: skip
    """Paint what a command would do, or mark what is wrong with it.

    Args:
        found: the command, or its problem.
        outcomes: labels of the market's outcomes.
        width: of the line.
        indent: the width of the prompt.
        refusal: why the ticket would refuse the order; empty if it would not.
    """
    if not isinstance(found, CommandProblem):
        if refusal:
            words = plain(refusal)
            said = plain(describe_command(found, outcomes))
            # What is wrong is said whole; the rest only repeats what was typed.
            said = f"{said}: " if indent + len(said) + 2 + len(words) <= width else ""
            cells = (Cell(" " * indent), Cell(said), Cell(words, Role.NOTICE_WARN))
            return fit_line(cells, width)
        said = plain(describe_command(found, outcomes), max(width - indent, 0))
        return fit_line((Cell(" " * indent), Cell(said, Role.NOTICE_GOOD)), width)
    words = plain(found.text)
    mark = "^" * max(found.end - found.start, 1)
    start = indent + found.start
    if start + len(mark) + 1 + len(words) > width:
        return fit_line((Cell(" " * indent), Cell(words, Role.NOTICE_WARN)), width)
    line = (Cell(" " * start), Cell(mark, Role.NOTICE_BAD), Cell(f" {words}", Role.NOTICE_WARN))
    return fit_line(line, width)


def paint_candidates(candidates: Sequence[Candidate], width: int, *, indent: int) -> Line:
    """Paint the possible next words; the completion key takes the first."""
    line = [Cell(" " * indent)]
    used = indent
    for number, candidate in enumerate(candidates):
        meaning = f" {plain(candidate.meaning)}" if candidate.meaning and not number else ""
        if used + len(candidate.word) + len(meaning) + 2 > width:
            break
        emphasis = Emphasis.NONE if number else Emphasis.BOLD
        line.append(Cell(candidate.word, Role.DIM if number else Role.KEY, emphasis))
        line.append(Cell(f"{meaning}  ", Role.DIM))
        used += len(candidate.word) + len(meaning) + 2
    return fit_line(tuple(line), width)


MOST = 100


class CommandHistory:
    """The commands of this session, each once, the newest last."""

    def __init__(self) -> None:
        """Start empty."""
        self._typed: list[str] = []

    def keep(self, text: str) -> None:
        """Add a command."""
        text = text.strip()
        if text:
            self._typed = [*(each for each in self._typed if each != text), text][-MOST:]

    def begin(self, text: str) -> "Walk":
        """Start to browse from the text typed so far."""
        return Walk((*self._typed, text))


class Walk:
    """One pass through the history; the typed text stands at its end."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        """Start at the end."""
        self.texts = texts
        self._at = len(texts) - 1

    def older(self) -> str:
        """Return the previous command, or stay at the oldest."""
        self._at = max(self._at - 1, 0)
        return self.texts[self._at]

    def newer(self) -> str:
        """Return the next command, or the typed text."""
        self._at = min(self._at + 1, len(self.texts) - 1)
        return self.texts[self._at]


_INDENT = 2
"""The width of the prompt."""


class CommandInput(Input):
    """A text field whose arrow keys browse the history."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "command.run", "command.complete", "command.older", "command.newer"
    )

    class Ran(Message):
        """The command was entered."""

    class CompletionAsked(Message):
        """A completion was requested."""

    def __init__(self, history: CommandHistory) -> None:
        super().__init__(max_length=LONGEST, compact=True, select_on_focus=False)
        # A blinking cursor would cause traffic.
        self.cursor_blink = False
        self._history = history
        self._walk = history.begin("")
        self._is_walking = False

    def action_run(self) -> None:
        """Enter the command."""
        self.post_message(self.Ran())

    def action_complete(self) -> None:
        """Complete the last word."""
        self.post_message(self.CompletionAsked())

    def action_older(self) -> None:
        """Show the previous command."""
        self._begin_walk()
        self.write(self._walk.older())

    def action_newer(self) -> None:
        """Show the next command."""
        self._begin_walk()
        self.write(self._walk.newer())

    def write(self, text: str) -> None:
        """Replace the text and put the cursor at its end."""
        self.value = text
        self.cursor_position = len(text)

    def on_key(self) -> None:
        """Stop browsing once the text has been edited."""
        self._is_walking = self._is_walking and self.value in self._walk.texts

    def _begin_walk(self) -> None:
        if not self._is_walking:
            self._walk = self._history.begin(self.value)
            self._is_walking = True


class CommandScreen(ModalScreen[Command]):
    """Reads one command; escape closes it without effect."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.COMMAND)
    DEFAULT_CSS = """
    CommandScreen { align: left bottom; background: transparent; }
    CommandScreen > #card { width: 100%; height: 4; background: $panel; }
    CommandScreen #entry { height: 1; }
    CommandScreen #prompt { width: 2; }
    CommandScreen CommandInput { width: 1fr; background: $panel; }
    """

    field = query_one(CommandInput)
    preview = query_one("#preview", TextLine)
    candidates = query_one("#candidates", TextLine)

    def __init__(
        self, options: Options, history: CommandHistory, *,
        outcomes: Sequence[str] = (), outcome_index: int = 0, tick: Micros | None = None,
        text: str = "", refusal: Callable[[TicketDraft], str] = refuse_nothing,
    ) -> None:  # fmt: skip
        """Read a command about a market.

        Args:
            options: keys of this user.
            history: the commands of this session.
            outcomes: labels of the market's outcomes; empty without a market.
            outcome_index: the outcome shown.
            tick: the tick size of the ladder; None without one.
            text: the initial text.
            refusal: returns why the ticket would refuse a draft; empty if it would not.
        """
        super().__init__()
        self.dimming = Dimming(self)
        self._options = options
        self._history = history
        self._outcomes = tuple(outcomes)
        self._outcome_index = outcome_index
        self._tick = tick
        self._text = text
        self._refusal = refusal

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="card"):
            with Horizontal(id="entry"):
                yield TextLine((Cell(": ", Role.KEY),), id="prompt")
                yield CommandInput(self._history)
            yield TextLine(id="preview")
            yield TextLine(id="candidates")
            yield TextLine(id="keys")

    def on_mount(self) -> None:
        """Focus the field."""
        self.field.focus()
        self.field.write(self._text)
        self._show()

    def on_resize(self) -> None:
        """Repaint the lines for the new width."""
        self._show()

    @on(Input.Changed)
    def follow_typing(self) -> None:
        """Preview the text typed so far."""
        self._show()

    @on(CommandInput.CompletionAsked)
    def complete_word(self) -> None:
        """Insert the first completion."""
        found = complete(self.field.value, self._outcomes)
        if found:
            self.field.write(completed(self.field.value, found[0]))
        elif self.field.value.strip():
            word = plain(self.field.value.split()[-1], 30)
            text = f"No word begins with {word}"
            self.preview.show((Cell(" " * _INDENT), Cell(text, Role.NOTICE_WARN)))

    @on(CommandInput.Ran)
    def run(self) -> None:
        """Close with the command unless it has a problem."""
        found = self._read()
        if not isinstance(found, CommandProblem):
            self._history.keep(self.field.value)
            _ = self.dismiss(found)
        elif self.field.value.strip():
            # Also while the last word could be completed: the key did nothing.
            self._preview(found)

    def action_close(self) -> None:
        """Close without a command."""
        _ = self.dismiss(None)

    def _read(self) -> Command | CommandProblem:
        return parse_command(
            self.field.value, self._outcomes, outcome_index=self._outcome_index, tick=self._tick
        )  # fmt: skip

    def _preview(self, found: Command | CommandProblem) -> None:
        refusal = self._refusal(found.draft) if isinstance(found, EnterOrder) else ""
        width = self.size.width
        line = paint_preview(found, self._outcomes, width, indent=_INDENT, refusal=refusal)
        self.preview.show(line)

    def _show(self) -> None:
        width, text = self.size.width, self.field.value
        found, following = self._read(), complete(text, self._outcomes)
        # An unfinished word at the end is not an error yet.
        is_at_end = isinstance(found, CommandProblem) and found.end == len(text)
        is_begun = isinstance(found, FindMarkets) and len(text.split()) == 1
        is_unfinished = bool(following) and (is_at_end or is_begun)
        is_silent = is_unfinished or not text.strip()
        if is_silent:
            self.preview.show(())
        else:
            self._preview(found)
        self.candidates.show(paint_candidates(following, width, indent=_INDENT))
        entries = footer_entries(Context.COMMAND, keymap=self._options.keymap)
        self.query_one("#keys", TextLine).show(paint_footer(entries, width))
