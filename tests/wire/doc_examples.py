"""Example bodies of the service's own documentation, where they are at hand."""

import gzip
import json
from pathlib import Path

from tests.wire.payloads import Json


def documented(
    shared_dir: Path, path: str, *, method: str = "GET", status: str = "200"
) -> list[bytes]:
    """The bodies that the documentation shows for a route of the trading host."""
    listed = shared_dir / "data" / "docs_examples" / "openapi_examples.jsonl.gz"
    rows: list[dict[str, Json]] = [
        json.loads(line) for line in gzip.decompress(listed.read_bytes()).splitlines()
    ]
    found = [
        json.dumps(row["body"]).encode()
        for row in rows
        if (row["api"], row["method"], row["path"], row["status"]) == ("clob", method, path, status)
    ]
    assert found, f"no example of {path}"
    return found
