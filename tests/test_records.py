"""Dataclasses with shared methods do what the standard library's do, and let more go."""

import copy
import dataclasses
import gc
import pickle
import sys
import weakref
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from pmtui.records import dataclass

Decorator = Callable[..., Callable[[type], type]]
MAKERS: dict[str, Decorator] = {"ours": dataclass, "the library's": dataclasses.dataclass}
OPTIONS = st.fixed_dictionaries(
    {
        "frozen": st.booleans(), "slots": st.booleans(), "kw_only": st.booleans(), "repr": st.booleans(),
        "eq": st.booleans(),
    }
)  # fmt: skip
VALUES: st.SearchStrategy[Any] = st.none() | st.integers(0, 2) | st.text(max_size=2)
if sys.version_info < (3, 13):
    # Since then the library compares field by field, and no number that is none equals itself.
    VALUES |= st.just(float("nan"))


@dataclass(frozen=True, slots=True)
class Kept:
    """Where pickle finds it."""

    first: int
    second: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing to compare."""


@dataclass(slots=True)
class Open:
    """May be changed, and so has no hash."""

    first: int = 0


def two_alike(**options: bool) -> list[Callable[..., Any]]:
    """Return the same class as made here and by the library."""
    made: list[Callable[..., Any]] = []
    for maker in MAKERS.values():

        class Row:
            first: Any
            second: Any = None
            hidden: Any = field(default=7, repr=False)
            aside: Any = field(default=0, compare=False)

        made.append(maker(**options)(Row))
    return made


@given(OPTIONS, st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES), min_size=2, max_size=4))
def test_it_does_as_the_library(
    options: dict[str, bool], rows: list[tuple[Any, Any, Any, Any]]
) -> None:
    names = ("first", "second", "hidden", "aside")
    ours, theirs = (
        [made(**dict(zip(names, row, strict=True))) for row in rows]
        for made in two_alike(**options)
    )
    if options["repr"]:
        assert list(map(repr, ours)) == list(map(repr, theirs))
    else:
        # A secret is in no picture of the whole.
        assert all(repr(one) == object.__repr__(one) for one in (*ours, *theirs))
    assert [a == b for a in ours for b in ours] == [a == b for a in theirs for b in theirs]
    assert [a == b for a in ours for b in theirs] == [False] * len(rows) ** 2
    if theirs[0].__class__.__hash__ is None:
        assert ours[0].__class__.__hash__ is None
    else:
        same = [(a, b) for a in ours for b in ours if a == b]
        assert all(hash(a) == hash(b) for a, b in same)
        assert len(set(ours)) == len(set(theirs))


@pytest.mark.parametrize("maker", MAKERS)
def test_what_a_class_says_itself_stays(maker: str) -> None:
    class Own:
        first: int

        @override
        def __repr__(self) -> str:
            return "own"

        @override
        def __eq__(self, other: object) -> bool:
            return True

        @override
        def __hash__(self) -> int:
            return 3

    made: Any = MAKERS[maker](frozen=True, slots=True)(Own)
    one, other = made(1), made(2)
    assert (repr(one), one == other, hash(one)) == ("own", True, 3)


def test_frozen_is_frozen() -> None:
    kept = Kept(1)
    with pytest.raises(FrozenInstanceError, match="first"):
        kept.first = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="first"):
        del kept.first
    with pytest.raises(FrozenInstanceError, match="other"):
        kept.other = 2  # type: ignore[attr-defined]
    assert replace(kept, first=2) == Kept(2)
    assert (
        Kept(1, ("a",)) == copy.copy(Kept(1, ("a",))) == pickle.loads(pickle.dumps(Kept(1, ("a",))))
    )
    assert {Kept(1), Kept(1), Kept(2)} == {Kept(1), Kept(2)}
    assert Empty() == Empty()
    assert len({Empty(), Empty(), kept}) == 2
    match kept:
        case Kept(first, second):
            assert (first, second) == (1, ())


def test_open_is_open() -> None:
    changed = Open()
    changed.first = 5
    assert changed == Open(5) != Open(6)
    with pytest.raises(TypeError, match="unhashable"):
        hash(changed)


def test_a_value_within_itself_is_shown() -> None:
    around: list[object] = []
    kept = Kept(1, ("a",))
    within = Open(around)  # type: ignore[arg-type]
    around.append(within)
    assert repr(within) == "Open(first=[...])"
    assert repr(kept) == "Kept(first=1, second=('a',))"


def test_the_class_without_slots_is_let_go() -> None:
    class Row:
        first: int

    before = weakref.ref(Row)
    made: Any = dataclass(frozen=True, slots=True)(Row)
    del Row
    gc.collect()
    assert before() is None
    assert made(1) == made(1)
