"""How a market is named where a line has no room for its whole question."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.ui import believable

QUESTION = "What will the bank do to its target range in December: No change?"
MARKET = believable.market(1, QUESTION)


def test_siblings_are_told_apart_on_a_narrow_line() -> None:
    hidden = replace(MARKET, group_title="No change")
    assert hidden.telling_name == f"No change: {QUESTION}"
    early = replace(MARKET, question="Will Ether touch $4,000 in May?", group_title="$4,000")
    assert early.telling_name == early.question
    alone = replace(MARKET, group_title="")
    assert alone.telling_name == QUESTION


@given(st.text(max_size=90), st.text(max_size=40))
def test_the_group_title_is_never_far_from_the_beginning(question: str, group: str) -> None:
    name = replace(MARKET, question=question, group_title=group).telling_name
    assert question in name
    place = name.casefold().find(group.casefold())
    assert place == 0 or 0 < place <= 32 - len(group)
