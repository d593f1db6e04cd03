"""The single registry of what a key can do.

Bindings, footer, palette, help and the documentation are generated from it; a key that is not
here does nothing. An id is `context.action`, and the handler is the method `action_<action>` of
the screen, or of the app for the global ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from textual.binding import Binding, BindingType


class Context(StrEnum):
    """Where a key means something."""

    GLOBAL = "global"
    MARKETS = "markets"
    SEARCH = "search"
    PICKER = "picker"
    EVENT = "event"
    MARKET = "market"
    LADDER = "ladder"
    TICKET = "ticket"
    CONFIRM = "confirm"
    PORTFOLIO = "portfolio"
    LOG = "log"
    HELP = "help"


class Danger(StrEnum):
    """What an action can cost."""

    NONE = "none"
    ASKS = "asks"
    """Confirms with the numbers that matter before it does anything."""
    TRADES = "trades"
    """Changes orders at once, without another question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing the trader can do."""

    id: str
    label: str
    keys: tuple[str, ...]
    """As the terminal names them: `x`, `X`, `ctrl+p`, `slash`."""
    help: str
    danger: Danger = Danger.NONE
    in_footer: bool = True
    in_palette: bool = True
    in_widget: bool = False
    """Bound by the focused widget, not by the screen or the app."""
    command: str = ""
    """The toolkit's action when it is not a method of ours."""

    @property
    def context(self) -> Context:
        """Where the key works."""
        return Context(self.id.partition(".")[0])

    @property
    def method(self) -> str:
        """What a binding calls."""
        return self.command or self.id.partition(".")[2]


_G = Context.GLOBAL


def _moving(name: str, keys: str, label: str, help_text: str) -> Action:
    return Action(
        id=f"global.{name}", label=label, keys=tuple(keys.split()), help=help_text,
        in_footer=False, in_palette=False, in_widget=True,
    )  # fmt: skip


def _action(  # noqa: PLR0913 - a row of the table below
    action_id: str, keys: str, label: str, help_text: str, *, danger: Danger = Danger.NONE,
    in_footer: bool = True, in_palette: bool = True, in_widget: bool = False, command: str = "",
) -> Action:  # fmt: skip
    return Action(
        id=action_id, label=label, keys=tuple(keys.split()), help=help_text, danger=danger,
        in_footer=in_footer, in_palette=in_palette, in_widget=in_widget, command=command,
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    _action("global.search", "slash", "Search", "Search markets, events and tags."),
    _action("global.markets", "m", "Markets", "Go to the list of markets."),
    _action("global.portfolio", "p", "Portfolio", "Go to positions, open orders and fills."),
    _action("global.log", "l", "Log", "Go to notices, orders and requests."),
    _action("global.help", "question_mark", "Help", "Show every key of this screen."),
    _action("global.palette", "ctrl+p", "Palette", "Find any action or theme by name.",
            in_palette=False, command="app.command_palette"),
    _action("global.open", "enter", "Open", "Open what is under the cursor.",
            in_palette=False, in_widget=True),
    _action("global.back", "escape", "Back", "Leave this screen.", in_palette=False),
    _moving("move_up", "up k", "Up", "Move the cursor one row up."),
    _moving("move_down", "down j", "Down", "Move the cursor one row down."),
    _moving("page_up", "pageup", "Page up", "Move the cursor one screen up."),
    _moving("page_down", "pagedown", "Page down", "Move the cursor one screen down."),
    _moving("move_to_top", "home", "Top", "Move the cursor to the first row."),
    _moving("move_to_end", "end", "End", "Move the cursor to the last row."),
    _action("global.next_pane", "tab", "Next pane", "Move to the next pane.",
            in_footer=False, in_palette=False, command="app.focus_next"),
    _action("global.previous_pane", "shift+tab", "Previous pane", "Move to the previous pane.",
            in_footer=False, in_palette=False, command="app.focus_previous"),
    _action("global.cancel_every_order", "X", "Cancel all",
            "Cancel every open order in every market.", danger=Danger.ASKS),
    _action("global.refresh", "r", "Refresh", "Fetch this screen's data again.",
            in_footer=False),
    _action("global.redraw", "ctrl+l", "Redraw", "Paint the whole terminal again.",
            in_footer=False),
    _action("global.change_theme", "", "Change theme", "Choose another theme.",
            in_footer=False),
    _action("global.quit", "q", "Quit", "Leave; asks while orders rest.",
            danger=Danger.ASKS),
    _action("markets.sort", "s", "Sort", "Sort by the next measure."),
    _action("markets.filter", "f", "Filter", "Narrow the list."),
    _action("search.open", "enter", "Open", "Open or choose what is under the cursor.",
            in_palette=False, in_widget=True),
    _action("search.close", "escape", "Close search", "Go back to the list as it was.",
            in_palette=False),
    _action("search.move_up", "up", "Up", "Move the cursor one row up.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("search.move_down", "down", "Down", "Move the cursor one row down.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("search.page_up", "pageup", "Page up", "Move the cursor one screen up.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("search.page_down", "pagedown", "Page down", "Move the cursor one screen down.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("picker.toggle_closed", "ctrl+o", "Closed too", "List closed events too, or not.",
            in_palette=False),
    _action("picker.close", "escape", "Back", "Change nothing.", in_palette=False),
    _action("event.rules", "i", "Rules", "Show the rules and the resolution source."),
    _action("event.comments", "c", "Comments", "Show what people say about this event."),
    _action("event.holders", "h", "Holders", "Show who holds most of the market at the cursor."),
    _action("market.flip_outcome", "o", "Flip", "Show the other outcome."),
    _action("market.buy", "b", "Buy", "Open the ticket to buy."),
    _action("market.sell", "s", "Sell", "Open the ticket to sell."),
    _action("market.shorter_interval", "left_square_bracket", "Shorter",
            "Show a shorter time on the chart.", in_footer=False),
    _action("market.longer_interval", "right_square_bracket", "Longer",
            "Show a longer time on the chart.", in_footer=False),
    _action("market.group_prices", "g", "Group", "Change the price grouping of the ladder."),
    _action("market.cancel_order", "x", "Cancel here",
            "Cancel your orders at the cursor.", danger=Danger.TRADES),
    _action("market.cancel_market", "z", "Cancel market",
            "Cancel all your orders in this market.", danger=Danger.TRADES),
    _action("market.rules", "i", "Rules", "Show the rules and the resolution source.",
            in_footer=False),
    _action("ladder.trade_here", "enter", "Ticket here",
            "Open the ticket at the cursor: sells to a bid, buys from an ask, joins on an empty "
            "row. Without a cursor: point at the best bid.", in_palette=False, in_widget=True),
    _action("ladder.recentre", "space", "Centre", "Bring the spread back to the middle.",
            in_widget=True),
    _action("ladder.move_up", "up k", "Up", "Move the cursor one price up.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("ladder.move_down", "down j", "Down", "Move the cursor one price down.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("ladder.page_up", "pageup", "Page up", "Move the cursor one screen up.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("ladder.page_down", "pagedown", "Page down", "Move the cursor one screen down.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("ticket.review", "enter", "Review", "Check the order before it is sent.",
            in_palette=False),
    _action("ticket.close", "escape", "Close", "Close the ticket without sending.",
            in_palette=False),
    _action("ticket.switch_side", "ctrl+r", "Side", "Switch between buying and selling.",
            in_palette=False),
    _action("ticket.next_time_in_force", "ctrl+t", "Time in force",
            "Choose how long the order may rest.", in_palette=False),
    _action("ticket.toggle_post_only", "ctrl+o", "Post only",
            "Refuse the order when it would take.", in_palette=False),
    _action("ticket.next_kind", "ctrl+g", "Limit or market",
            "Choose between a limit and a market order.", in_footer=False, in_palette=False),
    _action("ticket.next_unit", "ctrl+y", "Unit",
            "Count the size in shares, dollars or percent.", in_palette=False),
    _action("ticket.use_suggestion", "ctrl+n", "Suggestion",
            "Take the nearest valid value that a problem names.", in_palette=False),
    _action("ticket.step_up", "up", "Step up", "Raise the price by a tick, the size by a step.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("ticket.step_down", "down", "Step down",
            "Lower the price by a tick, the size by a step.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("ticket.next_choice", "space right", "Next choice",
            "Choose the next of what the field offers.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("ticket.previous_choice", "left", "Previous choice",
            "Choose the one before of what the field offers.",
            in_footer=False, in_palette=False, in_widget=True),
    _action("confirm.accept", "enter", "Send", "Do what the card says.",
            danger=Danger.TRADES, in_palette=False),
    _action("confirm.decline", "escape", "Back", "Go back and change nothing.",
            in_palette=False),
    _action("portfolio.next_tab", "right_square_bracket tab", "Next tab", "Show the next tab.",
            in_palette=False),
    _action("portfolio.previous_tab", "left_square_bracket shift+tab", "Previous tab",
            "Show the previous tab.", in_footer=False, in_palette=False),
    _action("portfolio.cancel_order", "x", "Cancel", "Cancel the order at the cursor.",
            danger=Danger.TRADES),
    _action("portfolio.mark_order", "space", "Mark", "Mark the order at the cursor, or unmark it."),
    _action("portfolio.cancel_marked", "z", "Cancel marked", "Cancel the marked orders.",
            danger=Danger.ASKS),
    _action("log.next_kind", "f", "Kind", "Show another kind of entry."),
    _action("help.close", "question_mark", "Close", "Close the help.", in_palette=False),
)  # fmt: skip

_BY_ID: Mapping[str, Action] = MappingProxyType({action.id: action for action in ACTIONS})


@dataclass(frozen=True, slots=True)
class Keymap:
    """The user's choice of keys; what it does not name keeps its default."""

    overrides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def keys_of(self, action_id: str) -> tuple[str, ...]:
        """Return the keys of an action, none when the user took them away."""
        return self.overrides.get(action_id, find_action(action_id).keys)

    def to_textual(self) -> dict[str, str]:
        """Return the overrides as the toolkit's `set_keymap` takes them."""
        # The toolkit ignores an empty entry; a name no terminal sends takes the keys away.
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
    help: str
    command: str
    """What to run, as the toolkit's action string."""


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

    Only actions that have a key.
    """
    return tuple(
        FooterEntry(a.id, key_label(keys[0]), a.label, a.danger is not Danger.NONE)
        for context in contexts
        for a in actions_in(context)
        if a.in_footer and (keys := keymap.keys_of(a.id))
    )


def palette_commands(
    *contexts: Context, keymap: Keymap = DEFAULT_KEYMAP
) -> tuple[PaletteCommand, ...]:
    """Return what the palette offers in these contexts, each with its keys in the help."""
    return tuple(
        PaletteCommand(a.id, a.label, _with_keys(a.help, keymap.keys_of(a.id)), _command(a))
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


def keys_markdown(keymap: Keymap = DEFAULT_KEYMAP) -> str:
    """Return the table of all keys for the documentation."""
    lines = ["| where | key | does | id |", "|---|---|---|---|"]
    for a in ACTIONS:
        keys = " ".join(f"`{key_label(key)}`" for key in keymap.keys_of(a.id)) or "palette"
        lines.append(f"| {a.context} | {keys} | {a.help} | `{a.id}` |")
    return "\n".join(lines) + "\n"


_KEY_LABELS = MappingProxyType(
    {
        "slash": "/", "question_mark": "?", "left_square_bracket": "[",
        "right_square_bracket": "]", "asterisk": "*", "escape": "esc", "pageup": "pgup",
        "pagedown": "pgdn", "comma": ",", "full_stop": ".", "minus": "-", "plus": "+",
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
    if action.command or action.context is not _G:
        return action.method
    return f"app.{action.method}"


def _labels(keys: Iterable[str]) -> str:
    return " ".join(key_label(key) for key in keys)


def _with_keys(text: str, keys: tuple[str, ...]) -> str:
    return f"{text} ({_labels(keys)})" if keys else text
