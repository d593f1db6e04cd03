"""The short form of the fuzzing: fixed seeds, every decoder, thousands of hostile texts."""

from functools import cache
from itertools import islice
from random import Random

import pytest

from tests.fuzz.decoding import (
    EXAMPLES,
    UNREAD,
    Decoder,
    every_decoder,
    judge,
    outcome_of,
    payloads,
    torn_texts,
    write,
)
from tests.fuzz.painting import faults_of, hostile_texts

DECODERS = every_decoder()


@cache
def bent_payloads() -> tuple[bytes, ...]:
    return tuple(islice(payloads(Random(12)), 250))


@cache
def long_payloads() -> tuple[bytes, ...]:
    return tuple(p for p in islice(payloads(Random(7), is_long=True), 150) if len(p) > 10**5)


@cache
def examples_with_torn_texts() -> tuple[tuple[bytes, bytes], ...]:
    return tuple(torn_texts(EXAMPLES))


def test_every_decoder_is_found_and_reads_an_example() -> None:
    assert len(DECODERS) > 50
    bodies = [write(example).encode() for example in EXAMPLES]
    for decoder in DECODERS:
        assert not [judge(decoder, body) for body in bodies if judge(decoder, body)]


@pytest.mark.parametrize("decoder", DECODERS, ids=lambda decoder: decoder.name)
def test_a_bent_payload_is_a_sane_value_or_refused(decoder: Decoder) -> None:
    findings = [judge(decoder, payload) for payload in bent_payloads()]
    assert not [finding for finding in findings if finding]


@pytest.mark.parametrize("decoder", DECODERS, ids=lambda decoder: decoder.name)
def test_half_a_character_is_read_as_the_sign_for_an_unreadable_one(decoder: Decoder) -> None:
    for torn, mended in examples_with_torn_texts():
        outcomes = outcome_of(decoder, torn), outcome_of(decoder, mended)
        assert UNREAD in outcomes or outcomes[0] == outcomes[1]


@pytest.mark.slow
@pytest.mark.parametrize("decoder", DECODERS, ids=lambda decoder: decoder.name)
def test_a_payload_of_tens_of_thousands_of_rows_is_a_sane_value_or_refused(
    decoder: Decoder,
) -> None:
    findings = [judge(decoder, payload) for payload in long_payloads()]
    assert not [finding for finding in findings if finding]


def test_hostile_texts_are_painted_harmless_and_as_wide_as_they_should_be() -> None:
    random = Random(5)
    found = [
        fault for text in islice(hostile_texts(random), 4_000) for fault in faults_of(text, random)
    ]
    assert not found
