"""Which of several things that were asked about no row of the answer is about."""

from collections.abc import Iterable

from pmtui.reads.arguments import Argument, Values
from pmtui.reads.read import Read
from pmtui.reads.records import fields_of


def naming_argument(read: Read) -> Argument | None:
    """Return the argument whose values the rows are about, each one of theirs; None where rows are not."""
    named = (argument for argument in read.arguments if argument.is_many and argument.is_required)
    return next((each for each in named if each.name in fields_of(read.answer)), None)


def find_unanswered(read: Read, values: Values, items: Iterable[object]) -> tuple[str, ...]:
    """Return the values that no row is about, in the order in which they were given.

    Args:
        read: what was asked for.
        values: of its arguments.
        items: every row of the answer.
    """
    argument = naming_argument(read)
    if argument is None:
        return ()
    told = {str(getattr(item, argument.name)).lower() for item in items}
    return tuple(text for text in values.texts(argument.name) if text.lower() not in told)
