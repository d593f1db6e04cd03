"""One line of the account screen: a step or a rule, and what can be done about it.

Holds no secrets: only addresses and the first digits of an id.
"""

from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.account.onboarding import SetupState
from pmtui.domain.account.wallet_steps import WalletStep
from pmtui.domain.account.wallet_transactions import TransactionKey
from pmtui.domain.formats import shorten_id
from pmtui.service.wallet.wallet_views import ApprovalView
from pmtui.ui.account.account_words import Words


@dataclass(frozen=True, slots=True)
class AccountLine:
    """A step or a rule; addresses are whole in `full` and shortened in `result`."""

    key: str
    words: Words
    state: SetupState
    result: str
    full: str = ""
    as_of: datetime | None = None
    problem: str = ""
    """Why the last check failed."""
    asked_at: datetime | None = None
    """When the last check was made."""
    to_do: str = ""
    copied: tuple[str, str] = ("", "")
    """What can be copied from the line: its kind and its text."""
    number: int = 0
    """The number of a step; 0 for other lines."""
    is_needed: bool = False
    """Whether nothing can be traded or redeemed before this step is done."""
    is_running: bool = False
    """Whether the step is running now."""
    label: str = ""
    """The name of the action, in a word or two."""
    does: WalletStep | None = None
    """What the line's key prepares; None when there is nothing to do."""
    undoes: WalletStep | None = None
    """What undoes the step."""
    exact: ApprovalView | None = None
    """The approval that can be limited to an amount."""
    refreshes: bool = False
    """Whether the line's key checks again."""
    shows_transactions: bool = False
    """Whether the key of the line shows the wallet's transactions."""
    transaction: TransactionKey | None = None
    """The step's running or last transaction."""

    @property
    def with_whole_address(self) -> str:
        """The result with its address unshortened."""
        what, text = self.copied
        return self.result.replace(shorten_id(text), text) if what == "address" else self.result
