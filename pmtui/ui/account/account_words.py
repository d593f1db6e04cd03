"""The texts of the account screen: what each line is, and what it signs."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from pmtui.domain.account.keys import KeyKind, SignatureType
from pmtui.domain.account.onboarding import Purpose, SetupStep, WalletForm


class Rule(StrEnum):
    """Rules in force, listed below the steps in this order."""

    SIGNING = "signing"
    BUILDER = "builder"
    LIMITS = "limits"
    ENTRY = "entry"
    HEARTBEAT = "heartbeat"
    TRANSACTIONS = "transactions"


class Words(NamedTuple):
    """A line's title, its meaning, and what the key signs for it."""

    title: str
    meaning: str
    signing: str = "Nothing is signed for it."
    missing: str = ""
    """What to do while the step is not done."""


_APPROVING = (
    "An approval is a batch of calls that your key signs for the wallet: approve(this contract, "
    "unlimited) on the dollar's own contract, with a deadline. The relayer takes no other amount."
)
_NOT_APPROVED = "Orders there are refused without it."

WORDS: Mapping[SetupStep | Rule, Words] = MappingProxyType(
    {
        SetupStep.PLACE: Words(
            "Region",
            "Where the venue sees you, and whether it takes orders from there. Its answer is shown "
            "as it is; following the law where you are is up to you.",
            missing="Orders are refused from here. Reading and cancelling go on.",
        ),
        SetupStep.KEY: Words(
            "Key",
            "The private key of the account. It is never shown, only its address, "
            "which signs and need hold no money.",
            "It signs the login to the trading host and every order. Creating a key signs nothing.",
        ),
        SetupStep.WALLET: Words(
            "Paying wallet",
            "The address that pays for orders and holds what they bring. It follows from the key's "
            "address by the rule of the factory that makes it. Fund this address and no other.",
        ),
        SetupStep.DEPLOYED: Words(
            "Deployed (relayer)",
            "Whether the wallet's contract is deployed, according to the relayer. It may lag: what "
            "the chain says counts.",
            "Making it is asked of the relayer (WALLET-CREATE) with the key's address: nothing is "
            "signed, and no gas is paid.",
            "Orders of the wallet are refused until it is deployed.",
        ),
        SetupStep.CODE: Words(
            "Deployed (chain)",
            "Whether there is a contract at the wallet's address, by the newest block. Orders of a "
            "wallet without one are refused.",
            missing="Deploy the wallet first: the line above says how.",
        ),
        SetupStep.CREDENTIALS: Words(
            "API credentials",
            "Your login at the trading host: an id, a secret and a passphrase. They are asked "
            "for at every start and kept in memory only; secret and passphrase are never shown.",
            "Your key signs a login: “This message attests that I control the given wallet”, "
            "with its address, the time and a number. It moves no money.",
            "They are requested again automatically.",
        ),
        SetupStep.STANDING: Words(
            "Standing",
            "Whether the venue lets this account open positions, or only reduce what it holds "
            "(close-only).",
            missing="Orders that add to a position are rejected. Only the venue can change it.",
        ),
        SetupStep.RELAYER_KEY: Words(
            "Relayer key",
            "Deploying, approving and redeeming go through the relayer and need a key of its own, "
            "which cannot trade. It is kept in a file of yours alone and never shown.",
            "Making one signs a login to the venue's website, whose text the card shows. One that you "
            "have is pasted by a key, outside the screen.",
        ),
        SetupStep.BALANCE: Words(
            "Collateral",
            "Dollars (pUSD) in the paying wallet, as the trading host believes, with what open "
            "orders reserve. Refreshing has it look at the chain again.",
            missing="Send pUSD on Polygon to the paying wallet: its address is shown by the key for "
            "receiving.",
        ),
        Rule.SIGNING: Words(
            "Order signing",
            "Which kind of wallet orders are signed for; the profile says it (signature_type). "
            "Fees are not signed: takers pay what each market says, makers nothing.",
            "Every order: market, side, amounts, time and the paying wallet. The card shows it "
            "before.",
        ),
        Rule.BUILDER: Words(
            "Builder code",
            "A code in the order that credits an app, which may add a fee of its own. No setting "
            "of this program names one: your orders credit nobody.",
            "Orders carry no builder code.",
        ),
        Rule.LIMITS: Words(
            "Own limits",
            "What you allow at most, asked last before an order is signed: for an order, a market, "
            "everything, and the day's loss. Selling is never held up. [limits] in config.toml "
            "sets them.",
        ),
        Rule.ENTRY: Words(
            "Order entry",
            "Whether orders may be entered in this session at all. The kill switch locks it, after "
            "a restart too.",
        ),
        Rule.HEARTBEAT: Words(
            "Heartbeats",
            "The venue's dead man's switch: once fed, it cancels every order of the key when the "
            "heartbeats stop. The setting `heartbeat` says when they are sent.",
            "Each one is a signed request with the API credentials, not with the key.",
        ),
        Rule.TRANSACTIONS: Words(
            "Transactions",
            "What the relayer carried out for a deposit wallet. Other kinds of wallet have none here.",
        ),
    }
)  # fmt: skip

PAPER_MEANINGS: Mapping[SetupStep, str] = MappingProxyType(
    {
        SetupStep.PLACE: "Simulated check (paper): the local venue answers, nobody is asked where you "
        "are.",
        SetupStep.KEY: "A key created for the local venue alone. It lies unencrypted beside the paper "
        "account, opens nothing else, and is shared with no other profile.",
        SetupStep.WALLET: "The address that pays for paper orders and holds what they bring. Only the "
        "local venue knows it: never send it real money.",
        SetupStep.BALANCE: "Play money in the paying wallet, as the local venue's trading host says, with "
        "what open orders reserve.",
    }
)
"""The meanings that differ on paper."""

ALLOWANCES: Mapping[Purpose, Words] = MappingProxyType(
    {
        Purpose.EXCHANGE: Words(
            "Allow: exchange",
            "The exchange of ordinary markets may move the wallet's dollars when an order of yours "
            "trades. Without it purchases there are refused. Selling needs the same for shares: the "
            "host tells of that for one token at a time, and it is not asked here.",
            _APPROVING, _NOT_APPROVED,
        ),
        Purpose.NEG_RISK_EXCHANGE: Words(
            "Allow: neg-risk",
            "The exchange of markets of which exactly one wins (neg-risk) may move the wallet's "
            "dollars when an order of yours trades. Without it purchases there are refused. Selling "
            "needs the same for shares, which is not asked here.",
            _APPROVING, _NOT_APPROVED,
        ),
        Purpose.ADAPTER: Words(
            "Allow: adapter",
            "The contract that splits, merges and redeems may move the wallet's dollars. Orders do "
            "not need it.",
            _APPROVING,
        ),
        Purpose.UNKNOWN: Words(
            "Allow: other",
            "A contract that the trading host names and this program does not know. Orders do not "
            "need it.",
            _APPROVING,
        ),
    }
)  # fmt: skip

KEY_KINDS: Mapping[KeyKind, str] = MappingProxyType(
    {
        KeyKind.NONE: "none",
        KeyKind.PAPER: "paper's own",
        KeyKind.KEYSTORE: "keystore",
        KeyKind.ENVIRONMENT: "PMTUI_PRIVATE_KEY",
    }
)

FORMS: Mapping[WalletForm, tuple[str, str]] = MappingProxyType(
    {
        WalletForm.EOA: ("the key's own address", "orders are paid by the key's address itself"),
        WalletForm.PROXY: ("proxy", "a form made before May 2026, for accounts that have one"),
        WalletForm.SAFE: ("safe", "a form made before May 2026, for accounts that have one"),
        WalletForm.OLDER_DEPOSIT: (
            "deposit wallet, older", "the form made before 29 June 2026 (UUPS): the relayer knows it"
        ),
        WalletForm.DEPOSIT: (
            "deposit wallet", "the form made since 29 June 2026 (beacon): the relayer knows no older one"
        ),
    }
)  # fmt: skip
"""A short name, and how to recognise the form."""

SIGNATURES: Mapping[SignatureType, str] = MappingProxyType(
    {
        SignatureType.EOA: "the key's own address",
        SignatureType.PROXY: "proxy wallet",
        SignatureType.SAFE: "safe",
        SignatureType.DEPOSIT_WALLET: "deposit wallet",
    }
)
