"""Accounts at various points of their way, for the account screen."""

from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType

from pmtui.domain.account.keys import KeyKind, SignatureType
from pmtui.domain.account.onboarding import (
    Identity,
    LastAnswer,
    Onboarding,
    Purpose,
    Spender,
    TradingKey,
    Wallet,
    WalletForm,
)
from pmtui.domain.answers import GeoAnswer
from pmtui.domain.ids import Address
from pmtui.domain.money import Micros
from pmtui.domain.orders.limits import Limits
from pmtui.domain.orders.order import BalanceAllowance
from tests.ui.fake_surface import NOW

OWNER = Address("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
OLDER = Wallet(WalletForm.OLDER_DEPOSIT, Address("0xdf8b9E8f9AB23f261F6e1B171B7454ae6E46Ba76"))
NEWER = Wallet(WalletForm.DEPOSIT, Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50"))
EXCHANGE = Spender(Purpose.EXCHANGE, Address("0xE111180000d2663C0091e4f400237545B87B996B"))
NEG_RISK = Spender(Purpose.NEG_RISK_EXCHANGE, Address("0xe2222d279d744050d28e00520010520000310F59"))
ADAPTER = Spender(Purpose.ADAPTER, Address("0xAdA100Db00Ca00073811820692005400218FcE1f"))
MOST = 2**256 - 1
SECONDS_AGO = NOW - timedelta(seconds=4)

READY = Onboarding(
    "paper",
    identity=Identity(KeyKind.PAPER, OWNER, SignatureType.DEPOSIT_WALLET, (OLDER, NEWER)),
    maker=NEWER.address,
    place=LastAnswer(GeoAnswer(is_blocked=False, country="CH", region="ZH"), SECONDS_AGO),
    deployed=MappingProxyType(
        {
            OLDER.address: LastAnswer(False, SECONDS_AGO),
            NEWER.address: LastAnswer(True, SECONDS_AGO),
        }
    ),
    code=LastAnswer(True, SECONDS_AGO),
    trading_key=TradingKey("6f1c2a34…", NOW - timedelta(minutes=7)),
    closed_only=LastAnswer(False, SECONDS_AGO),
    balance=LastAnswer(
        BalanceAllowance(
            Micros(10_000_000_000),
            ((EXCHANGE.address, MOST), (NEG_RISK.address, MOST), (ADAPTER.address, MOST)),
        ),
        SECONDS_AGO,
    ),
    spenders=(EXCHANGE, NEG_RISK, ADAPTER),
    limits=Limits(order=Micros(500_000_000), daily_loss=Micros(200_000_000)),
)
KEYLESS = Onboarding(
    "live",
    key_problem="no key: viewing only, no trading",
    remedy="pmtui account new --profile live",
    other_remedy="pmtui account import --profile live",
    place=READY.place,
    spenders=READY.spenders,
)


def allowing(exchange: int, neg_risk: int) -> Onboarding:
    """Return an account whose exchanges may move so much."""
    allowances = ((EXCHANGE.address, exchange), (NEG_RISK.address, neg_risk))
    told = BalanceAllowance(Micros(25_000_000), allowances)
    return replace(READY, balance=LastAnswer(told, SECONDS_AGO))
