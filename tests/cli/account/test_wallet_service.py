"""A command of the shell that acts through the service which runs."""

from pathlib import Path

import pytest

from pmtui.cli.account.wallet_service import WalletService, running_service
from pmtui.config.settings import load_settings
from pmtui.domain.account.wallet_steps import Deploy
from pmtui.domain.orders.order import Rejected
from pmtui.link.messages import Refused
from pmtui.service.topics import WalletTopic
from tests.link.kit import running_house
from tests.service.order_kit import until

SETTINGS = load_settings({"profile": "paper"}, environ={})


async def test_a_command_reads_and_acts_through_the_service_that_runs(tmp_path: Path) -> None:
    async with (
        running_house(tmp_path) as house,
        running_service(house.path, SETTINGS) as service,
    ):
        assert isinstance(service, WalletService)
        told: list[object] = []
        _ = service.subscriptions.subscribe([WalletTopic()], told.append)
        await until(house.world, lambda: told, "the wallet")
        assert service.queries.wallet() == house.world.service.queries.wallet()
        answer = await service.commands.prepare_wallet(Deploy())
        assert answer == await house.world.service.commands.prepare_wallet(Deploy())
        assert isinstance(answer, Rejected)
        assert not house.server.was_attended


async def test_where_no_service_runs_there_is_none_to_act_through(tmp_path: Path) -> None:
    async with running_service(tmp_path / "nobody.sock", SETTINGS) as service:
        assert service is None


async def test_a_service_of_another_version_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmtui.link.connection.__version__", "0.0.1")
    async with (
        running_house(tmp_path) as house,
        running_service(house.path, SETTINGS) as service,
    ):
        assert isinstance(service, Refused)
        assert "0.0.1" in service.reason
