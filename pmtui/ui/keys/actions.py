"""Generates bindings, footer, palette, help and docs from the actions; reads the user's keymap.

A keymap is validated before use: unknown ids, clashes in a context, names that no terminal sends.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import combinations
from types import MappingProxyType

from textual.binding import Binding, BindingType
from textual.keys import Keys

from pmtui.config.terminal_settings import KeyOverride
from pmtui.ui.keys.action_table import ACTIONS, Action, Context, Danger, Need

_BY_ID: Mapping[str, Action] = MappingProxyType({action.id: action for action in ACTIONS})


@dataclass(frozen=True, slots=True)
class Keymap:
    """The user's keys; actions that it does not name keep their defaults."""

    overrides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def keys_of(self, action_id: str) -> tuple[str, ...]:
        """Return the keys of an action; none if the user removed them."""
        return self.overrides.get(action_id, find_action(action_id).keys)

    def to_textual(self) -> dict[str, str]:
        """Return the overrides as Textual's `set_keymap` takes them."""
        # Textual ignores an empty entry, so a name that no terminal sends stands for no keys.
        return {
            action_id: ",".join(keys) or f"unbound_{action_id}"
            for action_id, keys in self.overrides.items()
        }


DEFAULT_KEYMAP = Keymap()


@dataclass(frozen=True, slots=True)
class FooterEntry:
    """A key and what it does, for the footer."""

    id: str
    """The id of the action; empty for keys without one."""
    key: str
    label: str
    is_dangerous: bool


@dataclass(frozen=True, slots=True)
class PaletteCommand:
    """An action the palette offers."""

    id: str
    title: str
    keys: str
    """As shown on the screen; empty for none."""
    help: str
    command: str
    """Textual's action string to run."""


@dataclass(frozen=True, slots=True)
class HelpLine:
    """A line of the help screen."""

    context: Context
    subject: str
    """The heading under which it stands."""
    keys: str
    label: str
    help: str


def find_action(action_id: str) -> Action:
    """Return the action of this id.

    Raises:
        KeyError: there is none.
    """
    return _BY_ID[action_id]


@cache
def actions_in(*contexts: Context) -> tuple[Action, ...]:
    """Return the actions of these contexts, in the order of the registry."""
    return tuple(action for context in contexts for action in ACTIONS if action.context is context)


def bindings_for(context: Context) -> list[BindingType]:
    """Return a screen's bindings, or the app's for the global context."""
    return [_bind(a) for a in actions_in(context) if not a.in_widget and a.keys]


def bindings_of(*action_ids: str) -> list[BindingType]:
    """Return the bindings of single actions, for the widget that handles them."""
    return [_bind(find_action(action_id)) for action_id in action_ids]


STOPPING = ("global.kill", "global.cancel_every_order")
"""Actions that work over whatever is chosen from, as nothing may stand in their way."""


def footer_entries(*contexts: Context, keymap: Keymap = DEFAULT_KEYMAP) -> tuple[FooterEntry, ...]:
    """Return the footer of these contexts, in the order given.

    Only actions with a key, and each key once: the first context wins.
    """
    entries: dict[str, FooterEntry] = {}
    for a in actions_in(*contexts):
        if a.in_footer and (keys := keymap.keys_of(a.id)):
            is_dangerous = a.danger is not Danger.NONE
            entries.setdefault(
                keys[0], FooterEntry(a.id, key_label(keys[0]), a.label, is_dangerous)
            )
    return tuple(entries.values())


def available(entries: Iterable[FooterEntry], missing: Collection[Need]) -> tuple[FooterEntry, ...]:
    """Leave out the entries whose needs are missing."""
    return tuple(e for e in entries if not e.id or find_action(e.id).needs not in missing)


def entries_of(
    action_ids: Iterable[str | None], keymap: Keymap = DEFAULT_KEYMAP
) -> tuple[FooterEntry, ...]:
    """Return the footer entries of these actions, in the order of the registry.

    Of global ones only where there are no others: those work everywhere.
    """
    wanted = set(action_ids)
    contexts = dict.fromkeys(action.context for action in ACTIONS if action.id in wanted)
    if len(contexts) > 1:
        _ = contexts.pop(Context.GLOBAL, None)
    entries = footer_entries(*contexts, keymap=keymap)
    return tuple(entry for entry in entries if entry.id in wanted)


def palette_commands(
    *contexts: Context, keymap: Keymap = DEFAULT_KEYMAP
) -> tuple[PaletteCommand, ...]:
    """Return the palette's commands for these contexts, each with its keys."""
    return tuple(
        PaletteCommand(a.id, a.label, _labels(keymap.keys_of(a.id)), a.help, _command(a))
        for a in actions_in(*contexts)
        if a.in_palette
    )


def help_lines(*contexts: Context, keymap: Keymap = DEFAULT_KEYMAP) -> tuple[HelpLine, ...]:
    """Return the help for these contexts, in the order given, subject by subject.

    A global key is left out if the first context overrides it.
    """
    taken = {key for a in actions_in(*contexts[:1]) for key in keymap.keys_of(a.id)}
    return tuple(
        HelpLine(context, subject_of(a), _labels(keys), a.label, a.help)
        for number, context in enumerate(contexts)
        for a in sorted(actions_in(context), key=lambda a: place_of(subject_of(a)))
        if not (keys := keymap.keys_of(a.id)) or not number or not taken.issuperset(keys)
    )


_KEY_LABELS = MappingProxyType(
    {
        "slash": "/", "colon": ":", "question_mark": "?", "left_square_bracket": "[",
        "right_square_bracket": "]", "asterisk": "*", "escape": "esc", "pageup": "pgup",
        "pagedown": "pgdn", "comma": ",", "full_stop": ".", "minus": "-", "plus": "+",
        "exclamation_mark": "!", "less_than_sign": "<", "greater_than_sign": ">",
        "left_parenthesis": "(", "right_parenthesis": ")", "left_curly_bracket": "{",
        "right_curly_bracket": "}", "equals_sign": "=", "dollar_sign": "$", "at": "@",
    }
)  # fmt: skip


def key_label(key: str) -> str:
    """Write a key as it is printed on the keyboard: `/`, `esc`, `ctrl+p`."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    return "+".join((*modifiers, _KEY_LABELS.get(last, last)))


def _bind(action: Action) -> Binding:
    return Binding(
        ",".join(action.keys), action.method, action.label, id=action.id, show=action.in_footer,
        tooltip=action.help,
    )  # fmt: skip


def _command(action: Action) -> str:
    if action.command or action.context is not Context.GLOBAL:
        return action.method
    return f"app.{action.method}"


def _labels(keys: Iterable[str]) -> str:
    return " ".join(key_label(key) for key in keys)


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
    """Validate the user's keys by action id; return the valid ones and the problems of the rest."""
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
    # Dropping an entry restores its default keys, which may clash as well.
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


# A screen may override a global key where the defaults already do so.
@lru_cache(maxsize=1)
def _pairs_that_share() -> frozenset[tuple[str, str]]:
    return frozenset((a, b) for a, b, _ in _shared(Keymap()))


def _clashes(keymap: Keymap, overridden: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    tolerated = _pairs_that_share()
    for first, second, key in _shared(keymap):
        if (first, second) in tolerated and key in find_action(first).keys:
            continue
        # The later entry of the file is dropped, never an action that the user left alone.
        dropped = max((i for i in (first, second) if i in overridden), key=list(overridden).index)
        yield dropped, first if dropped == second else second, key


def _shared(keymap: Keymap) -> Iterator[tuple[str, str, str]]:
    """Yield the pairs of actions that share a key in the same place, in registry order."""
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


_ACTIONS = {
    "Orders": (
        "market.buy market.sell market.scaled market.cancel_order market.move_order "
        "market.nudge_up market.nudge_down market.cancel_market market.cancel_bids "
        "market.cancel_asks market.drop_order"
    ),
    "Position": "market.flatten market.protect market.split market.set_alert",
    "Single keys": (
        "market.toggle_arming market.buy_here market.sell_here market.join_bid market.join_ask "
        "market.improve_bid market.improve_ask market.hit_bid market.take_ask market.flatten_now "
        "market.reverse market.preset_1 market.preset_2 market.preset_3 market.preset_4 market.preset_5 "
        "market.override"
    ),
    "View": (
        "market.flip_outcome market.show_both market.toggle_sides market.group_prices "
        "market.go_to_price market.switch_chart market.switch_candles market.shorter_interval "
        "market.longer_interval market.filter_tape market.rules"
    ),
    "Panes": (
        "market.go_to_sides market.go_to_ladder market.go_to_orders market.go_to_tape "
        "market.go_to_chart market.go_to_ticket"
    ),
    "Next market": (
        "market.next_sibling market.previous_sibling market.next_window market.previous_window"
    ),
    "Go to": (
        "global.search global.markets global.portfolio global.account global.watchlist global.log "
        "global.conditionals global.help global.palette global.command global.open global.back"
    ),
    "Everywhere": (
        "global.star global.cancel_every_order global.kill global.refresh global.copy "
        "global.redraw global.tour global.switch_prices global.switch_times global.change_theme "
        "global.quit"
    ),
    "Move": (
        "global.move_up global.move_down global.page_up global.page_down global.move_to_top "
        "global.move_to_end global.next_pane global.previous_pane"
    ),
}
_SUBJECT_OF: Mapping[str, str] = MappingProxyType(
    {action_id: subject for subject, ids in _ACTIONS.items() for action_id in ids.split()}
)
_ORDER = tuple(_ACTIONS)


def subject_of(action: Action) -> str:
    """Return the subject of an action: its context, unless that has several."""
    return _SUBJECT_OF.get(action.id, action.context.value.capitalize())


def place_of(subject: str) -> int:
    """Return the place of a subject among those of its context."""
    return _ORDER.index(subject) if subject in _ORDER else -1
