"""A shell's line to a running service: asks how it stands, unlocks it, ends it."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pmtui import __version__
from pmtui.link.messages import (
    PROTOCOL,
    Ask,
    Done,
    Goodbye,
    Hello,
    LinkError,
    Refused,
    Standing,
    Stop,
    ToService,
    ToTerminal,
    Unlock,
    Welcome,
    pack,
    read_to_terminal,
)

ANSWER_WITHIN_S = 30.0
"""For an answer: ending may take as long as cancelling every order does, unlocking some seconds."""


def ask_standing(place: Path) -> Standing | Refused | None:
    """Return how a service stands; None where none runs."""
    answers = asyncio.run(talk(place, (Ask(),)))
    first = answers[0] if answers else None
    return first if isinstance(first, Standing | Refused) else None


def unlock(place: Path, passphrase: bytes) -> str:
    """Unlock a service; returns why it stays locked."""
    answers = asyncio.run(talk(place, (Unlock(passphrase),)))
    first = answers[0] if answers else None
    return first.problem if isinstance(first, Done) else "the service does not answer"


def stop_service(place: Path, policy: str) -> tuple[str, str]:
    """End a service; returns why it goes on, and its last words."""
    answers = asyncio.run(talk(place, (Stop(policy),), until_goodbye=True))
    match answers:
        case [Done(problem), *_] if problem:
            return problem, ""
        case [Done(), Goodbye(text), *_]:
            return "", text
        case [Done()]:
            return "", ""
        case [Refused(reason, _, _)]:
            return reason, ""
        case _:
            return "the service does not answer", ""


async def talk(
    place: Path, questions: Sequence[ToService], *, until_goodbye: bool = False
) -> list[ToTerminal]:
    """Say hello and ask; returns the answers, as far as they came.

    Args:
        place: where the service listens.
        questions: each is answered by one message.
        until_goodbye: whether to wait for the service's last words after that.
    """
    answers: list[ToTerminal] = []
    try:
        reader, writer = await asyncio.open_unix_connection(place)
    except OSError:
        return answers
    hello = Hello(PROTOCOL, __version__, may_trade=False, is_terminal=False)
    with suppress(TimeoutError, LinkError, OSError):
        async with asyncio.timeout(ANSWER_WITHIN_S):
            for message in (hello, *questions):
                writer.write(pack(message))
            while len(answers) < len(questions) + until_goodbye:
                answer = await read_to_terminal(reader)
                if answer is None:
                    break
                if not isinstance(answer, Welcome):
                    answers.append(answer)
                if isinstance(answer, Refused) or (isinstance(answer, Done) and answer.problem):
                    break
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return answers
