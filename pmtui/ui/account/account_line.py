"""One line of the account screen: a step or a rule in words, and what can be done about it.

Free of secrets: what comes in holds addresses and the first digits of an id.
"""

from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.account.onboarding import StepState
from pmtui.domain.account.wallet_steps import WalletStep
from pmtui.domain.account.wallet_transactions import TransactionKey
from pmtui.domain.formats import shorten_id
from pmtui.service.wallet.wallet_views import ApprovalView
from pmtui.ui.account.account_words import Words


@dataclass(frozen=True, slots=True)
class AccountLine:
    """One line in words; addresses are whole in `full` and shortened in `result`."""

    key: str
    words: Words
    state: StepState
    result: str
    full: str = ""
    as_of: datetime | None = None
    problem: str = ""
    """Why the last question brought nothing."""
    asked_at: datetime | None = None
    """When that one was asked."""
    to_do: str = ""
    copied: tuple[str, str] = ("", "")
    """What can be copied of it, and its text."""
    number: int = 0
    """Of a step; 0 for what is not one."""
    is_needed: bool = False
    """Whether nothing can be traded or redeemed before it is done."""
    is_running: bool = False
    """Whether it is being done right now."""
    label: str = ""
    """What doing it is called, in a word or two."""
    does: WalletStep | None = None
    """What the key of the line prepares; None where there is nothing to do now."""
    undoes: WalletStep | None = None
    """What takes it back."""
    exact: ApprovalView | None = None
    """The approval that may have an amount of its own."""
    refreshes: bool = False
    """Whether the key of the line asks anew."""
    shows_transactions: bool = False
    """Whether the key of the line shows the wallet's transactions."""
    transaction: TransactionKey | None = None
    """What runs for it, or ran last."""

    @property
    def with_whole_address(self) -> str:
        """The result, with its address whole."""
        what, text = self.copied
        return self.result.replace(shorten_id(text), text) if what == "address" else self.result
