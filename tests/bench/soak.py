"""`python -m tests.bench.soak [--orders N] [--kills N] [--seed N] [--runs N]`: the fault run, long.

Most of it is waiting: several runs, each with a venue and a seed of its own, share the work.
"""

import argparse
import asyncio
import functools
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.audit import Outcome
from tests.faults.run import Plan, run_faults


def main(arguments: list[str]) -> int:
    """Run it and print the counts; 1 where program and venue disagree about anything."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak")
    parser.add_argument("--orders", type=int, default=1_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--long-suspensions", type=int, default=5)
    parser.add_argument(
        "--attached",
        dest="is_attached",
        action="store_true",
        help="the terminal reaches its service over a socket, which is cut now and then",
    )
    parser.add_argument("--runs", type=int, default=2)
    wanted = vars(parser.parse_args(arguments))
    runs = max(wanted.pop("runs"), 1)
    plan = Plan(**wanted)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pmtui-soak-") as folder:
        outcome = asyncio.run(_run_all(Path(folder), _shares(plan, runs)))
    print(f"seeds                   {plan.seed} to {plan.seed + runs - 1}")
    _print(outcome)
    print(f"seconds                 {time.monotonic() - started:.0f}")
    for problem in outcome.problems:
        print(f"DISAGREE {problem}")
    print("THEY DISAGREE" if outcome.problems else "they agree on everything")
    return 1 if outcome.problems else 0


def _shares(plan: Plan, runs: int) -> list[Plan]:
    """Divide the work, rounded up, over runs with seeds of their own."""
    return [
        Plan(
            orders=-(-plan.orders // runs),
            kills=-(-plan.kills // runs),
            seed=plan.seed + number,
            long_suspensions=-(-plan.long_suspensions // runs),
            is_attached=plan.is_attached,
        )
        for number in range(runs)
    ]


async def _run_all(folder: Path, plans: list[Plan]) -> Outcome:
    homes = [folder / str(plan.seed) for plan in plans]
    for home in homes:
        home.mkdir()
    outcomes = await asyncio.gather(*map(run_faults, homes, plans))
    return functools.reduce(Outcome.plus, outcomes)


def _print(outcome: Outcome) -> None:
    print(f"orders journaled        {outcome.orders}")
    print(f"orders at the venue     {outcome.at_venue}")
    print(f"orders with fills       {outcome.filled_in_part_or_whole}")
    print(f"orders to be moved      {outcome.moves}")
    print(f"conditional sales       {outcome.conditional_sales}")
    print(f"kills                   {outcome.kills}")
    print(f"suspensions             {outcome.suspensions}")
    print(f"clock jumps             {outcome.clock_jumps}")
    print(f"answers out of date     {outcome.old_answers}")
    print(f"looks at any moment     {outcome.peeks}")
    print(f"full comparisons        {outcome.checks}")
    for state, count in outcome.states.most_common():
        print(f"ended {state:<18}{count}")
    for fault, count in outcome.faults.most_common():
        print(f"fault {fault.value:<30}{count}")
    for stream_fault, count in outcome.stream_faults.most_common():
        print(f"stream {stream_fault.value:<29}{count}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
