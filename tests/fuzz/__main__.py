"""`python -m tests.fuzz [--seconds N] [--seed S]`: every decoder and all painting, hostile input.

It ends by itself, prints the seed and the counts, and returns 1 where anything was found.
"""

import argparse
import secrets
import sys
import time
from random import Random

from tests.fuzz.decoding import every_decoder, judge, payloads
from tests.fuzz.painting import faults_of, hostile_texts

SHARE_OF_PAINTING = 0.2
PAINTED_AT_LEAST = 100_000


def main(arguments: list[str]) -> int:
    """Run for so many seconds; 1 where anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    _ = parser.add_argument("--seconds", type=float, default=60.0)
    _ = parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    options = parser.parse_args(arguments)
    seed, started = options.seed, time.monotonic()
    print(f"seed                 {seed}")
    found = 0
    random = Random(seed)
    painted = 0
    for text in hostile_texts(random):
        painted += 1
        for fault in faults_of(text, random):
            found += 1
            print(f"PAINTED {fault}")
        enough = painted >= PAINTED_AT_LEAST
        if enough and time.monotonic() - started > options.seconds * SHARE_OF_PAINTING:
            break
    decoded, slowest, slow_name = 0, 0.0, ""
    decoders = every_decoder()
    for payload in payloads(random, is_long=True):
        for decoder in decoders:
            began = time.monotonic()
            finding = judge(decoder, payload)
            took = time.monotonic() - began
            decoded += 1
            if took > slowest:
                slowest, slow_name = took, f"{decoder.name}, {len(payload)} bytes"
            if finding is not None:
                found += 1
                print(f"DECODED {finding.decoder}: {finding.what}: {finding.payload[:200]!r}")
        if time.monotonic() - started > options.seconds:
            break
    print(f"texts painted        {painted}")
    print(f"payloads decoded     {decoded} by {len(decoders)} decoders")
    print(f"slowest              {slowest:.3f} s ({slow_name})")
    print(f"found                {found}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
