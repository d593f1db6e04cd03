import pytest

from pmtui.domain.notices import DesktopWay
from pmtui.ui.terminal.desktop_notice import notice_sequence


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
