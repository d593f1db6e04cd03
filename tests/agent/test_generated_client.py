"""A client that a public generator makes of the document reads all six paths."""

import asyncio
import importlib
import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pmtui.agent.http_app import make_document
from pmtui.agent.tools import Toolbox
from tests.agent.ports import TOKEN, FakePort
from tests.agent.serving import SIX, VALUES, served

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("openapi_python_client") is None,
    reason="openapi-python-client is not installed: `make` installs it with the test extra",
)
SECONDS = 60
NAME = "generated_client"


@pytest.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Generate a client in a process of its own; a warning of the generator fails."""
    document = make_document(Toolbox(FakePort(), version="0"), version="0", has_token=True)
    (tmp_path / "openapi.json").write_text(json.dumps(document))
    # Its output is not linted: nobody reads it.
    (tmp_path / "config.yml").write_text("post_hooks: []\n")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"),
        *("--path", "openapi.json", "--config", "config.yml", "--output-path", NAME),
        "--fail-on-warning",
        cwd=tmp_path,
        env=dict(os.environ),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(SECONDS):
        said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        monkeypatch.delitem(sys.modules, name)
    return importlib.import_module(NAME)


def operation(
    template: str, document: dict[str, dict[str, dict[str, dict[str, str]]]]
) -> ModuleType:
    """Return the generated module of a path."""
    name = document["paths"][template]["get"]["operationId"]
    return importlib.import_module(f"{NAME}.api.default.{name}")


async def test_all_six_paths_are_read_into_their_types(client: ModuleType) -> None:
    async with served(accepts_token=lambda token: token == "right") as plain:
        made = client.AuthenticatedClient(
            base_url=str(plain.base_url), token="right", httpx_args={"trust_env": False}
        )
        document = (
            await plain.get("/openapi.json", headers={"Authorization": "Bearer right"})
        ).json()
        async with made:
            for template in SIX:
                path = document["paths"][template]["get"]
                names = [parameter["name"] for parameter in path.get("parameters", ())]
                given = {name: VALUES[name] for name in names}
                answer = await operation(template, document).asyncio_detailed(client=made, **given)
                assert answer.status_code == 200, template
                reference = path["responses"]["200"]["content"]["application/json"]["schema"][
                    "$ref"
                ]
                assert type(answer.parsed).__name__ == reference.rpartition("/")[2]
                assert plain_json(answer.parsed.to_dict()) == plain_json(json.loads(answer.content))


async def test_an_error_is_read_as_a_problem(client: ModuleType) -> None:
    async with served() as plain:
        document = (await plain.get("/openapi.json")).json()
        made = client.Client(base_url=str(plain.base_url), httpx_args={"trust_env": False})
        async with made:
            book = operation("/orderbook/{token_id}", document)
            wrong = await book.asyncio(client=made, token_id="0x7")
            right = await book.asyncio(client=made, token_id=TOKEN)
    assert (type(wrong).__name__, wrong.status) == ("Problem", 400)
    assert right.item.bids[0].price == "0.4"


def plain_json(value: object) -> str:
    """Return JSON with times in one spelling: generated types write UTC as an offset."""
    return re.sub(r"\+00:00", "Z", json.dumps(value, sort_keys=True))
