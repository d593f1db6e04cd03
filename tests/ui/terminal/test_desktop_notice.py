"""What is written to copy, for each way that programs can lie between us and the terminal."""

from base64 import b64encode

import pytest

from pmtui.domain.notices import DesktopWay
from pmtui.ui.terminal.desktop_notice import (
    SCREEN_TAKES,
    clipboard_sequence,
    forget_true_color,
    notice_sequence,
)

TEXT = "0x" + "ab" * 32
PLAIN = f"\x1b]52;c;{b64encode(TEXT.encode()).decode()}\a"
IN_SCREEN = f"\x1bP{PLAIN}\x1b\\"
IN_TMUX = f"\x1bPtmux;\x1b{PLAIN}\x1b\\"
BOTH = "\x1bPtmux;\x1b\x1bP\x1b" + PLAIN + "\x1b\x1b\\\x1b\\"
STY = {"STY": "4711.pts-0.box"}
TMUX = {"TMUX": "/tmp/tmux-0/default,1,0"}


@pytest.mark.parametrize(
    ("environ", "sequence"),
    [
        ({"TERM": "xterm-256color"}, PLAIN),
        ({"TERM": "screen", **STY}, PLAIN + IN_SCREEN),
        ({"TERM": "xterm-256color", **STY}, PLAIN + IN_SCREEN),
        ({"TERM": "screen.xterm-256color"}, PLAIN + IN_SCREEN),
        ({"TERM": "tmux-256color", **TMUX}, PLAIN + IN_TMUX),
        ({"TERM": "screen-256color", **TMUX}, PLAIN + IN_TMUX),
        ({"TERM": "tmux-256color"}, PLAIN + IN_TMUX),
        ({"TERM": "tmux-256color", **TMUX, **STY}, PLAIN + BOTH),
        # Whichever of them is inside: Screen would print what is wrapped for tmux.
        ({"TERM": "screen-256color", **TMUX, **STY}, PLAIN + IN_SCREEN),
    ],
)
def test_it_is_wrapped_for_what_lies_between(environ: dict[str, str], sequence: str) -> None:
    assert clipboard_sequence(TEXT, environ) == sequence


def test_what_tmux_was_given_is_not_given_to_it_twice() -> None:
    assert clipboard_sequence(TEXT, {"TERM": "tmux", **TMUX}, tmux_has_it=True) == IN_TMUX


def test_screen_gets_a_long_text_in_pieces_that_it_can_take() -> None:
    text = "x" * 3 * SCREEN_TAKES
    plain = clipboard_sequence(text, {"TERM": "xterm"})
    wrapped = clipboard_sequence(text, {"TERM": "screen", **STY}).removeprefix(plain)
    pieces = wrapped.removeprefix("\x1bP").removesuffix("\x1b\\").split("\x1b\\\x1bP")
    assert "".join(pieces) == plain
    assert max(map(len, pieces)) <= SCREEN_TAKES


@pytest.mark.parametrize(
    ("environ", "is_kept"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "tmux-256color", **TMUX}, True),
        ({"TERM": "screen-256color", **TMUX}, True),
        ({"TERM": "screen-256color"}, False),
        ({"TERM": "xterm-256color", **STY}, False),
        ({"TERM": "tmux-256color", **TMUX, **STY}, False),
    ],
)
def test_screen_is_sent_no_colours_that_it_misreads(
    environ: dict[str, str],
    is_kept: bool,
) -> None:
    environ["COLORTERM"] = "truecolor"
    forget_true_color(environ)
    assert ("COLORTERM" in environ) == is_kept


@pytest.mark.parametrize(
    ("way", "sequence"),
    [
        (DesktopWay.OFF, ""),
        (DesktopWay.OSC_9, "\x1b]9;pmtui: Bought 5 Yes, 40¢\a"),
        (DesktopWay.OSC_777, "\x1b]777;notify;pmtui;Bought 5 Yes, 40¢\a"),
    ],
)
def test_each_way_has_its_own_sequence(way: DesktopWay, sequence: str) -> None:
    assert notice_sequence("Bought 5 Yes; 40¢", way, {"TERM": "xterm-256color"}) == sequence


def test_tmux_is_asked_to_pass_it_on() -> None:
    environ = {"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"}
    sequence = notice_sequence("x", DesktopWay.OSC_9, environ)
    assert "\x1bPtmux;\x1b\x1b]9;pmtui: x\a\x1b\\" in sequence
