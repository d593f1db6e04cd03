"""What facts about a terminal mean, and how its answers are read."""

import pytest

from pmtui.cli.doctor.findings import Finding, State
from pmtui.cli.doctor.terminal_checks import (
    SILENT,
    TerminalAnswers,
    TerminalFacts,
    ask_terminal,
    read_answers,
    terminal_findings,
)

GOOD = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


def find(
    name: str,
    environ: dict[str, str] | None = None,
    *,
    size: tuple[int, int] = (120, 36),
    is_ascii: bool = False,
    answers: TerminalAnswers = SILENT,
    tmux: tuple[str, str] = ("", ""),
) -> Finding:
    facts = TerminalFacts(
        is_terminal=True, columns=size[0], rows=size[1], environ=environ or GOOD,
        is_ascii=is_ascii, answers=answers, tmux_escape_ms=tmux[0], tmux_clipboard=tmux[1],
    )  # fmt: skip
    (found,) = (f for f in terminal_findings(facts) if f.name == name)
    return found


def test_without_a_terminal_nothing_is_judged() -> None:
    facts = TerminalFacts(is_terminal=False, columns=0, rows=0, environ={}, is_ascii=False)
    assert [f.state for f in terminal_findings(facts)] == [State.SKIPPED]


@pytest.mark.parametrize("term", ["", "dumb", "unknown"])
def test_a_terminal_that_moves_no_cursor_is_a_problem(term: str) -> None:
    found = find("terminal", {"TERM": term})
    assert found.state is State.PROBLEM
    assert found.remedy


@pytest.mark.parametrize(
    ("size", "state"),
    [((80, 24), State.OK), ((79, 24), State.WARNING), ((80, 23), State.WARNING)],
)
def test_a_small_screen_is_warned_of(size: tuple[int, int], state: State) -> None:
    found = find("size", size=size)
    assert (found.state, found.figures["columns"], found.figures["rows"]) == (state, *size)


@pytest.mark.parametrize(
    ("environ", "colors", "state"),
    [
        (GOOD, 1 << 24, State.OK),
        ({"TERM": "xterm-256color"}, 256, State.OK),
        ({"TERM": "xterm"}, 16, State.WARNING),
        ({"TERM": "linux"}, 16, State.OK),
        ({**GOOD, "NO_COLOR": "1"}, 0, State.OK),
        # Screen reads colours of 24 bits as blinking and reversed text.
        ({**GOOD, "TERM": "screen-256color", "STY": "1.pts"}, 256, State.OK),
    ],
)
def test_colours_are_what_the_environment_says(
    environ: dict[str, str], colors: int, state: State
) -> None:
    found = find("colours", environ)
    assert (found.figures["colors"], found.state) == (colors, state)


@pytest.mark.parametrize(
    ("term", "is_ascii", "state"),
    [
        ("xterm", False, State.OK), ("xterm", True, State.WARNING), ("linux", True, State.OK),
    ],
)  # fmt: skip
def test_a_locale_without_unicode_is_warned_of(term: str, is_ascii: bool, state: State) -> None:
    found = find("Unicode", {"TERM": term}, is_ascii=is_ascii)
    assert (found.state, found.figures["unicode"]) == (state, not is_ascii)


@pytest.mark.parametrize(
    ("environ", "layers"),
    [
        (GOOD, "direct, as far as is known"),
        ({**GOOD, "SSH_TTY": "/dev/pts/1"}, "ssh"),
        ({**GOOD, "SSH_TTY": "/dev/pts/1", "NCURSES_NO_UTF8_ACS": "1"}, "ssh, mosh"),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"}, "tmux"),
        ({"TERM": "screen.xterm"}, "GNU screen or tmux on another machine"),
    ],
)
def test_the_connection_path_is_named(environ: dict[str, str], layers: str) -> None:
    assert find("connection path", environ).figures["layers"] == layers


@pytest.mark.parametrize(
    ("delay", "state"), [("500", State.WARNING), ("20", State.OK), ("", State.OK)]
)
def test_a_slow_escape_is_warned_of(delay: str, state: State) -> None:
    environ = {"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"}
    assert find("connection path", environ, tmux=(delay, "")).state is state


@pytest.mark.parametrize(
    ("environ", "clipboard", "state", "osc52"),
    [
        (GOOD, "", State.OK, None),
        ({"TERM": "putty-256color"}, "", State.OK, False),
        ({"TERM": "linux"}, "", State.OK, False),
        ({"TERM": "tmux-256color", "TMUX": "x,1,0"}, "off", State.WARNING, False),
        ({"TERM": "tmux-256color", "TMUX": "x,1,0"}, "external", State.OK, None),
    ],
)
def test_the_clipboard_is_what_is_known_of_it(
    environ: dict[str, str], clipboard: str, state: State, osc52: bool | None
) -> None:
    found = find("clipboard", environ, tmux=("", clipboard))
    assert (found.state, found.figures["osc52"]) == (state, osc52)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (b"", TerminalAnswers(has_answered=False)),
        (b"\x1b[?62;4c", TerminalAnswers(has_answered=True, is_synchronized=False)),
        (
            b"\x1bP>|xterm(390)\x1b\\\x1b[?2026;2$y\x1b[?64;1c",
            TerminalAnswers(has_answered=True, name="xterm(390)", is_synchronized=True),
        ),
        (
            b"\x1b[?2026;0$y\x1b[?1;2c",
            TerminalAnswers(has_answered=True, is_synchronized=False),
        ),
    ],
)
def test_answers_are_read(said: bytes, expected: TerminalAnswers) -> None:
    assert read_answers(said) == expected


@pytest.mark.parametrize("term", ["dumb", "linux", "vt100", ""])
def test_a_terminal_that_would_print_a_question_is_not_asked(term: str) -> None:
    assert ask_terminal(term) is SILENT
