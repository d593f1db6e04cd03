"""Which token is heard on which socket: few sockets, few moves, and a market's tokens together.

The host tells a change of a market once on each socket that hears one of its tokens, so a market
on two sockets costs twice the reading, and its two books can no longer be held as one.
"""

from collections.abc import Iterable, Sequence
from typing import NewType

from pmtui.domain.ids import TokenId

Group = NewType("Group", frozenset[TokenId])
"""Tokens that stay together."""


def make_groups(
    tokens: frozenset[TokenId], together: Iterable[Iterable[TokenId]]
) -> frozenset[Group]:
    """Return groups of which each token has exactly one.

    Args:
        tokens: those wanted; others that `together` names are left out.
        together: tokens that belong together; the rest stand for themselves.
    """
    left = set(tokens)
    groups: set[Group] = set()
    for named in together:
        group = Group(frozenset(left.intersection(named)))
        if len(group) > 1:
            left -= group
            groups.add(group)
    return frozenset(groups) | {Group(frozenset((token,))) for token in left}


def share_out(
    held: Sequence[frozenset[TokenId]], groups: Iterable[Group], *, limit: int
) -> list[frozenset[TokenId]]:
    """Return what each socket should hear: first the sockets there are, then further ones.

    A group that is whole on one socket stays there. One that is not, is gathered where it has
    members already, or moves where there is room.

    Args:
        held: what each socket hears now.
        groups: from `make_groups`.
        limit: tokens on one socket; larger groups are divided.
    """
    sockets: list[set[TokenId]] = [set() for _ in held]
    pieces = sorted((piece for group in groups for piece in _pieces(group, limit)), key=min)
    scattered: list[frozenset[TokenId]] = []
    for piece in pieces:
        home = next((index for index, tokens in enumerate(held) if piece <= tokens), None)
        if home is None:
            scattered.append(piece)
        else:
            sockets[home] |= piece
    # Those with a socket already come before those without.
    scattered.sort(key=lambda piece: not any(piece & tokens for tokens in held))
    for piece in scattered:
        best = sorted(range(len(held)), key=lambda index: -len(piece & held[index]))
        order = [*best, *range(len(held), len(sockets))]
        fitting = (index for index in order if len(sockets[index]) + len(piece) <= limit)
        home = next(fitting, None)
        if home is None:
            sockets.append(set(piece))
        else:
            sockets[home] |= piece
    return [frozenset(tokens) for tokens in sockets]


def _pieces(group: Group, limit: int) -> list[frozenset[TokenId]]:
    ordered = sorted(group)
    return [frozenset(ordered[start : start + limit]) for start in range(0, len(ordered), limit)]
