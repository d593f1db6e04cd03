"""The registry of actions, one entry each. A key without an entry does nothing.

An id is `context.action`; the handler is the method `action_<action>` of the screen, or of the app
for global actions. Screens whose keys are handled by controls look up handlers by name
(`FrameScreen.actions`, `controls/market_controls`). The order is that of footer, palette and help.
"""

from dataclasses import dataclass
from enum import StrEnum


class Context(StrEnum):
    """Where a key works."""

    GLOBAL = "global"
    REPLAY = "replay"
    """On every screen, but only in a replay."""
    MARKETS = "markets"
    SEARCH = "search"
    PICKER = "picker"
    FILTERS = "filters"
    THEMES = "themes"
    COLUMNS = "columns"
    EVENT = "event"
    MARKET = "market"
    LADDER = "ladder"
    TICKET = "ticket"
    CONFIRM = "confirm"
    COMMAND = "command"
    PORTFOLIO = "portfolio"
    ACCOUNT = "account"
    TRANSACTION = "transaction"
    WATCHLIST = "watchlist"
    ROW = "row"
    """On every list whose rows are markets, events, positions or orders."""
    CONDITIONALS = "conditionals"
    LOG = "log"
    HELP = "help"


# Read two thousand times before the first paint; an Enum lookup would be slow.
_CONTEXTS = {context.value: context for context in Context}


_PERFORMED = frozenset({
    Context.MARKETS, Context.EVENT, Context.MARKET, Context.PORTFOLIO, Context.ACCOUNT,
    Context.WATCHLIST, Context.ROW,
})  # fmt: skip
"""Contexts of screens that look up their handlers by name."""


_FORMS = frozenset({
    Context.SEARCH, Context.PICKER, Context.FILTERS, Context.COMMAND, Context.THEMES,
    Context.COLUMNS, Context.TICKET, Context.CONFIRM, Context.HELP,
})  # fmt: skip
"""Contexts of what is typed or chosen in: the palette leaves out their keys."""


class Danger(StrEnum):
    """What an action can cost."""

    NONE = "none"
    ASKS = "asks"
    """Confirms with the numbers that matter before it acts."""
    TRADES = "trades"
    """Changes orders at once, without a confirmation."""


class Need(StrEnum):
    """What an action requires; the footer leaves out actions whose needs are not met.

    The values complete the sentence "It needs …".
    """

    WAY_BACK = "a screen behind this one"
    ROW = "a row at the cursor"
    MARKET = "a market at the cursor"
    TRADING = "a market that takes orders"
    LEVELS = "a book that has levels"
    ARMABLE = "a market that takes orders, or single keys that are armed"
    POSITION = "shares of what is at the cursor"
    SALE = "shares of what is at the cursor, and a market that takes orders"
    POSITIONS = "positions that can be sold"
    PAYOUT = "a resolved market"
    BOTH_OUTCOMES = "shares of both outcomes"
    ORDER = "a working order, a stop or a target at the cursor"
    MOVABLE = "a working order, a stop or a target at the cursor, in a market that takes orders"
    MARKED_ORDERS = "marked orders"
    MARKET_ORDERS = "working orders in this market"
    WORKING_ORDERS = "working orders"
    MARKABLE = "a row that can be marked"
    ALERT = "an alert at the cursor"
    STOP = "a stop or a target at the cursor"
    STAR = "something at the cursor that can be starred"
    ONE_WINNER = "an event in which one outcome wins"
    STEP = "a step at the cursor that can be taken"
    NEXT_STEP = "a step that is missing"
    GRANT = "an approval or a key at the cursor"
    WALLET = "a wallet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing the trader can do."""

    id: str
    label: str
    keys: tuple[str, ...]
    """Named as the terminal does: `x`, `X`, `ctrl+p`, `slash`."""
    help: str
    danger: Danger = Danger.NONE
    in_footer: bool = True
    in_palette: bool = True
    in_widget: bool = False
    """Whether the focused widget binds it, not the screen or the app."""
    command: str = ""
    """Textual's action, if it is not one of our methods."""
    needs: Need | None = None
    """Without this it does nothing and is not offered."""

    @property
    def context(self) -> Context:
        """Where the key works."""
        return _CONTEXTS[self.id.partition(".")[0]]

    @property
    def method(self) -> str:
        """The action that a binding calls."""
        name = self.id.partition(".")[2]
        return self.command or (f"perform({name!r})" if self.context in _PERFORMED else name)


def _moving(action_id: str, keys: str, label: str, help_text: str, *, command: str = "") -> Action:
    return Action(
        id=action_id, label=label, keys=tuple(keys.split()), help=help_text, command=command,
        in_footer=False, in_palette=False, in_widget=True,
    )  # fmt: skip


def _replay(name: str, keys: str, label: str, help_text: str) -> Action:
    return Action(
        id=f"replay.{name}", label=label, keys=tuple(keys.split()), help=help_text,
        in_footer=False, in_palette=False, command=f"app.replay('{name}')",
    )  # fmt: skip


def _action(  # noqa: PLR0913 - a row of the table below
    action_id: str, keys: str, label: str, help_text: str, *, danger: Danger = Danger.NONE,
    in_footer: bool = True, in_palette: bool = True, in_widget: bool = False, command: str = "",
    needs: Need | None = None,
) -> Action:  # fmt: skip
    return Action(
        id=action_id, label=label, keys=tuple(keys.split()), help=help_text, danger=danger,
        in_footer=in_footer, in_widget=in_widget, command=command, needs=needs,
        in_palette=in_palette and _CONTEXTS[action_id.partition(".")[0]] not in _FORMS,
    )  # fmt: skip


def _armed(
    action_id: str, key: str, label: str, help_text: str, *, needs: Need = Need.TRADING
) -> Action:  # fmt: skip
    return _action(action_id, key, label, f"Armed: {help_text}", danger=Danger.TRADES,
                   in_footer=False, needs=needs)  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    _action("global.search", "slash", "Search", "Search markets, events and tags."),
    _action("global.markets", "m", "Markets", "Go to the list of markets."),
    _action("global.portfolio", "p", "Portfolio", "Go to positions, open orders and fills.",
            command="app.bring_forward('portfolio')"),
    _action("global.account", "a", "Account",
            "Go to the account: how far it is from key to first order, and what is in force.",
            in_footer=False, command="app.bring_forward('account')"),
    _action("global.watchlist", "w", "Watchlist", "Go to the watchlist and price alerts.",
            command="app.bring_forward('watchlist')"),
    _action("global.log", "l", "Log", "Go to notices, orders and requests.",
            command="app.bring_forward('log')"),
    _action("global.conditionals", "C", "Stops",
            "Go to stops and targets; they work while pmtui or its service runs.",
            in_footer=False, command="app.bring_forward('conditionals')"),
    _action("global.star", "asterisk", "Star",
            "Star or unstar the event or market at the cursor.", needs=Need.STAR),
    _action("global.help", "question_mark", "Help", "Show every key of this screen."),
    _action("global.palette", "ctrl+p", "Palette", "Find any action or theme by name.",
            in_palette=False, command="app.command_palette"),
    _action("global.command", "colon", "Command",
            "Type a command: buy 100 yes 39.7 gtd 15m, sell all, cancel bids, find.",
            in_footer=False),
    _action("global.open", "enter", "Open", "Open what is under the cursor.",
            in_palette=False, in_widget=True, needs=Need.ROW),
    _action("global.back", "escape", "Back", "Leave this screen.", in_palette=False,
            needs=Need.WAY_BACK),
    _moving("global.move_up", "up k", "Up", "Move the cursor one row up."),
    _moving("global.move_down", "down j", "Down", "Move the cursor one row down."),
    _moving("global.page_up", "pageup", "Page up", "Move the cursor one screen up."),
    _moving("global.page_down", "pagedown", "Page down", "Move the cursor one screen down."),
    _moving("global.move_to_top", "home", "Top", "Move the cursor to the first row."),
    _moving("global.move_to_end", "end", "End", "Move the cursor to the last row."),
    _action("global.next_pane", "tab", "Next pane", "Move to the next pane.",
            in_footer=False, in_palette=False, command="app.focus_next"),
    _action("global.previous_pane", "shift+tab", "Previous pane", "Move to the previous pane.",
            in_footer=False, in_palette=False, command="app.focus_previous"),
    _action("global.cancel_every_order", "X", "Cancel all",
            "Cancel all working orders in every market.", danger=Danger.ASKS, needs=Need.WORKING_ORDERS,
            command="app.cancel_every_order"),
    _action("global.kill", "K", "Kill switch",
            "Cancel all orders, disarm and lock trading until it is unlocked here or by `pmtui "
            "release`; asks first. While locked: unlock.", danger=Danger.ASKS, in_footer=False,
            command="app.kill"),
    _action("global.refresh", "r", "Refresh", "Fetch this screen's data again.",
            in_footer=False),
    _action("global.copy", "y", "Copy",
            "Copy what is at the cursor to the clipboard of your own machine (OSC 52).",
            in_footer=False),
    _action("global.redraw", "ctrl+l", "Redraw", "Repaint the whole terminal.",
            in_footer=False),
    _action("global.tour", "T", "Tour",
            "A tour step by step, in a line above the notices; again to stop.",
            in_footer=False),
    _action("global.switch_prices", "", "Prices",
            "Write prices in cents, per cent, decimal or American odds. What you type, orders and "
            "ladders stay in cents.", in_footer=False, command="app.switch_unit('prices')"),
    _action("global.switch_times", "", "Times",
            "Write times by the clock of this machine, or in UTC.", in_footer=False,
            command="app.switch_unit('times')"),
    _action("global.change_theme", "", "Theme…", "Preview themes and choose one.",
            in_footer=False),
    _action("global.quit", "q", "Quit", "Quit; asks while orders, stops or alerts are active.",
            danger=Danger.ASKS),
    _replay("pause", "P", "Pause", "Pause the replay, or go on; at its end, begin again."),
    _replay("step", "N", "Step", "Pause at the next message of the recording."),
    _replay("back", "left_curly_bracket", "-30s", "Jump 30 seconds back."),
    _replay("forward", "right_curly_bracket", "+30s", "Jump 30 seconds forward."),
    _replay("slower", "minus", "Slower", "Play at the next lower speed."),
    _replay("faster", "equals_sign plus", "Faster", "Play at the next higher speed."),
    _action("markets.sort", "S", "Sort", "Sort by the next column."),
    _action("markets.reverse", "R", "Reverse", "Order the list the other way round.",
            in_footer=False),
    _action("markets.filter", "g", "Tag", "Narrow the list to one tag or several."),
    _action("markets.narrow", "F", "Filters",
            "Narrow the list by volume, spread, ending, position or star.", in_footer=False),
    _action("markets.fold", "space", "Fold", "Fold or unfold the windows of a series.",
            in_footer=False),
    _action("search.open", "enter", "Open", "Open or choose what is under the cursor.",
            in_widget=True, needs=Need.ROW),
    _action("search.close", "escape", "Close search", "Close search and go back to the list."),
    _moving("search.move_up", "up", "Up", "Move the cursor one row up."),
    _moving("search.move_down", "down", "Down", "Move the cursor one row down."),
    _moving("search.next_result", "tab", "Down", "Move the cursor one row down, and keep typing.",
            command="move_down"),
    _moving("search.previous_result", "shift+tab", "Up",
            "Move the cursor one row up, and keep typing.", command="move_up"),
    _moving("search.page_up", "pageup", "Page up", "Move the cursor one screen up."),
    _moving("search.page_down", "pagedown", "Page down", "Move the cursor one screen down."),
    _action("picker.toggle_closed", "ctrl+o", "Show closed", "Show or hide closed events."),
    _action("picker.mark", "ctrl+t", "Mark",
            "Mark the tag, to narrow the list to events that have all marked tags."),
    _action("picker.close", "escape", "Back", "Change nothing."),
    _action("filters.next", "space right", "Change",
            "Take the next value of the line at the cursor."),
    _action("filters.clear", "x", "Clear", "Show everything again."),
    _action("filters.keep", "enter", "Keep", "Leave the list as it is narrowed now.",
            in_widget=True),
    _action("filters.close", "escape", "Back", "Narrow the list as before."),
    _action("command.run", "enter", "Do it", "Carry out the command; an order gets its card.",
            in_widget=True),
    _action("command.complete", "tab", "Complete", "Complete the word at the end.", in_widget=True),
    _action("command.older", "up", "Older", "Show the command typed before.", in_widget=True),
    _moving("command.newer", "down", "Newer", "Show the command typed after."),
    _action("command.close", "escape", "Back", "Change nothing."),
    _action("themes.keep", "enter", "Keep", "Use the theme at the cursor for this session.",
            in_widget=True),
    _action("themes.close", "escape", "Back", "Go back to the previous theme."),
    _action("columns.switch", "space x", "Show/hide", "Show or hide the column at the cursor."),
    _action("columns.next", "right tab l", "Next", "Move to the next column."),
    _action("columns.previous", "left shift+tab h", "Previous", "Move to the column before.",
            in_footer=False),
    _action("columns.next_line", "down j", "Down", "Move one line down.", in_footer=False),
    _action("columns.previous_line", "up k", "Up", "Move one line up.", in_footer=False),
    _action("columns.reset", "r", "Reset", "Show all columns, as at first."),
    _action("columns.keep", "enter", "Keep", "Keep the columns, for the next session too."),
    _action("columns.close", "escape", "Back", "Show the columns of before."),
    _action("event.rules", "i", "Rules", "Show the rules and the resolution source."),
    _action("event.comments", "c", "Comments", "Show the comments on this event."),
    _action("event.star_event", "E", "Star event",
            "Star or unstar the whole event.", in_footer=False),
    _action("event.holders", "h", "Holders", "Show the top holders of the market at the cursor.", needs=Need.MARKET),
    _action("event.desk", "W", "Desk",
            "Show ladders of the outcomes side by side; trading keys act on the one that has them."),
    _action("event.basket", "B", "Basket",
            "In an event with one winner: buy a number of Yes, or of No, of every outcome, or a little "
            "more, with one card.", danger=Danger.ASKS, needs=Need.ONE_WINNER),
    _action("event.switch_chart", "d", "Chart",
            "Show the chart of the leading outcomes below the table, or the table alone.",
            in_footer=False),
    _action("event.shorter_interval", "left_square_bracket", "Shorter",
            "Show a shorter time on the chart.", in_footer=False),
    _action("event.longer_interval", "right_square_bracket", "Longer",
            "Show a longer time on the chart.", in_footer=False),
    _action("market.flip_outcome", "o", "Flip", "Show the other outcome."),
    _action("market.show_both", "O", "Both outcomes",
            "Show the other outcome's prices and your orders in it on the same rows.",
            in_footer=False),
    _action("market.buy", "b", "Buy", "Open the ticket to buy.", needs=Need.TRADING),
    _action("market.sell", "s", "Sell", "Open the ticket to sell.", needs=Need.TRADING),
    _action("market.shorter_interval", "left_square_bracket", "Shorter",
            "Zoom in: a shorter time on the chart, or less of the depth.", in_footer=False),
    _action("market.longer_interval", "right_square_bracket", "Longer",
            "Zoom out: a longer time on the chart, or more of the depth.", in_footer=False),
    _action("market.group_prices", "g", "Group", "Change the price grouping of the ladder.", needs=Need.LEVELS),
    _action("market.go_to_price", "at", "Go to price",
            "Type a price: the cursor goes there, and its row to the middle.", in_footer=False,
            command="app.command('@')"),
    _action("market.cancel_order", "x", "Cancel",
            "Cancel your orders at the cursor; where there are none, the stop or target.", danger=Danger.TRADES, needs=Need.ORDER),
    _action("market.move_order", "e", "Move",
            "Pick up your orders, or the stop or target, at the cursor: arrows choose a price, "
            "digits another size, enter asks unless armed.",
            danger=Danger.ASKS, needs=Need.MOVABLE),
    _action("market.nudge_up", "shift+up", "Nudge up",
            "Move your orders at the cursor a tick up; keys add up, and after a pause one move goes out. "
            "Asks; armed, a price across the spread is refused.",
            danger=Danger.TRADES, in_footer=False, needs=Need.MOVABLE),
    _action("market.nudge_down", "shift+down", "Nudge down",
            "Move your orders at the cursor a tick down; keys add up, and after a pause one move goes out. "
            "Asks; armed, a price across the spread is refused.",
            danger=Danger.TRADES, in_footer=False, needs=Need.MOVABLE),
    _action("market.cancel_market", "z", "Cancel market",
            "Cancel all your orders in this market, without asking.", danger=Danger.TRADES, needs=Need.MARKET_ORDERS),
    _action("market.drop_order", "escape", "Put back",
            "Leave a picked-up order as is; else close the ticket; else go back to the ladder; "
            "there, leave this screen.",
            in_footer=False, in_palette=False),
    _action("market.flatten", "f", "Flatten",
            "Sell what is held of one outcome beyond the other now, down to a limit shown first.",
            danger=Danger.ASKS, needs=Need.SALE),
    _action("market.scaled", "L", "Scaled orders",
            "Spread a total over a range of prices.", danger=Danger.ASKS, in_footer=False, needs=Need.TRADING),
    _action("market.protect", "t", "Stop / target",
            "Place a stop, a target, or both for your position in this outcome.",
            danger=Danger.ASKS, needs=Need.POSITION),
    _action("market.split", "Y", "Split",
            "Turn cash into shares of both outcomes of this market.",
            danger=Danger.ASKS, in_footer=False, needs=Need.TRADING),
    _action("market.set_alert", "A", "Alert",
            "Alert when the best price of this outcome goes above or below a price.",
            in_footer=False),
    _action("market.filter_tape", "n", "Tape",
            "Filter the tape: trades of a size and up plus yours, only yours, or all.",
            in_footer=False),
    _action("market.toggle_arming", "v", "Arm",
            "Arm or disarm single keys, which trade without asking. Disarms by itself: after "
            "idle time, on a lost connection, on the kill switch, on a small screen.",
            danger=Danger.TRADES, needs=Need.ARMABLE),
    _armed("market.buy_here", "B", "Buy here", "limit buy at the cursor; it may rest or take."),
    _armed("market.sell_here", "S", "Sell here", "limit sell at the cursor; it may rest or take."),
    _armed("market.join_bid", "comma", "Join bid", "buy at the best bid, post-only."),
    _armed("market.join_ask", "full_stop", "Join ask", "sell at the best ask, post-only."),
    _armed("market.improve_bid", "less_than_sign", "Improve bid",
           "buy a tick above the best bid, post-only."),
    _armed("market.improve_ask", "greater_than_sign", "Improve ask",
           "sell a tick below the best ask, post-only."),
    _armed("market.hit_bid", "D", "Hit bid",
           "sell now at the best bid or better (FAK); nothing rests."),
    _armed("market.take_ask", "U", "Take ask",
           "buy now at the best ask or better (FAK); nothing rests."),
    _armed("market.flatten_now", "F", "Flatten now",
           "cancel all your orders in this market and sell what is held of one outcome beyond the other, without asking.", needs=Need.SALE),
    _armed("market.reverse", "R", "Reverse",
           "sell what is held of one outcome beyond the other, then buy as much of the other, if the "
           "sale filled whole.", needs=Need.SALE),
    _action("market.cancel_bids", "left_parenthesis", "Cancel bids",
            "Cancel your orders on the bid side, armed or not.",
            danger=Danger.TRADES, in_footer=False, needs=Need.MARKET_ORDERS),
    _action("market.cancel_asks", "right_parenthesis", "Cancel asks",
            "Cancel your orders on the ask side, armed or not.",
            danger=Danger.TRADES, in_footer=False, needs=Need.MARKET_ORDERS),
    *(
        _action(f"market.preset_{number}", f"{number}", f"Size {number}",
                f"Set the one-key size to preset {number} of `presets`.", in_footer=False,
                in_palette=False)
        for number in range(1, 6)
    ),
    _action("market.override", "exclamation_mark", "Override",
            "Armed: let the next single key, within two seconds, trade from a book that may be "
            "wrong; journaled.", danger=Danger.TRADES, in_footer=False, needs=Need.TRADING),
    _action("market.switch_chart", "d", "Depth",
            "Switch between depth and price chart; where both are shown, choose which one the "
            "keys act on.",
            in_footer=False),
    _action("market.switch_candles", "c", "Candles",
            "Draw the price chart with candles, hollow where it rose, or as a line.", in_footer=False),
    _action("market.toggle_sides", "W", "Side by side",
            "Show or hide the ladders of the next outcomes beside this one, or the desk where it is narrow. Enter or a click "
            "there makes that outcome the main one, with the cursor at that price: trading "
            "keys act on the main ladder only.", in_footer=False),
    _action("market.go_to_sides", "f4", "To the side ladders",
            "Focus the side ladders, one after another.", in_footer=False),
    _action("market.go_to_ladder", "f5", "To the ladder", "Focus the ladder.",
            in_footer=False),
    _action("market.go_to_orders", "f6", "To own orders",
            "Focus your working orders: arrows choose one to cancel or move, enter shows it.",
            in_footer=False),
    _action("market.go_to_tape", "f7", "To the trades",
            "Focus the tape: arrows show older trades.", in_footer=False),
    _action("market.go_to_chart", "f8", "To the chart", "Focus the chart.",
            in_footer=False),
    _action("market.go_to_ticket", "f9", "To the ticket", "Focus the open ticket.",
            in_footer=False),
    _action("market.next_sibling", "right", "Next outcome",
            "Show the next outcome of the event instead of this one.", in_footer=False),
    _action("market.previous_sibling", "left", "Previous outcome",
            "Show the outcome of the event before this one.", in_footer=False),
    _action("market.next_window", "ctrl+right", "Next window",
            "Show the window of the series that ends next; where an event is one market, so does the "
            "arrow alone.", in_footer=False),
    _action("market.previous_window", "ctrl+left", "Previous window",
            "Show the window of the series that was shown or ended before.", in_footer=False),
    _action("market.rules", "i", "Rules", "Show the rules and the resolution source.",
            in_footer=False),
    _action("ladder.trade_here", "enter", "Ticket here",
            "Open the ticket at the cursor: sells to a bid, buys from an ask, joins on an empty "
            "row. Without a cursor: go to the best bid.", in_palette=False, in_widget=True, needs=Need.TRADING),
    _action("ladder.recentre", "space", "Centre", "Bring the spread back to the middle.",
            in_widget=True, needs=Need.LEVELS),
    _action("ladder.hold", "h", "Hold",
            "Hold the price axis, or follow the spread again.", in_footer=False,
            in_widget=True),
    _moving("ladder.move_up", "up k", "Up", "Move the cursor one price up."),
    _moving("ladder.move_down", "down j", "Down", "Move the cursor one price down."),
    _moving("ladder.page_up", "pageup", "Page up", "Move the cursor one screen up."),
    _moving("ladder.page_down", "pagedown", "Page down", "Move the cursor one screen down."),
    _moving("ladder.move_to_top", "home", "Highest", "Move the cursor to the highest price."),
    _moving("ladder.move_to_end", "end", "Lowest", "Move the cursor to the lowest price."),
    _action("ticket.review", "enter", "Review", "Check the order before it is sent."),
    _action("ticket.close", "escape", "Close", "Close the ticket without sending."),
    _action("ticket.next_field", "tab", "Next field",
            "Move to the next field of the ticket, after the last to the first.", in_footer=False),
    _action("ticket.previous_field", "shift+tab", "Previous field",
            "Move to the previous field of the ticket, before the first to the last.",
            in_footer=False),
    _action("ticket.next_kind", "ctrl+g", "Kind", "Choose between a limit and a market order."),
    _action("ticket.next_unit", "ctrl+y", "Unit", "Size in shares, dollars or percent."),
    _action("ticket.next_time_in_force", "ctrl+t", "TIF",
            "Choose the time in force (TIF): how long the order may rest."),
    _action("ticket.switch_side", "ctrl+r", "Side", "Switch between buying and selling."),
    _action("ticket.toggle_post_only", "ctrl+o", "Post only",
            "Reject the order if it would cross."),
    _action("ticket.use_suggestion", "ctrl+n", "Suggestion",
            "Use the nearest valid value that a problem names."),
    _action("ticket.switch_form", "f2", "One line",
            "On a small screen: show the whole ticket beside the ladder, or one line below it.",
            in_footer=False),
    _moving("ticket.step_up", "up", "Step up", "Raise the price by a tick, the size by a step."),
    _moving("ticket.step_down", "down", "Step down",
            "Lower the price by a tick, the size by a step."),
    _moving("ticket.next_choice", "space right", "Next choice",
            "Choose the next of what the field offers."),
    _moving("ticket.previous_choice", "left", "Previous choice",
            "Choose the one before of what the field offers."),
    _action("confirm.accept", "enter", "Send", "Do what the card says.", danger=Danger.TRADES),
    _moving("confirm.details", "question_mark", "Details",
            "Show the addresses and the id that are signed with an order."),
    _action("confirm.decline", "escape", "Back", "Go back and change nothing."),
    _action("portfolio.next_tab", "right_square_bracket tab", "Next tab", "Show the next tab.",
            in_palette=False),
    _action("portfolio.previous_tab", "left_square_bracket shift+tab", "Previous tab",
            "Show the previous tab.", in_footer=False, in_palette=False),
    _action("portfolio.cancel_order", "x", "Cancel", "Cancel the order at the cursor.",
            danger=Danger.TRADES, needs=Need.ORDER),
    _action("portfolio.move_order", "e", "Move",
            "Move the order at the cursor to another price.", danger=Danger.ASKS, needs=Need.MOVABLE),
    _action("portfolio.mark_order", "space", "Mark", "Mark the order, the position or the resolved market at the cursor, or unmark it.", needs=Need.MARKABLE),
    _action("portfolio.cancel_marked", "z", "Cancel marked", "Cancel the marked orders.",
            danger=Danger.ASKS, needs=Need.MARKED_ORDERS),
    _action("portfolio.flatten_marked", "F", "Flatten all",
            "Sell the net positions of the marked rows, or of all where none is marked; one card names each. "
            "Pairs stay.",
            danger=Danger.ASKS, needs=Need.POSITIONS),
    _action("portfolio.redeem", "R", "Redeem",
            "Redeem the resolved market at the cursor, or the marked ones, else all that can be: shares "
            "become what they pay.", danger=Danger.ASKS, needs=Need.PAYOUT),
    _action("portfolio.redeem_all", "dollar_sign", "Redeem all",
            "Redeem every resolved market that is held.", danger=Danger.ASKS, in_footer=False),
    _action("portfolio.merge", "M", "Merge",
            "Turn shares of both outcomes of the market at the cursor into cash.",
            danger=Danger.ASKS, needs=Need.BOTH_OUTCOMES),
    _action("portfolio.split", "S", "Split",
            "Turn cash into shares of both outcomes of the market at the cursor.",
            danger=Danger.ASKS, in_footer=False),
    _action("portfolio.convert", "V", "Convert",
            "In an event with one winner: turn No shares of some outcomes into Yes of the others "
            "and cash.", danger=Danger.ASKS, in_footer=False),
    _action("account.take_step", "d", "Do it",
            "Take the step at the cursor. A card shows what is signed before it is.",
            danger=Danger.ASKS, needs=Need.STEP),
    _action("account.take_next", "n", "Do next", "Take the next step that is missing.",
            danger=Danger.ASKS, needs=Need.NEXT_STEP),
    _action("account.paste_relayer_key", "I", "Paste key",
            "Keep a relayer key that you have. It is asked for outside the screen and not shown.",
            in_footer=False),
    _action("account.revoke", "x", "Revoke", "Take back the approval or the key at the cursor.",
            danger=Danger.ASKS, needs=Need.GRANT),
    _action("account.approve_exactly", "e", "Exact amount",
            "Approve up to an amount instead of without a limit.", danger=Danger.ASKS,
            in_footer=False),
    _action("account.send", "s", "Send", "Send cash (pUSD) to an address.", danger=Danger.ASKS, needs=Need.WALLET),
    _action("account.receive", "v", "Receive",
            "Show your wallet's address, in full and as a QR code."),
    _action("account.name_address", "b", "Address book",
            "Name an address for sending, or forget one.", in_footer=False),
    _action("transaction.switch_following", "f", "Follow / stop",
            "Ask no more how this transaction ended, or ask again; it is never submitted again."),
    _action("watchlist.remove_alert", "x", "Remove alert", "Remove the price alert at the cursor.", needs=Need.ALERT),
    _action("row.buy", "b", "Buy", "Open the market of the row with the ticket to buy.", needs=Need.TRADING),
    _action("row.sell", "s", "Sell",
            "Open the market of the row with the ticket to sell: the outcome that is held, else the first.", needs=Need.TRADING),
    _action("row.flatten", "f", "Flatten",
            "Sell the net position of the row now, down to a limit shown first; of an event in a list, that of "
            "each of its markets. Pairs stay.",
            danger=Danger.ASKS, needs=Need.SALE),
    _action("row.protect", "t", "Stop / target",
            "Place a stop, a target, or both for the position of the row.",
            danger=Danger.ASKS, needs=Need.POSITION),
    _action("row.set_alert", "A", "Alert",
            "Alert when the best price of the row goes above or below a price.", needs=Need.MARKET),
    _action("row.columns", "o", "Columns",
            "Choose the columns of this list; the choice is remembered.", in_footer=False),
    _action("conditionals.switch", "space", "Resume / pause",
            "Resume or pause the stop at the cursor.", danger=Danger.TRADES, needs=Need.STOP),
    _action("conditionals.cancel", "x", "Cancel", "Cancel the stop at the cursor.",
            danger=Danger.TRADES, needs=Need.STOP),
    _action("log.next_kind", "f", "Kind", "Show another kind of entry."),
    _action("help.filter", "slash", "Filter", "Show only the keys that what you type is about."),
    _action("help.signs", "s", "Signs", "Explain the signs on the ladder."),
    _action("help.glossary", "g", "Glossary", "Explain trading terms."),
    _action("help.close", "question_mark", "Close", "Close the help."),
)  # fmt: skip
