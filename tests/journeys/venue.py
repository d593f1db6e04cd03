"""The paper venue as an auditor sees it: by its own addresses, in exact decimals."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.admin_token import operator_headers, read_token
from tests import loopback_http

PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Ledger:
    """What the venue says an account holds."""

    collateral: Decimal
    reserved: Decimal
    shares: dict[str, Decimal]
    fees_paid: Decimal
    open_orders: Sequence[dict[str, Any]]
    lines: Sequence[dict[str, Any]]
    is_whole: bool
    """Whether every line adds up to the balances."""

    @property
    def available(self) -> Decimal:
        """What a new purchase may cost."""
        return self.collateral - self.reserved

    def changed_since(self, before: "Ledger", cause: str) -> Decimal:
        """Return how much cash came or went for one cause after an earlier look."""
        later = self.lines[len(before.lines) :]
        return sum(
            (
                Decimal(line["change"])
                for line in later
                if line["cause"] == cause and line["token_id"] is None
            ),
            Decimal(0),
        )


@dataclass(frozen=True, slots=True)
class Market:
    """A market to trade in, as the metadata host describes it."""

    condition_id: str
    question: str
    title: str
    """Its short name among its siblings."""
    event_title: str
    tokens: tuple[str, str]
    outcomes: tuple[str, str]
    tick: Decimal


class PaperVenue:
    """The venue that runs for a home, and the account of the paper key in it."""

    def __init__(self, home: Path) -> None:
        state = home / "state" / "paper"
        self.urls: dict[str, str] = json.loads((state / "venue.json").read_bytes())
        self._operator = operator_headers(read_token(state / "venue"))
        key = Secret.from_hex((state / "paper.key").read_text(encoding="ascii"))
        self._owner = Signer(key).address
        self.wallet = derive_wallets(self._owner).deposit_beacon

    @staticmethod
    def is_up(home: Path) -> bool:
        """Tell whether a venue has said where it is and an account has been made."""
        state = home / "state" / "paper"
        return (state / "venue.json").exists() and (state / "paper.key").exists()

    def ledger(self) -> Ledger:
        """Read the account's whole ledger from the admin address."""
        answer = self._read("admin", f"/ledger/{self.wallet}")
        return Ledger(
            collateral=Decimal(answer["collateral"]),
            reserved=Decimal(answer["reserved"]),
            shares={token: Decimal(size) for token, size in answer["shares"].items()},
            fees_paid=Decimal(answer["fees_paid"]),
            open_orders=answer["open_orders"],
            lines=answer["lines"],
            is_whole=answer["is_whole"],
        )

    def batches(self) -> int:
        """Return how many batches the wallet has carried out."""
        return int(self._read("relayer", f"/nonce?address={self._owner}&type=WALLET")["nonce"])

    def audit(self) -> list[str]:
        """Have the venue recompute every sum; returns what does not agree."""
        problems: list[str] = self._read("admin", "/audit")["problems"]
        return problems

    def own_trades(self) -> list[dict[str, Any]]:
        """Return the account's public trades, newest first."""
        trades: list[dict[str, Any]] = self._read("data", f"/trades?user={self.wallet}")
        return trades

    def fee_rate(self, market: Market) -> Decimal:
        """Return the rate of the published fee formula for a market."""
        terms = self._read("clob", f"/clob-markets/{market.condition_id}")
        return Decimal(str(terms.get("fd", {}).get("r", 0)))

    def best(self, token: str) -> tuple[Decimal, Decimal]:
        """Return the best bid and the best ask of a token."""
        book = self._read("clob", f"/book?token_id={token}")
        bids = [Decimal(level["price"]) for level in book["bids"]]
        asks = [Decimal(level["price"]) for level in book["asks"]]
        return max(bids), min(asks)

    def busy_markets(self) -> list[Market]:
        """Return markets one can trade, of events with several, the most traded first."""
        events = self._read(
            "gamma", "/events?limit=40&order=volume24hr&ascending=false&closed=false"
        )
        return [
            market
            for event in events
            if len(event["markets"]) > 1
            for row in event["markets"]
            if (market := _market(row, event["title"])) is not None
        ]

    def negative_risk_market(self) -> Market:
        """Return a market that can be traded, of an event with one winner."""
        events = self._read(
            "gamma", "/events?limit=60&order=volume24hr&ascending=false&closed=false"
        )
        found = (
            market
            for event in events
            if event.get("negRisk") and len(event["markets"]) > 2
            for row in event["markets"]
            if (market := _market(row, event["title"])) is not None
        )
        return next(found)

    def post(self, path: str, body: dict[str, Any]) -> None:
        """Tell the venue's operator to do something."""
        with loopback_http.client(timeout=PATIENCE_S) as http:
            url = self.urls["admin"] + path
            http.post(url, json=body, headers=self._operator).raise_for_status()

    def clear_faults(self) -> None:
        """Let the venue behave again."""
        with loopback_http.client(timeout=PATIENCE_S) as http:
            url = self.urls["admin"] + "/faults"
            http.delete(url, headers=self._operator).raise_for_status()

    def _read(self, host: str, path: str) -> Any:
        with loopback_http.client(timeout=PATIENCE_S) as http:
            headers = self._operator if host == "admin" else {}
            answer = http.get(self.urls[host] + path, headers=headers)
            answer.raise_for_status()
            return answer.json()


def _market(row: dict[str, Any], event_title: str) -> Market | None:
    """Return an open market on the one-cent grid with room on both sides, else None."""
    if row.get("closed") or not row.get("acceptingOrders") or not row.get("clobTokenIds"):
        return None
    bid, ask = Decimal(str(row.get("bestBid") or 0)), Decimal(str(row.get("bestAsk") or 0))
    tick = Decimal(str(row.get("orderPriceMinTickSize") or 0))
    if tick != Decimal("0.01") or not Decimal("0.2") <= bid < ask <= Decimal("0.8"):
        return None
    first, second = json.loads(row["clobTokenIds"])
    yes, no = json.loads(row["outcomes"])
    return Market(
        condition_id=row["conditionId"],
        question=row["question"],
        title=row.get("groupItemTitle") or row["question"],
        event_title=event_title,
        tokens=(first, second),
        outcomes=(yes, no),
        tick=tick,
    )
