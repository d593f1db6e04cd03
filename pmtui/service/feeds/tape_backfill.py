"""What traded before a market was first watched, from the public history, once a market.

A look back is a courtesy: where it fails the tape begins empty as it always did, and a line in the
log says why.
"""

import asyncio
from collections.abc import Callable, Iterable

from pmtui.domain.failure import Failure
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.order import TradePrint
from pmtui.service.hosts import Hosts
from pmtui.service.kernel import Kernel
from pmtui.service.topics import TapeTopic, Topic
from pmtui.service.views import Level


class TapeBackfill:
    """Asks for the newest trades of every market whose tape somebody looks at."""

    def __init__(
        self,
        kernel: Kernel,
        hosts: Callable[[], "asyncio.Future[Hosts]"],
        *,
        market_of: Callable[[TokenId], ConditionId | None],
        want: Callable[[Iterable[TokenId]], tuple[TokenId, ...]],
        add: Callable[[tuple[TradePrint, ...], tuple[TokenId, ...]], None],
        pair_of: Callable[[TokenId], tuple[TokenId, ...]],
    ) -> None:
        """Begin with no market.

        Args:
            kernel: time, hub, log.
            hosts: where the history is.
            market_of: the market of a token, as far as it is known.
            want: says which of some tokens have tapes without a past, each tape once.
            add: takes trades of a market, and the tokens on whose tapes they belong.
            pair_of: the tokens of a token's market.
        """
        self._kernel = kernel
        self._hosts = hosts
        self._market_of = market_of
        self._want = want
        self._add = add
        self._pair_of = pair_of

    def on_demand(self, topic: Topic) -> None:
        """Follow who watches what."""
        if isinstance(topic, TapeTopic):
            self.look()

    def look(self) -> None:
        """Ask for what somebody watches and nobody has asked for yet."""
        for topic in self._kernel.hub.watched():
            if isinstance(topic, TapeTopic):
                self._ask(topic.token_id)

    def _ask(self, token_id: TokenId) -> None:
        condition_id = self._market_of(token_id)
        if condition_id is None:
            return
        wanted = self._want(self._pair_of(token_id))
        if wanted:
            self._kernel.start("past trades", lambda: self._fetch(condition_id, wanted))

    async def _fetch(self, condition_id: ConditionId, wanted: tuple[TokenId, ...]) -> None:
        hosts = await self._hosts()
        answer = self._kernel.check(Source.ANALYTICS, await hosts.analytics.trades(condition_id))
        if isinstance(answer, Failure):
            text = f"what traded before is not shown: {answer}"
            self._kernel.log.add(Level.INFO, "analytics", text)
            return
        self._add(answer, wanted)
