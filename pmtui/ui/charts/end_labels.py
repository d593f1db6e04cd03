"""Where the names of several curves stand beside a chart: at their ends, each in a row of its own."""

from collections.abc import Mapping


def place_labels(wanted: Mapping[int, int], rows: int) -> dict[int, int]:
    """Return a row for each label as near to the wanted one as there is room, in the same order.

    Args:
        wanted: the row at which each label's curve ends, from the top.
        rows: how many rows there are; labels beyond them are left out, the last first.
    """
    order = sorted(sorted(wanted)[:rows], key=lambda label: (wanted[label], label))
    placed: list[int] = []
    for label in order:
        least = placed[-1] + 1 if placed else 0
        placed.append(max(wanted[label], least))
    for at in range(len(placed) - 1, -1, -1):
        most = placed[at + 1] - 1 if at + 1 < len(placed) else rows - 1
        placed[at] = min(placed[at], most)
    return dict(zip(order, placed, strict=True))
