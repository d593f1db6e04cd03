import pytest

from pmtui.domain.account.exit_policy import Departure, LeavePolicy, say_leaving


@pytest.mark.parametrize("is_paper", [True, False])
@pytest.mark.parametrize("is_switch_armed", [True, False])
def test_cancelling_is_the_same_everywhere(is_switch_armed: bool, is_paper: bool) -> None:
    said = say_leaving(LeavePolicy.CANCEL, is_switch_armed=is_switch_armed, is_paper=is_paper)
    assert said == "Every order is cancelled before pmtui ends."


@pytest.mark.parametrize("policy", [LeavePolicy.LEAVE, LeavePolicy.SWITCH])
def test_an_armed_switch_cancels_whatever_else_was_chosen(policy: LeavePolicy) -> None:
    said = say_leaving(policy, is_switch_armed=True, is_paper=False)
    assert "the venue cancels every order 10 to 15 s later" in said


def test_a_switch_that_nobody_armed_cancels_nothing_and_that_is_said() -> None:
    said = say_leaving(LeavePolicy.SWITCH, is_switch_armed=False, is_paper=False)
    assert "nothing cancels them: they stay" in said
    assert "stay" in say_leaving(LeavePolicy.LEAVE, is_switch_armed=False, is_paper=False)


def test_the_local_venue_ends_with_us_and_its_switch_with_it() -> None:
    for policy in (LeavePolicy.LEAVE, LeavePolicy.SWITCH):
        said = say_leaving(policy, is_switch_armed=True, is_paper=True)
        assert said.startswith("Paper orders come back on the next start, if a heartbeat")
    said = say_leaving(LeavePolicy.LEAVE, is_switch_armed=False, is_paper=True)
    assert said == "Paper orders come back on the next start."


def test_only_quitting_goes_by_its_own_setting() -> None:
    settings = {departure: departure.setting for departure in Departure}
    assert settings.pop(Departure.QUIT) == "on_quit"
    assert set(settings.values()) == {"on_hangup"}
