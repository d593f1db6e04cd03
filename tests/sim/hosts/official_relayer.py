"""Runs the service's older official relayer library, unmodified, from a bare key to cash again.

It has pins of its own, so it runs under another interpreter (see `test_official_wallet`): nothing of pmtui
is imported here. What to do comes as JSON on standard input, what was seen goes out as JSON.
"""

import contextlib
import json
import sys
import urllib.request
from typing import Any

from py_builder_relayer_client.client import RelayClient
from py_builder_relayer_client.models import DepositWalletCall
from py_builder_signing_sdk.config import BuilderConfig
from py_builder_signing_sdk.sdk_types import BuilderApiKeyCreds


def main() -> None:
    """Deploy, approve, split, merge and redeem."""
    asked: dict[str, Any] = json.load(sys.stdin)
    urls = asked["urls"]
    client = RelayClient(
        urls["relayer"],
        137,
        asked["key"],
        BuilderConfig(local_builder_creds=BuilderApiKeyCreds(**asked["builder"])),
        rpc_url=urls["rpc"],
    )
    wallet = client.get_expected_deposit_wallet()
    states: dict[str, object] = {"wallet": wallet}

    def operate(path: str, body: dict[str, object]) -> None:
        request = urllib.request.Request(
            urls["admin"] + path, json.dumps(body).encode(), asked["operator"]
        )
        urllib.request.urlopen(request).close()

    def run(name: str) -> None:
        nonce = client.get_nonce(asked["owner"], "WALLET")["nonce"]
        calls = [DepositWalletCall(**call) for call in asked["batches"][name]]
        sent = client.execute_deposit_wallet_batch(calls, wallet, nonce, asked["deadline"])
        states[name] = sent.wait()["state"]

    # The library tells of its waiting on standard output.
    with contextlib.redirect_stdout(sys.stderr):
        states["before"] = client.get_deployed(wallet, "WALLET")
        states["deploy"] = client.deploy_deposit_wallet().wait()["state"]
        operate("/fund", {"address": wallet, "amount": "100"})
        for name in ("approve", "split", "merge"):
            run(name)
        operate("/resolve", {"condition_id": asked["condition"], "winner": 0})
        run("redeem")
        states["after"] = client.get_deployed(wallet, "WALLET")
    json.dump(states, sys.stdout)


if __name__ == "__main__":
    main()
