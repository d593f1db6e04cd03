"""Which tokens the stream owes a whole book: it sends one for each as soon as it hears them (again).

One that does not come in time is asked for by REST, again and again at growing distance, as a token
may rightly be silent for hours: without its first book nothing says that it is heard at all.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pmtui.domain.backoff import Backoff
from pmtui.domain.ids import TokenId

DEADLINE_S = 3.0
LONGEST_PAUSE_S = 30.0


@dataclass(slots=True)
class _Debt:
    due_s: float
    backoff: Backoff


class FirstBooks:
    """The books that have not come yet."""

    def __init__(self) -> None:
        self._debts: dict[TokenId, _Debt] = {}
        self._late: set[TokenId] = set()

    @property
    def are_owed(self) -> bool:
        """Whether any book has not come yet."""
        return bool(self._debts)

    def expect(self, token_ids: Iterable[TokenId], *, now_s: float) -> None:
        """Expect the books of some tokens from now on."""
        for token_id in token_ids:
            backoff = Backoff(first_s=DEADLINE_S, longest_s=LONGEST_PAUSE_S)
            self._debts[token_id] = _Debt(now_s + backoff.next_s(), backoff)
            self._late.discard(token_id)

    def settle(self, token_id: TokenId) -> None:
        """Expect nothing more of a token: its book has come, or there is none, or no line."""
        if self._debts:
            self._debts.pop(token_id, None)
            self._late.discard(token_id)

    def is_late(self, token_id: TokenId) -> bool:
        """Whether a token's book is past its time."""
        return token_id in self._late

    def due(self, now_s: float) -> tuple[TokenId, ...]:
        """Return whose books are to be asked for now; the next time is further away."""
        found = tuple(token for token, debt in self._debts.items() if debt.due_s <= now_s)
        for token_id in found:
            debt = self._debts[token_id]
            debt.due_s = now_s + debt.backoff.next_s()
            self._late.add(token_id)
        return found
