"""What to write so that a text gets to the clipboard of the terminal that the trader sits at.

OSC 52 goes as far as the first program in between. tmux takes it for itself where `set-clipboard` is
`on`, and passes on what is wrapped for it where `allow-passthrough` is; GNU screen drops it, but
passes on a device control string. Each layer needs its own wrapping, the innermost outermost.
"""

from base64 import b64encode
from collections.abc import Mapping

from pmtui.ui.terminal.terminal_kind import is_in_screen, is_in_tmux, may_be_screen

_ESCAPE, _END, _STRING = "\x1b", "\x1b\\", "\x1bP"
SCREEN_TAKES = 512
"""Screen cuts strings of more than 768 bytes; several in a row come out as one."""


def clipboard_sequence(text: str, environ: Mapping[str, str], *, tmux_has_it: bool = False) -> str:
    """Return the sequences that copy a text; an empty one empties the clipboard.

    Args:
        text: what to copy.
        environ: what tells of the terminal.
        tmux_has_it: whether the tmux around us was given the text in another way, too.
    """
    # BEL ends it: within a string of Screen's or of tmux's, ESC \ would end that one.
    plain = f"{_ESCAPE}]52;c;{b64encode(text.encode()).decode()}\a"
    if is_in_tmux(environ):
        beyond = _through_tmux(_through_screen(plain) if is_in_screen(environ) else plain)
        return beyond if tmux_has_it else plain + beyond
    # Whoever is not Screen drops the wrapped one, and Screen the other.
    return plain + _through_screen(plain) if may_be_screen(environ) else plain


def _through_tmux(sequence: str) -> str:
    return f"{_STRING}tmux;{sequence.replace(_ESCAPE, 2 * _ESCAPE)}{_END}"


def _through_screen(sequence: str) -> str:
    pieces = (sequence[at : at + SCREEN_TAKES] for at in range(0, len(sequence), SCREEN_TAKES))
    return "".join(f"{_STRING}{piece}{_END}" for piece in pieces)
