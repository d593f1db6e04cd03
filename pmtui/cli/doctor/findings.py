"""Findings of checks, printed as text or as JSON."""

import asyncio
import textwrap
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby

import msgspec

from pmtui import __version__

Figure = int | str | bool | None
WIDTH = 100
"""The most cells in a line of text."""


class State(StrEnum):
    """The result of a check."""

    OK = "ok"
    WARNING = "warning"
    """It works, but could work better or may stop working soon."""
    PROBLEM = "problem"
    """Something will not work."""
    SKIPPED = "skipped"
    """It could not be checked; the reason is another line, or there is nothing to check."""


class Subject(StrEnum):
    """The subject of a check, in the order in which they are printed."""

    TERMINAL = "terminal"
    PROFILE = "profile"
    ACCOUNT = "account"
    HOSTS = "hosts"
    STREAMS = "streams"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. Texts may contain a host's text; none contains a secret."""

    subject: Subject
    name: str
    state: State
    text: str
    remedy: str = ""
    """What to do about it; empty if there is nothing to do."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """The values for programs: milliseconds, counts, addresses."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The timeout of one check, and the finding if it is exceeded."""

    subject: Subject
    name: str
    seconds: float
    remedy: str = ""


async def within(deadline: Deadline, check: Awaitable[tuple[Finding, ...]]) -> tuple[Finding, ...]:
    """Return a check's findings, or the finding for a timeout."""
    try:
        async with asyncio.timeout(deadline.seconds):
            return await check
    except TimeoutError:
        text = f"no result within {deadline.seconds:.0f} s"
        return (Finding(deadline.subject, deadline.name, State.PROBLEM, text, deadline.remedy),)


def has_problem(findings: Iterable[Finding]) -> bool:
    """Whether anything will not work."""
    return any(finding.state is State.PROBLEM for finding in findings)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by subject, otherwise in the order of arrival."""
    places = list(Subject)
    return tuple(sorted(findings, key=lambda finding: places.index(finding.subject)))


def to_lines(profile: str, findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the report as lines of text."""
    findings = in_order(findings)
    yield f"pmtui {__version__}, profile {profile}"
    name_width = max((len(finding.name) for finding in findings), default=0)
    indent = " " * (2 + len(State.WARNING) + 2 + name_width + 2)
    for subject, group in groupby(findings, key=lambda finding: finding.subject):
        yield ""
        yield str(subject)
        for each in group:
            head = f"  {each.state:<{len(State.WARNING)}}  {each.name:<{name_width}}  "
            yield from _wrap(each.text, head, indent)
            if each.remedy:
                yield from _wrap(each.remedy, f"{indent}> ", f"{indent}  ")
    yield ""
    yield _summary(findings)


def to_json(profile: str, findings: Iterable[Finding]) -> str:
    """Return the report as one JSON object."""
    findings = in_order(findings)
    rows = [
        {
            "subject": each.subject,
            "name": each.name,
            "state": each.state,
            "text": each.text,
            "remedy": each.remedy,
            "figures": dict(each.figures),
        }
        for each in findings
    ]
    report = {
        "version": __version__,
        "profile": profile,
        "problems": _count(findings, State.PROBLEM),
        "warnings": _count(findings, State.WARNING),
        "checks": rows,
    }
    return msgspec.json.encode(report).decode()


def _wrap(text: str, head: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False
    ) or [head.rstrip()]


def _summary(findings: tuple[Finding, ...]) -> str:
    problems, warnings = _count(findings, State.PROBLEM), _count(findings, State.WARNING)
    if not problems and not warnings:
        return "no problems"
    return f"problems: {problems}, warnings: {warnings}"


def _count(findings: tuple[Finding, ...], state: State) -> int:
    return sum(finding.state is state for finding in findings)
