"""The paper account: a key that only the local venue knows, and play money for its wallet.

The key opens nothing outside the local venue, so it lies in a file of its own that only the user
can read; keys that hold real money are keystores with a passphrase.
"""

import os
from pathlib import Path

import msgspec

from pmtui.cli.keys.live_key import PAPER_KEY_FILE
from pmtui.clients.http.client import HttpHost
from pmtui.config.paths import open_to_overwrite, private_dir, why_untrusted
from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.signing.keystore import create_key
from pmtui.signing.secret import Secret
from pmtui.sim.admin_token import operator_headers

STARTING_CASH = "10000"
KEY_FILE = PAPER_KEY_FILE


class _Ledger(msgspec.Struct):
    lines: list[msgspec.Raw] = []


def load_paper_key(state_dir: Path) -> Secret:
    """Return the paper key, drawing and storing one the first time.

    Raises:
        OSError: the state directory cannot be written.
        ValueError: the file holds no key, or others could have written it.
    """
    path = state_dir / KEY_FILE
    if path.exists():
        if reason := why_untrusted(path):
            raise ValueError(reason)
        return Secret.from_hex(path.read_text(encoding="ascii"))
    private_dir(state_dir)
    secret = create_key(os.urandom)
    unfinished = path.with_suffix(".new")
    with os.fdopen(open_to_overwrite(unfinished), "w", encoding="ascii") as file:
        file.write(secret.reveal().hex())
    # Renamed whole: a crash leaves no half of a key.
    unfinished.replace(path)
    return secret


async def fund_once(admin: HttpHost, wallet: Address, *, token: str) -> Failure | None:
    """Give a wallet its starting cash unless it has had some before.

    Args:
        admin: the venue's operator.
        wallet: whose cash it is.
        token: what the operator's address asks for.
    """
    headers = operator_headers(token)
    answer = await admin.read(f"/ledger/{wallet}", route="/ledger/{address}", headers=headers)
    if isinstance(answer, Failure):
        if answer.kind is not FailureKind.NOT_FOUND:
            return answer
    elif msgspec.json.decode(answer, type=_Ledger).lines:
        return None
    body = msgspec.json.encode({"address": wallet, "amount": STARTING_CASH})
    funded = await admin.send("POST", "/fund", body=body, headers=headers)
    return funded if isinstance(funded, Failure) else None
