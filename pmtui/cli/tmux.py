"""The tmux around us, which keeps what programs copy from the terminal unless it is told not to."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE

DEADLINE_S = 2.0
_PASS_ON = ("tmux", "load-buffer", "-w", "-")
"""From version 3.2 on. `-w`: into the clipboard of the terminal that tmux is shown on, too."""


async def hand_to_tmux(text: str, *, command: tuple[str, ...] = _PASS_ON) -> bool:
    """Give tmux a text for its buffer and for the clipboard; tells whether it took it."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL
        )
    except OSError:
        return False
    try:
        async with asyncio.timeout(DEADLINE_S):
            await process.communicate(text.encode())
    except TimeoutError:
        process.kill()
        await process.wait()
    return process.returncode == 0
