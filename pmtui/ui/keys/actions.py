"""What is made of the table of actions: bindings, footer, palette, help and the documentation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from textual.binding import Binding, BindingType

from pmtui.ui.keys.action import Action, Context, Danger
from pmtui.ui.keys.action_table import ACTIONS

_BY_ID: Mapping[str, Action] = MappingProxyType({action.id: action for action in ACTIONS})


@dataclass(frozen=True, slots=True)
class Keymap:
    """The user's choice of keys; what it does not name keeps its default."""

    overrides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def keys_of(self, action_id: str) -> tuple[str, ...]:
        """Return the keys of an action, none when the user took them away."""
        return self.overrides.get(action_id, find_action(action_id).keys)

    def to_textual(self) -> dict[str, str]:
        """Return the overrides as Textual's `set_keymap` takes them."""
        # Textual ignores an empty entry; a name no terminal sends takes the keys away.
        return {
            action_id: ",".join(keys) or f"unbound_{action_id}"
            for action_id, keys in self.overrides.items()
        }


DEFAULT_KEYMAP = Keymap()


@dataclass(frozen=True, slots=True)
class FooterEntry:
    """A key and what it does, for the footer."""

    id: str
    key: str
    label: str
    is_dangerous: bool


@dataclass(frozen=True, slots=True)
class PaletteCommand:
    """An action the palette offers."""

    id: str
    title: str
    keys: str
    """As they are written on a screen; empty for none."""
    help: str
    command: str
    """What to run, as Textual's action string."""


@dataclass(frozen=True, slots=True)
class HelpLine:
    """A line of the help screen."""

    context: Context
    keys: str
    label: str
    help: str


def find_action(action_id: str) -> Action:
    """Return the action of this id.

    Raises:
        KeyError: there is none.
    """
    return _BY_ID[action_id]


def actions_in(*contexts: Context) -> tuple[Action, ...]:
    """Return the actions of these contexts, context by context, in the order of the registry."""
    return tuple(action for context in contexts for action in ACTIONS if action.context is context)


def bindings_for(context: Context) -> list[BindingType]:
    """Return a screen's bindings, or the app's for the global context."""
    return [_bind(a) for a in actions_in(context) if not a.in_widget and a.keys]


def bindings_of(*action_ids: str) -> list[BindingType]:
    """Return the bindings of single actions, for the widget that carries them out."""
    return [_bind(find_action(action_id)) for action_id in action_ids]


def footer_entries(*contexts: Context, keymap: Keymap = DEFAULT_KEYMAP) -> tuple[FooterEntry, ...]:
    """Return what the footer shows in these contexts, in the order they are named.

    Only actions that have a key, and no key twice: the nearest context has it.
    """
    entries: dict[str, FooterEntry] = {}
    for a in actions_in(*contexts):
        if a.in_footer and (keys := keymap.keys_of(a.id)):
            is_dangerous = a.danger is not Danger.NONE
            entries.setdefault(
                keys[0], FooterEntry(a.id, key_label(keys[0]), a.label, is_dangerous)
            )
    return tuple(entries.values())


def entries_of(
    action_ids: Iterable[str | None], keymap: Keymap = DEFAULT_KEYMAP
) -> tuple[FooterEntry, ...]:
    """Return what the footer shows of these actions, in the order of the registry."""
    wanted = set(action_ids)
    contexts = dict.fromkeys(action.context for action in ACTIONS if action.id in wanted)
    entries = footer_entries(*contexts, keymap=keymap)
    return tuple(entry for entry in entries if entry.id in wanted)


def palette_commands(
    *contexts: Context, keymap: Keymap = DEFAULT_KEYMAP
) -> tuple[PaletteCommand, ...]:
    """Return what the palette offers in these contexts, each with its keys."""
    return tuple(
        PaletteCommand(a.id, a.label, _labels(keymap.keys_of(a.id)), a.help, _command(a))
        for a in actions_in(*contexts)
        if a.in_palette
    )


def help_lines(*contexts: Context, keymap: Keymap = DEFAULT_KEYMAP) -> tuple[HelpLine, ...]:
    """Return the help for these contexts, in the order they are named.

    A global key is left out where the nearest context uses it for something else.
    """
    taken = {key for a in actions_in(*contexts[:1]) for key in keymap.keys_of(a.id)}
    return tuple(
        HelpLine(context, _labels(keys), a.label, a.help)
        for number, context in enumerate(contexts)
        for a in actions_in(context)
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
