"""Runs the service's official unified library, unmodified, from a bare key to cash again.

It has pins of its own, so it runs under another interpreter (see `test_official_wallet`): nothing of pmtui
is imported here. What to do comes as JSON on standard input, what was seen goes out as JSON.
"""

import dataclasses
import json
import sys
import urllib.request
from typing import Any

from polymarket.auth import RelayerApiKey
from polymarket.clients.secure import SecureClient
from polymarket.environments import PRODUCTION, _create_environment


def main() -> None:
    """Deploy, approve, split, merge and redeem."""
    asked: dict[str, Any] = json.load(sys.stdin)
    urls = asked["urls"]
    config = dataclasses.replace(
        PRODUCTION._config,
        clob_url=urls["clob"],
        clob_market_ws_url=urls["ws_market"],
        clob_user_ws_url=urls["ws_user"],
        relayer_url=urls["relayer"],
        gamma_url=urls["gamma"],
        data_url=urls["data"],
        rpc_url=urls["rpc"],
        relayer_poll_frequency_ms=200,
    )
    key = RelayerApiKey(key=asked["relayer_key"], address=asked["owner"])
    client = SecureClient.create(
        private_key=asked["key"],
        environment=_create_environment(name="local", config=config),
        api_key=key,
    )
    states: dict[str, object] = {"wallet": client.wallet, "type": str(client.wallet_type)}

    def operate(path: str, body: dict[str, object]) -> None:
        request = urllib.request.Request(
            urls["admin"] + path, json.dumps(body).encode(), asked["operator"]
        )
        urllib.request.urlopen(request).close()

    operate("/fund", {"address": client.wallet, "amount": "100"})
    client.setup_trading_approvals().wait()
    condition = asked["condition"]
    split = client.split_position(condition_id=condition, amount=40_000_000)
    states["split"] = str(split.wait())
    merge = client.merge_positions(condition_id=condition, amount=10_000_000)
    states["merge"] = str(merge.wait())
    operate("/resolve", {"condition_id": condition, "winner": 0})
    states["redeem"] = str(client.redeem_positions(condition_id=condition).wait())
    client.close()
    json.dump(states, sys.stdout)


if __name__ == "__main__":
    main()
