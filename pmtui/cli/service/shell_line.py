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


def greet(place: Path) -> Welcome | Refused | None:
    """Say hello as a terminal does that only looks on; None where nobody answers."""
    return asyncio.run(_greet(place))


def unlock(place: Path, passphrase: bytes) -> str:
    """Unlock the keystore of a service; returns why it stays locked."""
    return _hand_over(place, Unlock(passphrase))


def give_key(place: Path, key: bytes) -> str:
    """Give a service the private key to trade with, in hexadecimal; returns why it is not taken."""
    return _hand_over(place, Unlock(key, is_key=True))


def stop_service(place: Path, policy: str, *, is_only_if_idle: bool = False) -> tuple[str, str]:
    """End a service; returns why it goes on, and its last words.

    Args:
        place: where it listens.
        policy: what becomes of open orders; empty for what its settings say.
        is_only_if_idle: whether to end only one that a terminal started and that nobody needs.
    """
    answers = asyncio.run(talk(place, (Stop(policy, is_only_if_idle),), until_goodbye=True))
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


def _hand_over(place: Path, secret: Unlock) -> str:
    answers = asyncio.run(talk(place, (secret,)))
    first = answers[0] if answers else None
    return first.problem if isinstance(first, Done) else "the service does not answer"


async def _greet(place: Path) -> Welcome | Refused | None:
    try:
        reader, writer = await asyncio.open_unix_connection(place)
    except OSError:
        return None
    first: ToTerminal | None = None
    with suppress(TimeoutError, LinkError, OSError):
        async with asyncio.timeout(ANSWER_WITHIN_S):
            writer.write(pack(Hello(PROTOCOL, __version__, may_trade=False)))
            first = await read_to_terminal(reader)
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return first if isinstance(first, Welcome | Refused) else None


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
