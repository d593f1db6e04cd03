"""Trades that were not heard, from the public history: of before, and of while the stream broke.

A look back is a courtesy: where it fails the tape shows what it has, says where trades may be
missing, and a line in the log says why. The history runs late by some seconds, so a hole is looked
into more than once.
"""

import asyncio
from collections.abc import Callable

from pmtui.domain.books.tape_gaps import MARGIN, PastTrades, has_caught_up
from pmtui.domain.failure import Failure
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.service.books.tapes import Tapes
from pmtui.service.kernel import Kernel
from pmtui.service.ports import Hosts
from pmtui.service.topics import TapeTopic, Topic
from pmtui.service.views import Level

PAUSES_S = (1.0, 4.0, 15.0, 40.0)
"""Before each look into a hole; the public history is behind by up to a minute."""
_NOTHING = PastTrades((), is_whole=False)


class TapeBackfill:
    """Asks for the missing trades of every market whose tape somebody looks at."""

    def __init__(
        self,
        kernel: Kernel,
        hosts: Callable[[], "asyncio.Future[Hosts]"],
        tapes: Tapes,
        *,
        market_of: Callable[[TokenId], ConditionId | None],
        pair_of: Callable[[TokenId], tuple[TokenId, ...]],
    ) -> None:
        """Begin with no market.

        Args:
            kernel: time, hub, log.
            hosts: where the history is.
            tapes: what is missing, and where it belongs.
            market_of: the market of a token, as far as it is known.
            pair_of: the tokens of a token's market.
        """
        self._kernel = kernel
        self._hosts = hosts
        self._tapes = tapes
        self._market_of = market_of
        self._pair_of = pair_of
        tapes.on_gap(self.look)

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
        pair = self._pair_of(token_id)
        wanted = self._tapes.want_past(pair)
        if wanted:
            self._kernel.start("past trades", lambda: self._fetch(condition_id, wanted))
        if self._tapes.gaps(pair):
            self._kernel.start_unless_running(
                ("tape gap", condition_id), "missed trades", lambda: self._mend(condition_id, pair)
            )

    async def _fetch(self, condition_id: ConditionId, wanted: tuple[TokenId, ...]) -> None:
        hosts = await self._hosts()
        answer = self._kernel.check(Source.ANALYTICS, await hosts.analytics.trades(condition_id))
        if isinstance(answer, Failure):
            text = f"what traded before is not shown: {answer}"
            self._kernel.log.add(Level.INFO, "analytics", text)
            return
        self._tapes.add_past(answer, wanted)

    async def _mend(self, condition_id: ConditionId, pair: tuple[TokenId, ...]) -> None:
        """Look into the holes of a market until they are filled, or the history is surely told."""
        hosts = await self._hosts()
        tries = 0
        known = self._tapes.gaps(pair)
        while known:
            await self._kernel.clock.sleep(PAUSES_S[tries])
            before, known = known, self._tapes.gaps(pair)
            if known != before:
                # Broken again meanwhile, or heard again of the other outcome too.
                tries = min(tries, 1)
                continue
            since = min(gap.after for gap in known.values()) - MARGIN
            answer = self._kernel.check(
                Source.ANALYTICS, await hosts.analytics.trades_since(condition_id, since)
            )
            tries += 1
            if self._tapes.gaps(pair) != known:
                tries = 1
                continue
            past = _NOTHING if isinstance(answer, Failure) else answer
            self._tapes.fill(past, known)
            is_told = all(has_caught_up(gap, past) for gap in known.values())
            if is_told or tries == len(PAUSES_S):
                why = str(answer) if isinstance(answer, Failure) else ""
                self._settle(past, tuple(known), why)
                return

    def _settle(self, past: PastTrades, token_ids: tuple[TokenId, ...], why: str) -> None:
        left = self._tapes.settle(past, token_ids)
        if left:
            why = why or "the public history does not reach back to them"
            text = f"trades that the stream missed are not shown: {why}"
            self._kernel.log.add(Level.WARNING, "analytics", text)
