from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.clients.streams.channels import assign_tokens, make_groups
from pmtui.domain.ids import TokenId


def tokens(names: Iterable[object]) -> frozenset[TokenId]:
    return frozenset(TokenId(str(name)) for name in names)


def test_who_is_not_named_stands_alone_and_who_is_not_wanted_is_left_out() -> None:
    groups = make_groups(tokens("abcd"), [tokens("ab"), tokens("ba"), tokens("cx"), tokens("bd")])
    assert groups == {tokens("ab"), tokens("c"), tokens("d")}


@pytest.mark.parametrize(
    ("held", "together", "wanted", "expected"),
    [
        ([], ["ab"], "abcd", ["abc", "d"]),
        ([], ["ab", "cd"], "abcde", ["abe", "cd"]),
        (["ab", "cd"], ["ab", "cd"], "abcd", ["ab", "cd"]),
        (["a", "cd"], ["ab", "cd"], "abcd", ["ab", "cd"]),
        (["cde", "a"], ["ab", "cd"], "abcde", ["cde", "ab"]),
        (["acd"], ["ab"], "abcd", ["cd", "ab"]),
        (["acd", "b"], ["ab"], "abcd", ["cd", "ab"]),
        (["ab", "cd"], [], "cd", ["", "cd"]),
    ],
)
def test_markets_stay_or_are_gathered(
    held: list[str], together: list[str], wanted: str, expected: list[str]
) -> None:
    groups = make_groups(tokens(wanted), map(tokens, together))
    found = assign_tokens([tokens(names) & tokens(wanted) for names in held], groups, limit=3)
    assert found == [tokens(names) for names in expected]


def test_a_group_beyond_the_limit_is_divided() -> None:
    groups = make_groups(tokens("abc"), [tokens("abc")])
    assert assign_tokens([], groups, limit=2) == [tokens("ab"), tokens("c")]


NUMBERS = st.frozensets(st.integers(0, 15), max_size=16)


@given(
    held=st.lists(NUMBERS, max_size=4),
    pairs=st.sets(st.integers(0, 7)),
    wanted=NUMBERS,
    limit=st.integers(2, 5),
)
def test_everything_wanted_is_on_one_socket_and_pairs_on_the_same(
    held: list[frozenset[int]], pairs: set[int], wanted: frozenset[int], limit: int
) -> None:
    seen: set[int] = set()
    sockets: list[frozenset[TokenId]] = []
    for numbers in held:
        sockets.append(tokens(sorted((numbers & wanted) - seen)[:limit]))
        seen |= numbers
    groups = make_groups(tokens(wanted), [tokens((2 * pair, 2 * pair + 1)) for pair in pairs])
    shares = assign_tokens(sockets, groups, limit=limit)
    assert sorted(token for share in shares for token in share) == sorted(tokens(wanted))
    assert all(len(share) <= limit for share in shares)
    assert all(any(group <= share for share in shares) for group in groups)
    assert all(shares[len(sockets) :]), "no socket is opened for nothing"
    again = assign_tokens(shares, groups, limit=limit)
    assert again == shares, "who has a place keeps it"
