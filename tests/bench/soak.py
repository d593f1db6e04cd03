"""`python -m tests.bench.soak [ORDERS] [KILLS] [SEED]`: the fault run, long; counts at the end."""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.run import run_faults


def main(arguments: list[str]) -> int:
    """Run it; 1 where journal and venue disagree about anything."""
    orders, kills, seed = [*map(int, arguments), *(1_000, 100, 1)[len(arguments) :]]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pmtui-soak-") as folder:
        outcome = asyncio.run(run_faults(Path(folder), orders=orders, kills=kills, seed=seed))
    print(f"orders journaled        {outcome.orders}")
    print(f"orders at the venue     {outcome.at_venue}")
    print(f"orders with fills       {outcome.filled_in_part_or_whole}")
    print(f"orders to be moved      {outcome.moves}")
    print(f"kills                   {outcome.kills}")
    for state, count in outcome.states.most_common():
        print(f"ended {state:<18}{count}")
    for fault, count in outcome.faults.most_common():
        print(f"fault {fault.value:<30}{count}")
    print(f"seconds                 {time.monotonic() - started:.0f}")
    for problem in outcome.problems:
        print(f"DISAGREE {problem}")
    print("they agree on every order" if not outcome.problems else "THEY DISAGREE")
    return 1 if outcome.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
