"""What a check finds is bounded in time, printed in order, and counted."""

import asyncio
import json

import pytest

from pmtui.cli.doctor.findings import (
    WIDTH,
    Deadline,
    Finding,
    State,
    Subject,
    has_problem,
    in_order,
    to_json,
    to_lines,
    within,
)

BOOK = Finding(Subject.STREAMS, "book", State.OK, "verified", figures={"verified_ms": 12})
DISK = Finding(Subject.PROFILE, "disk", State.WARNING, "little " * 30, "free some space " * 20)
CLOCK = Finding(Subject.HOSTS, "clock", State.PROBLEM, "40 s behind", "set it")


async def test_a_check_that_never_ends_is_a_problem_at_its_deadline() -> None:
    async def never() -> tuple[Finding, ...]:
        await asyncio.Event().wait()
        return ()

    (found,) = await within(Deadline(Subject.HOSTS, "relayer", 0, "wait"), never())
    assert (found.subject, found.name, found.state, found.remedy) == (
        Subject.HOSTS, "relayer", State.PROBLEM, "wait",
    )  # fmt: skip


def test_findings_stand_by_their_subject() -> None:
    assert in_order((BOOK, CLOCK, DISK)) == (DISK, CLOCK, BOOK)


@pytest.mark.parametrize(
    ("findings", "expected"), [((), False), ((BOOK, DISK), False), ((BOOK, CLOCK), True)]
)
def test_only_a_problem_is_one(findings: tuple[Finding, ...], expected: bool) -> None:
    assert has_problem(findings) is expected


def test_every_line_fits_and_names_its_state_and_its_remedy() -> None:
    lines = tuple(to_lines("paper", (BOOK, CLOCK, DISK)))
    assert max(map(len, lines)) <= WIDTH
    assert [line for line in lines if "40 s behind" in line] == ["  problem  clock  40 s behind"]
    assert sum(line.lstrip().startswith("> ") for line in lines) == 2
    assert lines[-1] == "problems: 1, warnings: 1"


def test_the_json_holds_the_figures_and_the_counts() -> None:
    report = json.loads(to_json("paper", (BOOK, CLOCK)))
    assert (report["profile"], report["problems"], report["warnings"]) == ("paper", 1, 0)
    assert [row["name"] for row in report["checks"]] == ["clock", "book"]
    assert report["checks"][1]["figures"] == {"verified_ms": 12}
