"""Checks the user's keys before Textual sees them, because it takes mistakes in silence.

A mistaken entry is left out and reported with its line; the other entries still count.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import combinations

from textual.keys import Keys

from pmtui.config.terminal_settings import KeyOverride
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.action_table import ACTIONS
from pmtui.ui.keys.actions import Keymap, find_action, key_label

_MODIFIERS = ("ctrl", "alt", "shift", "super", "meta", "hyper")
_CHARACTER_NAMES = {
    "/": "slash", "?": "question_mark", "[": "left_square_bracket", "]": "right_square_bracket",
    "*": "asterisk", "+": "plus", "-": "minus", ".": "full_stop", ",": "comma", " ": "space",
    ";": "semicolon", ":": "colon", "'": "apostrophe", '"': "quotation_mark", "!": "exclamation_mark",
    "@": "at", "#": "number_sign", "$": "dollar_sign", "%": "percent_sign", "^": "circumflex_accent",
    "&": "ampersand", "(": "left_parenthesis", ")": "right_parenthesis", "=": "equals_sign",
    "<": "less_than_sign", ">": "greater_than_sign", "|": "vertical_line", "\\": "backslash",
    "~": "tilde", "`": "grave_accent", "{": "left_curly_bracket", "}": "right_curly_bracket",
    "_": "underscore",
}  # fmt: skip
_OTHER_NAMES = {"esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown"}
_NAMED_KEYS = {
    *(key.value for key in Keys if "+" not in key.value and not key.value.startswith("<")),
    *_CHARACTER_NAMES.values(),
    "space",
}


@dataclass(frozen=True, slots=True)
class KeymapProblem:
    """A mistake in the user's keys."""

    line: int
    text: str


class _KeyError(ValueError):
    pass


def read_keymap(
    overrides: Mapping[str, KeyOverride],
) -> tuple[Keymap, tuple[KeymapProblem, ...]]:
    """Check the user's keys by action id; return those that hold and what is wrong with the rest."""
    problems: list[KeymapProblem] = []
    accepted: dict[str, tuple[str, ...]] = {}
    ids = [action.id for action in ACTIONS]
    for action_id, override in overrides.items():
        if action_id not in ids:
            close = get_close_matches(action_id, ids, n=1, cutoff=0.5)
            hint = f", did you mean {close[0]}?" if close else ""
            problems.append(KeymapProblem(override.line, f"unknown action {action_id}{hint}"))
            continue
        try:
            accepted[action_id] = tuple(dict.fromkeys(_read_key(key) for key in override.keys))
        except _KeyError as error:
            problems.append(KeymapProblem(override.line, f"{action_id}: {error}"))
    # Leaving one entry out gives its default keys back, which may clash in their turn.
    while clash := next(_clashes(Keymap(accepted), accepted), None):
        dropped, other, key = clash
        text = f"{dropped}: {key_label(key)} already belongs to {other}"
        problems.append(KeymapProblem(overrides[dropped].line, text))
        del accepted[dropped]
    return Keymap(accepted), tuple(sorted(problems, key=lambda problem: problem.line))


def _read_key(text: str) -> str:
    *modifiers, key = text.split("+") if len(text) > 1 and not text.endswith("+") else [text]
    for modifier in modifiers:
        if modifier not in _MODIFIERS:
            raise _KeyError(f"{modifier!r} in {text!r} is no modifier")
    if len(key) == 1:
        if "shift" in modifiers and key.isalpha():
            better = "+".join((*(m for m in modifiers if m != "shift"), key.upper()))
            raise _KeyError(f"write {better!r} instead of {text!r}")
        name = key if key.isalnum() else _CHARACTER_NAMES.get(key, "")
        if not name or not name.isprintable():
            raise _KeyError(f"{text!r} is no key")
        return "+".join((*modifiers, name))
    name = _OTHER_NAMES.get(key.lower(), key.lower())
    if name not in _NAMED_KEYS:
        close = get_close_matches(name, sorted(_NAMED_KEYS), n=1)
        hint = f", did you mean {close[0]!r}?" if close else ""
        raise _KeyError(f"{text!r} is no key{hint}")
    return "+".join((*modifiers, name))


# A screen may use a global key for its own purpose where the defaults already do so.
@lru_cache(maxsize=1)
def _pairs_that_share() -> frozenset[tuple[str, str]]:
    return frozenset((a, b) for a, b, _ in _shared(Keymap()))


def _clashes(keymap: Keymap, overridden: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    tolerated = _pairs_that_share()
    for first, second, key in _shared(keymap):
        if (first, second) in tolerated and key in find_action(first).keys:
            continue
        # The later entry of the file gives way; an action nobody touched never does.
        dropped = max((i for i in (first, second) if i in overridden), key=list(overridden).index)
        yield dropped, first if dropped == second else second, key


def _shared(keymap: Keymap) -> Iterator[tuple[str, str, str]]:
    """Find keys of two actions that work in the same place, in the order of the registry."""
    holders: dict[str, list[int]] = {}
    for place, action in enumerate(ACTIONS):
        for key in keymap.keys_of(action.id):
            holders.setdefault(key, []).append(place)
    found = [
        (first, second, key)
        for key, places in holders.items()
        for first, second in combinations(places, 2)
        if _meet(ACTIONS[first].context, ACTIONS[second].context)
    ]
    for first, second, key in sorted(found):
        yield ACTIONS[first].id, ACTIONS[second].id, key


def _meet(first: Context, second: Context) -> bool:
    if first is second or Context.GLOBAL in (first, second):
        return True
    return {first, second} == {Context.MARKET, Context.LADDER}
