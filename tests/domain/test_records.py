"""Cheap dataclasses and the standard library's, side by side: nobody can tell which is which."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain import records
from pmtui.domain.market import Market, Outcome
from pmtui.domain.records import is_cheap

Make = Callable[..., Callable[[type], Any]]


class Kind(Enum):
    ONE = 1


def one(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Record:
        """One field."""

        only: object

    return Record


def none(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Record:
        """No field."""

    return Record


def several(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Record:
        """Defaults of every kind, and a property."""

        first: object
        second: int = 3
        third: list[int] = dataclasses.field(default_factory=list)
        fourth: Kind = Kind.ONE

        @property
        def doubled(self) -> int:
            return self.second * 2

    return Record


def keywords(make: Make) -> Any:
    @make(frozen=True, slots=True, kw_only=True)
    class Record:
        """Keywords only, with a default before a field that has none."""

        early: int = 1
        first: object

    return Record


def mixed(make: Make) -> Any:
    @make(frozen=True, slots=True)
    class Record:
        """One keyword behind what may come by its place."""

        first: object
        named: int = dataclasses.field(kw_only=True)

    return Record


def outcome_of(call: Callable[[], Any]) -> object:
    try:
        made = call()
    except TypeError as error:
        # Both speak of `__init__`, by its own name or by the class's.
        return "TypeError", str(error).rpartition(".")[2].replace("init()", "__init__()")
    return repr(made)


SHAPES = [one, none, several, keywords, mixed]
values = st.none() | st.integers() | st.text(max_size=3) | st.floats(allow_nan=False)


@pytest.mark.parametrize("shape", SHAPES)
def test_they_are_made_of_the_same_fields(shape: Callable[[Make], Any]) -> None:
    ours, theirs = shape(records.dataclass), shape(dataclasses.dataclass)
    assert [(f.name, f.default, f.kw_only) for f in dataclasses.fields(ours)] == [
        (f.name, f.default, f.kw_only) for f in dataclasses.fields(theirs)
    ]
    assert ours.__match_args__ == theirs.__match_args__
    assert ours.__slots__ == theirs.__slots__
    assert ours.__doc__ == theirs.__doc__
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
    assert not hasattr(ours(first=1, named=2) if shape is mixed else ours, "no_such_name")


@pytest.mark.parametrize("shape", SHAPES)
@given(
    args=st.lists(values, max_size=4),
    named=st.dictionaries(st.sampled_from(["first", "second", "early", "named", "only"]), values),
)
def test_they_take_the_same_arguments(
    shape: Callable[[Make], Any], args: list[object], named: dict[str, object]
) -> None:
    ours, theirs = shape(records.dataclass), shape(dataclasses.dataclass)
    assert outcome_of(lambda: ours(*args, **named)) == outcome_of(lambda: theirs(*args, **named))


@given(values, values, st.integers(0, 3), st.integers(0, 3))
def test_they_are_equal_and_hashed_alike(a: object, b: object, m: int, n: int) -> None:
    for ours, theirs in (
        (one(records.dataclass), one(dataclasses.dataclass)),
        (mixed(records.dataclass), mixed(dataclasses.dataclass)),
    ):
        rest = (
            [{"named": m}, {"named": n}]
            if "named" in ours.__match_args__ + ours.__slots__
            else [{}, {}]
        )
        left, right = ours(a, **rest[0]), ours(b, **rest[1])
        there_left, there_right = theirs(a, **rest[0]), theirs(b, **rest[1])
        assert (left == right) is (there_left == there_right)
        assert (hash(left) == hash(right)) is (hash(there_left) == hash(there_right))
        assert hash(left) == hash(there_left)
        assert left != there_left


def test_nothing_in_them_can_be_changed() -> None:
    record = several(records.dataclass)(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="assign to field 'first'"):
        record.first = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="delete field 'first'"):
        del record.first
    with pytest.raises(AttributeError):
        record.elsewhere = 2


def test_a_default_is_made_anew_each_time() -> None:
    kind = several(records.dataclass)
    assert kind(1).third == []
    assert kind(1).third is not kind(1).third
    given_one: list[int] = [4]
    assert kind(1, 2, given_one).third is given_one


def test_a_changed_copy_keeps_the_rest() -> None:
    record = several(records.dataclass)(1, second=5)
    assert dataclasses.replace(record, first=2) == type(record)(2, second=5)
    assert dataclasses.asdict(record)["second"] == 5
    assert record.doubled == 10


def test_copies_and_pickles_come_back() -> None:
    outcome = Outcome("Yes", None, None)
    assert is_cheap_made(Outcome)
    for again in (copy.copy(outcome), copy.deepcopy(outcome), pickle.loads(pickle.dumps(outcome))):
        assert again == outcome


def test_a_field_without_default_does_not_follow_one_that_has_it() -> None:
    with pytest.raises(TypeError, match="'late' follows default argument"):

        @records.dataclass(frozen=True, slots=True)
        class _Wrong:
            """Refused."""

            early: int = 1
            late: int  # type: ignore[misc]  # that is the point


def test_what_is_special_goes_the_usual_way() -> None:
    def looks(body: dict[str, object], **options: bool) -> bool:
        return is_cheap(type("Any", (), {"__doc__": "Any.", **body}), options)

    usual = {"frozen": True, "slots": True}
    assert looks({"__annotations__": {"a": int}}, **usual)
    assert looks({}, **usual, kw_only=True)
    assert not looks({"__eq__": lambda *_: True}, **usual)
    assert not looks({"__post_init__": lambda _: None}, **usual)
    assert not looks({"__annotations__": {"a": ClassVar[int]}}, **usual)
    assert not looks({"__annotations__": {"a": int}, "a": dataclasses.field(repr=False)}, **usual)
    assert not looks({}, frozen=True, slots=False)
    assert not looks({}, slots=True)
    assert not looks({}, **usual, order=True)
    assert not is_cheap(type("Any", (Outcome,), {"__doc__": "Any."}), usual)


def test_the_records_of_the_house_are_cheap() -> None:
    assert is_cheap_made(Market)


def is_cheap_made(cls: type) -> bool:
    """Whether a class was made by our decorator: methods of its own, but for one, are shared."""
    return vars(cls)["__repr__"] is vars(one(records.dataclass))["__repr__"]
