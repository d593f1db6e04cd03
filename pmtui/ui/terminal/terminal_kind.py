"""What the environment tells of the terminal and of the programs between it and us."""

import re
from collections.abc import Mapping, MutableMapping


def is_in_tmux(environ: Mapping[str, str]) -> bool:
    """Tell whether tmux is the next program: of tmux in Screen, not of Screen in tmux."""
    term = environ.get("TERM", "")
    return term.startswith("tmux") or bool(environ.get("TMUX") and not environ.get("STY"))


def is_in_screen(environ: Mapping[str, str]) -> bool:
    """Tell whether GNU screen is on this machine's part of the way."""
    return bool(environ.get("STY"))


def may_be_screen(environ: Mapping[str, str]) -> bool:
    """Tell whether GNU screen may be on the way; from another machine only the terminal's name is known."""
    is_named_so = environ.get("TERM", "").startswith("screen")
    return is_in_screen(environ) or (is_named_so and not environ.get("TMUX"))


ASK_KIND = "\x1b[>c"
_SCREEN = 83
_KIND = re.compile(r"\x1b\[>(\d{1,4})[;\d]*c")


def is_told_by_name_only(environ: Mapping[str, str]) -> bool:
    """Tell whether it is Screen or tmux on another machine: they share a name, and answer `ASK_KIND`."""
    return may_be_screen(environ) and not is_in_screen(environ)


def is_another_kind(text: str) -> bool:
    """Tell whether this has an answer to `ASK_KIND` in it that is not Screen's, which begins with 83.

    Source: "Device Attributes (Secondary DA)" in xterm's ctlseqs; both programs give the code of
    their first letter.
    """
    found = _KIND.search(text)
    return found is not None and int(found[1]) != _SCREEN


def is_behind_mosh(environ: Mapping[str, str]) -> bool:
    """Tell whether this shell was started by mosh, which sets this for its own terminal."""
    return bool(environ.get("NCURSES_NO_UTF8_ACS"))


def has_no_clipboard(environ: Mapping[str, str]) -> bool:
    """Tell whether the terminal is known to take nothing into a clipboard."""
    return environ.get("TERM", "").startswith("putty")


def forget_true_color(environ: MutableMapping[str, str]) -> None:
    """Take back what a terminal promised that Screen stands before.

    Screen inherits the promise and reads such colours as blinking, dim and reversed text. All 256
    of its own remain.
    """
    if may_be_screen(environ):
        _ = environ.pop("COLORTERM", None)
