import pytest

from pmtui.clients.account import KeysClient, MadeBuilderKey
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import ApiKey
from pmtui.reads.trading_routes import LIVE_ROUTES, SEED_ROUTES
from pmtui.signing.auth import ApiCredentials, RequestSigner
from pmtui.signing.secret import Secret
from tests.clients.account_kit import account_client, is_signed
from tests.clients.raw_server import answering, serving

BUILDER = ApiCredentials(
    ApiKey("b1"), secret=Secret.from_text("c2hhcmVk"), passphrase=Secret.from_text("p")
)
DONE = answering(b'"OK"')


async def test_a_new_builder_key_hides_its_secret() -> None:
    body = b'{"key":"b1","secret":"c2hhcmVk","passphrase":"p"}'
    async with serving(answering(body)) as server:
        made = await KeysClient(account_client(server.host()).requests).create_builder_key()
        assert isinstance(made, MadeBuilderKey)
        assert made.key.key == made.credentials.key == "b1"
        assert made.key.code is None
        assert "c2hhcmVk" not in repr(made)


async def test_a_new_builder_key_keeps_the_code_that_is_told_with_it() -> None:
    code = "0x" + "ab" * 32
    body = f'{{"key":"b1","secret":"c2hhcmVk","passphrase":"p","builderCode":"{code}"}}'
    async with serving(answering(body.encode())) as server:
        made = await KeysClient(account_client(server.host()).requests).create_builder_key()
        assert isinstance(made, MadeBuilderKey)
        assert made.key.code == code


async def test_a_builder_key_is_revoked_by_its_name_where_the_path_has_one() -> None:
    async with serving(DONE) as server:
        client = KeysClient(account_client(server.host(), SEED_ROUTES).requests)
        assert await client.revoke_builder_key(ApiKey("b1"), credentials=BUILDER) is None
        assert server.lines == ["DELETE /auth/builder-api-key/b1 HTTP/1.1"]
        assert is_signed(server.calls[0])


async def test_elsewhere_a_builder_key_revokes_itself() -> None:
    async with serving(DONE) as server:
        client = KeysClient(account_client(server.host()).requests)
        assert await client.revoke_builder_key(ApiKey("b1"), credentials=BUILDER) is None
        headers = server.calls[0].headers
        assert headers["poly_builder_api_key"] == "b1"
        assert headers["poly_builder_signature"] == RequestSigner(BUILDER).signature(
            headers["poly_builder_timestamp"], "DELETE", "/auth/builder-api-key"
        )
        assert "poly_api_key" not in headers


@pytest.mark.parametrize("listed", [b'["b1","b2"]', b"[]", b'["b2"]'])
async def test_without_its_credentials_only_the_one_key_there_is_can_be_revoked(
    listed: bytes,
) -> None:
    async with serving(answering(listed)) as server:
        client = KeysClient(account_client(server.host(), LIVE_ROUTES).requests)
        refused = await client.revoke_builder_key(ApiKey("b1"))
        assert isinstance(refused, Failure)
        assert refused.kind is FailureKind.CANCELLED
        assert server.lines == ["GET /auth/builder-api-key HTTP/1.1"]


async def test_credentials_of_another_key_are_a_mistake() -> None:
    async with serving(DONE) as server:
        client = KeysClient(account_client(server.host()).requests)
        with pytest.raises(ValueError, match="another key"):
            await client.revoke_builder_key(ApiKey("b2"), credentials=BUILDER)
