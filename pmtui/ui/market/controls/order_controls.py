"""What trades on the ladder that has the keys: the same on the market screen and on the desk."""

from collections.abc import Awaitable, Callable
from functools import partial

from pmtui.domain.markets.market import Side
from pmtui.domain.orders.single_keys import SingleKey
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.market.controls.commands import MarketForms, TypedCommands
from pmtui.ui.market.controls.moving import Moving
from pmtui.ui.market.controls.own_orders import OrderList, OwnOrderKeys
from pmtui.ui.market.controls.single_keys import SingleKeys
from pmtui.ui.market.controls.trading import Trading
from pmtui.ui.market.controls.workspace import Workspace
from pmtui.ui.market.order_news import OrderNews
from pmtui.ui.wallet.wallet_flow import WalletSteps

Action = Callable[[], Awaitable[None] | None]
"""The handler of a key; awaited if it waits for the service."""


class OrderControls:
    """The controls of orders, and the keys and levels that reach them."""

    def __init__(
        self, workspace: Workspace, wallet: WalletSteps, listed: OrderList, *,
        flip: Callable[[], None],
    ) -> None:  # fmt: skip
        """Act on the market of a workspace.

        Args:
            workspace: the market, its ladder and its ticket.
            wallet: runs wallet steps over the screen.
            listed: the list of own orders.
            flip: shows the other outcome.
        """
        self._line = workspace.line
        self.news = OrderNews(workspace.surface, workspace.line)
        self.own = OwnOrderKeys(workspace, self.news, listed)
        self.moving = Moving(workspace, self.own, self.news)
        self.trading = Trading(workspace, self.news)
        self.forms = MarketForms(workspace, wallet)
        self.single_keys = SingleKeys(workspace, self.news, is_moving=lambda: self.moving.is_moving)
        self.commands = TypedCommands(
            workspace, self.trading, self.news,
            forms=self.forms, flip=flip, cancel_side=self.single_keys.cancel_side,
        )  # fmt: skip

    def actions(self) -> dict[str, Action]:
        """Return the handlers of the shared actions, by their names in the market context."""
        keys = self.single_keys
        return {
            **{key.name.lower(): partial(keys.press, key) for key in SingleKey},
            **{f"preset_{n}": partial(keys.choose_preset, n) for n in range(1, 6)},
            "toggle_arming": keys.toggle_arming,
            "override": keys.override,
            "flatten_now": keys.flatten,
            "reverse": keys.reverse,
            "cancel_bids": partial(keys.cancel_side, Side.BUY),
            "cancel_asks": partial(keys.cancel_side, Side.SELL),
            "buy": partial(self.trading.open_at_cursor, Side.BUY),
            "sell": partial(self.trading.open_at_cursor, Side.SELL),
            "flatten": self.trading.flatten,
            "cancel_market": self.trading.cancel_market,
            "cancel_order": self.own.cancel,
            "move_order": self.moving.move,
            "protect": self.forms.protect,
            "scaled": self.forms.scaled,
            "set_alert": self.forms.set_alert,
            "rules": self.forms.rules,
        }

    def follow_cursor(self) -> None:
        """Choose the orders at the cursor anew, and move what is being moved with it."""
        self.own.cursor_moved()
        if self.moving.is_moving:
            self.moving.show_ghost()

    async def pick_level(self, picked: LadderPane.LevelPicked) -> None:
        """Move the order in hand to a level, or open the ticket there."""
        if self._line.ignores_key():
            return
        if self.moving.is_moving:
            await self.moving.move_to(picked.price)
        elif picked.doubt:
            self._line.show(picked.doubt)
        else:
            self.trading.open_ticket(picked.side, picked.price)
