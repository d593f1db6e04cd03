"""`pmtui get` on a small venue that is taken for the public one."""

import asyncio
import csv
import io
import json
import re
import shlex
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from pmtui.cli.account.wallet_access import WalletKeyFiles
from pmtui.cli.get.printing import Format
from pmtui.cli.main import main
from pmtui.clients.http.client import HttpHost
from pmtui.clients.relayer import RelayerClient
from pmtui.domain.ids import Address
from pmtui.reads.registry import READS
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.wire.relayer import RelayerKey
from tests.cli.conftest import Get
from tests.cli.public_venue import HOSTS, PASSPHRASE
from tests.clients.raw_server import answering, serving
from tests.clients.relayer_key import mint_relayer_key
from tests.signing.kit import sign_in
from tests.sim.kit import KEYS, RAIN, RAIN_NO, RAIN_YES, SNOW_YES, Person
from tests.wire.payloads import wire

WALLET = "0x" + "11" * 20


def test_without_a_name_every_read_is_listed_under_its_host(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["get"]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed for name in READS)
    assert main(["get", "--help"]) == 0


def test_help_names_every_argument(capsys: pytest.CaptureFixture[str]) -> None:
    for name, read in READS.items():
        with pytest.raises(SystemExit) as ended:
            main(["get", name, "--help"])
        assert ended.value.code == 0
        said = capsys.readouterr().out
        assert [a.option for a in read.asked if a.option not in said] == [], name


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("bok", "book"), ("marktes", "markets"), ("prices-histroy", "prices-history")],
)
def test_a_name_that_is_mistyped_is_answered_by_its_likes(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["get", typed]) == 2
    said = capsys.readouterr().err
    words = re.split("[ ,?]+", said)
    assert (meant in words, typed in words) == (True, False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing-like-it"],
        ["--format", "json", "book"],
        ["book"],
        ["book", "--token-id", "0x7"],
        ["book", "--token-id", "7", "--format", "xml"],
        ["book", "--token-id", "7", "--columns", "colour"],
        ["tags", "--watch"],
        ["book", "--token-id", "7", "--watch", "--format", "json"],
        ["trades", "--watch"],
        ["trades", "--watch", "--condition-id", RAIN, "--wallet", "0x" + "11" * 20],
        ["trades", "--watch", "--condition-id", RAIN, "--all"],
        ["price", "--watch", "--token-id", "7", "--curl"],
        ["fills", "--watch", "--before", "1790000000"],
        ["tags", "--limit", "many"],
        ["tags", "--limit", "-1"],
        ["book", "--token-id", "7", "--limit", "3"],
        ["prices-history", "--token-id", "7", "--after", "5", "--before", "3"],
        ["fills", "--after", "yesterday"],
        ["price", "--token-id", "7", "--side", "HOLD"],
        ["tags", "stray"],
    ],
)
async def test_wrong_usage_is_one_line_and_exit_code_2(
    arguments: list[str], bob: Person, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = await asyncio.to_thread(main, ["--profile", "live", "get", *arguments])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_a_wrong_choice_is_told_the_choices_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["get", "tags", "--format", "xml (choose from x", "--columns", "table"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert all(f"'{form}'" in said for form in Format)
    assert not {"xml", "that", "invalid"} & set(re.split(r"\W+", said))


async def test_a_book_is_a_table_of_levels_or_one_record(bob: Person, get: Get) -> None:
    code, out, err = await get("book", "--token-id", RAIN_YES)
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["side", "price", "size"],
        ["SELL", "0.4", "4"],
    ]
    code, out, _ = await get("book", "--token-id", RAIN_YES, "--format", "json")
    record = json.loads(out)
    assert code == 0
    assert (record["asks"], record["bids"]) == ([{"price": "0.4", "size": "4"}], [])
    assert record["worth"] == "verified"
    assert record["condition_id"] == RAIN


async def test_a_list_comes_in_every_format(bob: Person, get: Get) -> None:
    wanted = ("books", "--token-id", f"{RAIN_YES},{RAIN_NO}")
    code, out, _ = await get(*wanted, "--format", "json")
    assert code == 0
    assert {book["token_id"] for book in json.loads(out)} == {RAIN_YES, RAIN_NO}
    code, out, _ = await get(*wanted, "--format", "jsonl", "--limit", "1")
    assert code == 0
    assert len([json.loads(line) for line in out.splitlines()]) == 1
    code, out, _ = await get(
        *wanted, "--format", "csv", "--columns", "token_id, side,price ,size,side"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert {(row["token_id"], row["side"], row["price"]) for row in rows} == {
        (RAIN_YES, "SELL", "0.4"),
        (RAIN_NO, "BUY", "0.6"),
    }


async def test_markets_are_found_by_the_slug_of_a_tag(bob: Person, get: Get) -> None:
    code, out, err = await get("markets", "--tag", "no-such-tag", "--format", "jsonl")
    assert (code, out, err.count("\n")) == (1, "", 1)
    code, out, _ = await get("markets", "--tag", "weather", "--format", "jsonl")
    assert code == 0
    assert {json.loads(line)["question"] for line in out.splitlines()} == {
        "Will it rain",
        "Will it snow",
    }


async def test_an_empty_list_has_its_columns_and_is_no_error(bob: Person, get: Get) -> None:
    assert await get("positions", "--wallet", WALLET, "--format", "json") == (0, "[]\n", "")
    code, out, err = await get("positions", "--wallet", WALLET, "--format", "csv")
    assert (code, err) == (0, "")
    assert out.startswith("token_id,condition_id,title,")


async def test_what_the_host_does_not_know_is_exit_code_1(bob: Person, get: Get) -> None:
    code, out, err = await get("book", "--token-id", "7")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1


async def test_a_host_out_of_reach_is_exit_code_69(
    bob: Person, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_DATA_URL", "http://127.0.0.1:1")
    code, out, err = await get("value", "--wallet", WALLET)
    assert (code, out) == (69, "")
    assert err.count("\n") == 1


async def test_own_reads_take_the_key_from_the_keystore(
    bob: Person, keystore: Path, get: Get
) -> None:
    own = ("--passphrase-fd", "FD", "--format", "json")
    code, out, err = await get("fills", *own, lines=(PASSPHRASE,))
    assert (code, err) == (0, "")
    (fill,) = json.loads(out)
    assert (fill["price"], fill["size"], fill["side"]) == ("0.4", "6", "BUY")
    code, out, _ = await get("balance", *own, lines=(PASSPHRASE,))
    assert code == 0
    assert json.loads(out)["balance"].startswith("997.5")
    assert KEYS[0][2:] not in out + err


async def test_without_a_key_own_reads_are_refused(bob: Person, get: Get) -> None:
    code, out, err = await get("open-orders")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1


async def test_rows_that_cannot_be_read_are_said_to_be_missing(
    bob: Person, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = {"token_id": "7", "timestamp": 1, "price": 0.1, "size": 2, "title": "=1+1\u202e"}
    body = wire({"data": [good, {"price": []}], "pagination": {"has_more": False}})
    async with serving(answering(body)) as server:
        monkeypatch.setenv("PMTUI_DATA_URL", server.url)
        code, out, err = await get("trades", "--format", "csv")
    assert code == 0
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["title"].startswith("'=1+1")
    assert "\u202e" not in out
    assert "left out: 1 row" in err


async def test_a_request_is_shown_for_curl_and_not_sent(bob: Person, get: Get) -> None:
    code, out, _ = await get("book", "--token-id", RAIN_YES, "--curl")
    assert code == 0
    url = urlsplit(shlex.split(out)[-1])
    assert (url.path, parse_qsl(url.query)) == ("/book", [("token_id", RAIN_YES)])
    code, out, _ = await get("prices", "--token-id", RAIN_YES, "--curl")
    words = shlex.split(out)
    assert json.loads(words[words.index("--data") + 1])[0]["token_id"] == RAIN_YES


async def test_a_signed_request_is_shown_with_names_in_place_of_secrets(
    bob: Person, keystore: Path, get: Get
) -> None:
    code, out, err = await get("open-orders", "--curl")
    assert (code, err) == (0, "")
    headers = re.findall(r'--header "(\w+): \$(\w+)"', out)
    assert len(headers) == 5
    assert all(name == variable for name, variable in headers)


async def test_every_page_is_read_and_progress_is_told_apart(
    bob: Person, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmtui.clients.reads.asking.LARGEST_PAGE", 1)
    code, out, err = await get("markets", "--all", "--format", "jsonl")
    assert code == 0
    questions = [json.loads(line)["question"] for line in out.splitlines()]
    assert sorted(questions) == ["Will it rain", "Will it snow"]
    assert "page 2" in err


async def test_a_table_of_one_thing_has_a_line_for_each_field(bob: Person, get: Get) -> None:
    code, out, _ = await get("neg-risk", "--token-id", SNOW_YES)
    assert code == 0
    assert out.splitlines()[1].split() == ["neg_risk", "yes"]


async def test_reads_of_the_relayer_take_the_key_that_the_profile_keeps(
    bob: Person, keystore: Path, get: Get
) -> None:
    code, out, err = await get("relayer-keys")
    assert (code, out, err.count("\n")) == (1, "", 1)
    key = await relayer_key(bob)
    WalletKeyFiles(keystore.parent).keep_relayer_key(key.api_key, Address(key.address))
    code, out, err = await get("relayer-keys", "--format", "json")
    assert (code, err) == (0, "")
    (told,) = json.loads(out)
    assert told["address"] == key.address
    assert key.api_key not in out
    code, out, _ = await get("relayer-transactions", "--curl")
    assert code == 0
    assert "RELAYER_API_KEY: $RELAYER_API_KEY" in out
    assert key.api_key not in out


async def relayer_key(bob: Person) -> RelayerKey:
    """Let the relayer make a key for the owner of the keystore."""
    owner = Signer(Secret.from_hex(KEYS[0]))
    urls = bob.running.urls
    metadata, relay = HttpHost(urls["gamma"]), HttpHost(urls["relayer"])

    def sign(nonce: str) -> str:
        at = bob.running.venue.clock.now().isoformat(timespec="milliseconds")
        stamp = at.replace("+00:00", "Z")
        return sign_in(owner, nonce=nonce, issued_at=stamp, expiration_time=None).authorization

    key = await mint_relayer_key(metadata, RelayerClient(relay), sign)
    assert isinstance(key, RelayerKey)
    await metadata.aclose()
    await relay.aclose()
    return key


@pytest.mark.parametrize(
    "name", ["books", "prices", "midpoints", "spreads", "last-trades", "prices-histories"]
)
async def test_tokens_that_the_host_does_not_know_are_named_beside_the_answer(
    name: str, bob: Person, get: Get
) -> None:
    code, out, err = await get(name, "--token-id", f"77,{RAIN_YES},78", "--format", "json")
    assert code == 1
    assert {row["token_id"] for row in json.loads(out)} == {RAIN_YES}
    assert err.count("\n") == 1
    assert [word for word in re.findall("[0-9]+", err) if word in ("77", "78", RAIN_YES)] == [
        "77",
        "78",
    ]


async def test_a_limit_that_is_reached_accuses_no_token(bob: Person, get: Get) -> None:
    both = f"{RAIN_YES},{RAIN_NO}"
    code, _, err = await get("books", "--token-id", both, "--format", "json", "--limit", "1")
    assert (code, err) == (0, "")


async def test_a_request_to_a_venue_that_ends_with_the_command_says_so(
    bob: Person,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in HOSTS:
        monkeypatch.delenv(f"PMTUI_{name.upper()}_URL")
    words = ["get", "server-time", "--curl"]
    assert await asyncio.to_thread(main, words) == 0
    said = capsys.readouterr()
    assert (said.out.count("\n"), said.err.count("\n")) == (1, 1)
    published = tmp_path / "state" / "paper" / "venue.json"
    published.write_text(json.dumps(bob.running.urls))
    assert await asyncio.to_thread(main, words) == 0
    said = capsys.readouterr()
    assert (shlex.split(said.out)[-1], said.err) == (f"{bob.running.urls['clob']}/time", "")
