"""A port that answers from what it was given, and counts what it was asked."""

from collections.abc import Mapping
from datetime import UTC, datetime

from pmtui.agent.port import Answered, Refusal, Refused
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.reads.answers import Book, BookLevel, LastTradePrice, Reachable, Word
from pmtui.reads.read import Read, Values

NOW = datetime(2026, 11, 20, 12, 0, 30, tzinfo=UTC)
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
TOKEN = "71"
BOOK = Book(
    TokenId(TOKEN),
    ConditionId("0xab"),
    AT,
    Word("verified"),
    Micros(10_000),
    Micros(5_000_000),
    neg_risk=False,
    last_trade_price=None,
    hash=Word("aa"),
    bids=(BookLevel(Micros(400_000), Micros(10_000_000)),),
    asks=tuple(BookLevel(Micros(420_000 + n), Micros(7_000_000)) for n in range(80)),
)
ANSWERS: Mapping[str, tuple[object, ...]] = {
    "book": (BOOK,),
    "last-trade": (LastTradePrice(TokenId(TOKEN), Micros(410_000), Side.SELL),),
    "trading-check": (Reachable(is_reachable=True),),
    "metadata-check": (Reachable(is_reachable=True),),
    "analytics-check": (Reachable(is_reachable=True),),
}


class FakePort:
    """Fulfils the port; what it has no answer to is not found."""

    def __init__(self, answers: Mapping[str, tuple[object, ...] | Refused] = ANSWERS) -> None:
        self._answers = answers
        self.asked: list[str] = []
        self.limits: list[int | None] = []

    def now(self) -> datetime:
        return NOW

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        self.asked.append(read.name)
        self.limits.append(limit)
        answer = self._answers.get(read.name)
        if isinstance(answer, Refused):
            return answer
        if answer is None:
            return Refused(Refusal.UNKNOWN, "there is no such thing")
        return Answered(answer[:limit], NOW, read.host.value, limit is None or len(answer) <= limit)
