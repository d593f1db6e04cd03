"""The fixed price axis of a ladder: which rows there are, and which of them are in view. Pure."""

from dataclasses import dataclass

from pmtui.domain.money import ONE, Micros

_MULTIPLES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
_WIDEST_GROUP = 100_000


@dataclass(frozen=True, slots=True)
class Axis:
    """Every row of a ladder, counted from below; row prices are valid order prices."""

    tick: Micros
    group: Micros
    """Distance of the rows: the tick or a multiple of it that divides a dollar."""

    @property
    def first(self) -> int:
        """Index of the lowest row."""
        return 1 if self.group == self.tick else 0

    @property
    def last(self) -> int:
        """Index of the highest row."""
        return ONE // self.group - (1 if self.group == self.tick else 0)

    def price_at(self, index: int) -> Micros:
        """Return the price of a row; grouped ends are the first and the last tick."""
        return Micros(min(max(index * self.group, self.tick), ONE - self.tick))

    def index_below(self, price: Micros) -> int:
        """Return the row a bid at this price belongs to."""
        return self._within(price // self.group)

    def index_above(self, price: Micros) -> int:
        """Return the row an ask at this price belongs to."""
        return self._within(-(-price // self.group))

    def nearest(self, price: Micros) -> int:
        """Return the row closest to a price; halfway goes up."""
        return self._within((2 * price + self.group) // (2 * self.group))

    def stepped(self, price: Micros, steps: int) -> Micros:
        """Return the row price so many rows above; a price between rows meets the next one."""
        index = self.index_below(price) if steps > 0 else self.index_above(price)
        return self.price_at(self._within(index + steps))

    def _within(self, index: int) -> int:
        return min(max(index, self.first), self.last)


def groupings(tick: Micros) -> tuple[Micros, ...]:
    """Return the row distances one can choose from, finest first."""
    sizes = (tick * times for times in _MULTIPLES)
    return tuple(
        Micros(size) for size in sizes if size == tick or (size <= _WIDEST_GROUP and not ONE % size)
    )


def follow(
    top: int, middle: int, height: int, touch: tuple[int | None, int | None] = (None, None)
) -> int:
    """Return the top row that keeps the middle in the inner half, moved only when it must be.

    Best bid and best ask, the rows of `touch`, stay in view as long as there is room for both.
    """
    slack, bottom = height // 4, top - height + 1
    bid, ask = touch
    has_room = bid is None or ask is None or ask - bid < height
    is_seen = all(row is None or bottom <= row <= top for row in touch)
    if bottom + slack <= middle <= top - slack and (is_seen or not has_room):
        return top
    return centred(middle, height)


def centred(middle: int, height: int) -> int:
    """Return the top row that puts a row in the middle."""
    return middle + height // 2


def reveal(top: int, index: int, height: int) -> int:
    """Return the top row closest to the present one that shows a row."""
    return min(max(top, index), index + height - 1)


def bounded(axis: Axis, top: int, height: int) -> int:
    """Return the top row that leaves no blank rows while there are others to show."""
    return min(axis.last, max(top, axis.first + height - 1))
