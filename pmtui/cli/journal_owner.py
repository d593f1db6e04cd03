"""Whose orders a journal still waits for, read without opening it for writing.

A session searches for every order without a known end. With another account's key it would ask the
venue in vain and conclude that they never were: such a session must not begin.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from pmtui.domain.formats import count
from pmtui.domain.ids import Address
from pmtui.signing.wallet import derive_wallets


class _Fields(msgspec.Struct):
    maker: str


class _Body(msgspec.Struct):
    order: _Fields


def open_order_makers(journal: Path) -> tuple[str, ...]:
    """Return who pays for each order without a known end; nothing where there is no journal.

    A journal that cannot be read here is reported by the session, which refuses to trade with it.
    """
    if not journal.exists():
        return ()
    try:
        with closing(sqlite3.connect(f"{journal.absolute().as_uri()}?mode=ro", uri=True)) as file:
            rows = file.execute("SELECT body FROM orders WHERE state IS NULL").fetchall()
            return tuple(msgspec.json.decode(body, type=_Body).order.maker for (body,) in rows)
    except (sqlite3.Error, OSError, msgspec.MsgspecError):
        return ()


def why_not_this_owner(journal: Path, owner: Address) -> str:
    """Say why a key must not take this journal up; nothing where it may."""
    wallets = derive_wallets(owner)
    strangers = [
        maker for maker in open_order_makers(journal) if wallets.signature_type(maker) is None
    ]
    if not strangers:
        return ""
    orders = count(len(strangers), "order")
    return (
        f"{journal.parent}: its journal waits for {orders} of another account, {strangers[0]}; "
        f"open it with that key, or make a profile of its own for {owner}"
    )
