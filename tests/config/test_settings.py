"""Settings from their four sources, and what a bad one says."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from pmtui.config.endpoints import LIVE, Dialect
from pmtui.config.settings import load_settings
from pmtui.config.terminal_settings import KeyOverride
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import Micros
from pmtui.domain.orders.exit_policy import ExitPolicy, ExitReason
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.domain.orders.limits import NO_LIMITS, Limits
from pmtui.domain.ticket.draft import DEFAULT_PRESETS


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PROFILE", "CLOB_URL", "PRIVATE_KEY", "FRAME_RATE", "THEME", "CHART__INTERVAL"):
        monkeypatch.delenv(f"PMTUI_{name}", raising=False)
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config" / "config.toml"
    path.parent.mkdir()
    return path


def problem(overrides: dict[str, object] | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        load_settings(overrides)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_without_anything_it_is_the_paper_profile() -> None:
    settings = load_settings()
    assert settings.is_paper
    assert settings.dialect is Dialect.SEED
    assert settings.endpoints(LIVE) == LIVE
    assert settings.chart.interval is Interval.DAY
    assert settings.presets == DEFAULT_PRESETS
    assert settings.private_key is None
    assert settings.keys == {}


def test_the_command_line_beats_the_environment_beats_the_file(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.write_text('theme = "from-file"\nframe_rate = 5\nclob_url = "http://file.test"\n')
    assert load_settings().theme == "from-file"
    monkeypatch.setenv("PMTUI_THEME", "from-environment")
    monkeypatch.setenv("PMTUI_CLOB_URL", "http://environment.test")
    settings = load_settings({"theme": "from-command", "clob_url": None})
    assert settings.theme == "from-command"
    assert settings.endpoints(LIVE).clob == "http://environment.test"
    assert settings.frame_rate == 5


def test_nested_settings_have_nested_names(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text('[chart]\ninterval = "1h"\n')
    assert load_settings().chart.interval is Interval.HOUR
    monkeypatch.setenv("PMTUI_CHART__INTERVAL", "1w")
    assert load_settings().chart.interval is Interval.WEEK


def test_every_host_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("CLOB", "GAMMA", "DATA", "RELAYER", "RPC", "GEOBLOCK")
    for name in names:
        monkeypatch.setenv(f"PMTUI_{name}_URL", f"http://127.0.0.1:1/{name.lower()}/")
    for name in ("WS_MARKET", "WS_USER"):
        monkeypatch.setenv(f"PMTUI_{name}_URL", f"ws://127.0.0.1:1/{name.lower()}")
    found = load_settings().endpoints(LIVE)
    assert [getattr(found, name.lower()) for name in names] == [
        f"http://127.0.0.1:1/{name.lower()}" for name in names
    ]
    assert (found.ws_market, found.ws_user) == (
        "ws://127.0.0.1:1/ws_market",
        "ws://127.0.0.1:1/ws_user",
    )


def test_a_profile_of_ones_own_goes_under_single_addresses(config: Path) -> None:
    config.write_text(
        '[profiles.desk]\nclob_url = "http://desk.test"\ndata_url = "http://desk.test/data"\n'
        'dialect = "seed"\nsignature_type = "eoa"\n'
    )
    settings = load_settings({"profile": "desk", "data_url": "http://other.test"})
    found = settings.endpoints(LIVE)
    assert (found.clob, found.data, found.gamma) == (
        "http://desk.test",
        "http://other.test",
        LIVE.gamma,
    )
    assert not settings.is_paper
    assert settings.dialect is Dialect.SEED
    assert settings.signature_type is SignatureType.EOA


def test_the_live_profile_speaks_the_live_dialect() -> None:
    settings = load_settings({"profile": "live"})
    assert (settings.dialect, settings.is_paper) == (Dialect.LIVE, False)


def test_keys_come_with_their_lines_however_they_are_written(config: Path) -> None:
    config.write_text('[keys]\nmarket.flip = "o"\n\n"market.buy" = ["b", "B"]\n')
    settings = load_settings()
    assert settings.for_terminal().keys == {
        "market.flip": KeyOverride(("o",), 2),
        "market.buy": KeyOverride(("b", "B"), 4),
    }


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("order_deadline_s = 0\n", 1, "order_deadline_s: should be 1 or more"),
        ("frame_rate = 100\n", 1, "frame_rate: should be 60 or less"),
        ("\n\nfoo = 1\n", 3, "foo: no such setting"),
        ('theme = "x"\n[chart]\ninterval = "2d"\n', 3, "chart.interval: should be '1h'"),
        ('[profiles.desk]\nclob_url = "ftp://x"\n', 2, "not an address"),
        ('[profiles.desk]\nws_user_url = "http://x"\n', 2, "ws:// or wss://"),
        ('[profiles.desk]\nwss = "x"\n', 2, "no such setting"),
        ("[profiles.live]\n", 1, "built-in profile"),
        ('clob_url = "http://user:word@x"\n', 1, "nothing else"),
        ('clob_url = "http://x:port"\n', 1, "clob_url"),
        ("presets = [\n5,\n0]\n", 1, "presets.1: a size is more than 0"),
        ("[limits]\norder_usd = 0\n", 2, "limits.order_usd: a limit is more than 0"),
        ("[limits]\nmarket_usd = true\n", 2, "not a number of dollars"),
        ("[limits]\norder = 5\n", 2, "limits.order: no such setting"),
        ("presets = [true]\n", 1, "not a number of shares"),
        ("presets = [0.0000001]\n", 1, "at most six decimals"),
        ("presets = []\n", 1, "presets: should have 1 or more entries"),
        ("presets = [1, 2, 3, 4, 5, 6]\n", 1, "presets: should have 5 entries at most"),
        ('frame_rate = "fast"\n', 1, "frame_rate: should be a whole number"),
        ("frame_rate = 1.5\n", 1, "frame_rate: should be a whole number"),
        ("theme = 3\n", 1, "theme: should be a text in quotes"),
        ("chart = 3\n", 1, "chart: should be a table"),
        ("profiles = 3\n", 1, "profiles: should be a table"),
        ("[keys]\nmarket.flip = 3\n", 2, "keys.market.flip: should be a list"),
        ("a = [\n", 2, ""),
        ("a = 1\nb = @\n", 2, "Invalid value: a text stands in quotes"),
        ('private_key = "0xabc"\n', 1, "a private key comes from a keystore"),
        ('profile = "nowhere"\n', 1, "no profile 'nowhere'; there is paper, live"),
    ],
)
def test_a_mistake_in_the_file_is_pointed_at(
    config: Path, text: str, line: int, words: str
) -> None:
    config.write_text(text)
    said = problem()
    assert said.startswith(f"{config}:{line}")
    assert words in said
    assert "abc" not in said


def test_limits_come_from_the_file_and_from_the_environment(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings().limits.to_limits() == NO_LIMITS
    config.write_text("[limits]\norder_usd = 50\ntotal_usd = 1000.50\n")
    monkeypatch.setenv("PMTUI_LIMITS__ORDER_USD", "75")
    monkeypatch.setenv("PMTUI_LIMITS__DAILY_LOSS_USD", "20")
    assert load_settings().limits.to_limits() == Limits(
        order=Micros(75_000_000),
        total=Micros(1_000_500_000),
        daily_loss=Micros(20_000_000),
    )
    monkeypatch.setenv("PMTUI_LIMITS__ORDER_USD", "much")
    assert problem().startswith("PMTUI_LIMITS__ORDER_USD")


def test_a_mistake_elsewhere_names_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problem({"frame_rate": "fast"}).startswith("--frame-rate: ")
    assert problem({"private_key": "0x1"}).startswith("--private-key: ")
    assert problem({"profile": "nowhere"}).startswith("--profile: ")
    monkeypatch.setenv("PMTUI_CHART__INTERVAL", "2d")
    assert problem().startswith("PMTUI_CHART__INTERVAL: ")
    monkeypatch.delenv("PMTUI_CHART__INTERVAL")
    monkeypatch.setenv("PMTUI_PRESETS", "[5,")
    assert "presets" in problem()


def test_a_file_that_cannot_be_read_is_a_mistake(config: Path) -> None:
    config.write_bytes(b'theme = "\xff"\n')
    assert problem() == f"{config}: not UTF-8"
    config.unlink()
    config.mkdir()
    assert problem().startswith(str(config))


def test_the_private_key_does_not_show_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", "0xac0974bec39a17e3")
    settings = load_settings()
    assert settings.private_key is not None
    assert settings.private_key.get_secret_value() == "0xac0974bec39a17e3"
    assert "ac0974" not in f"{settings!r} {settings} {settings.private_key}"


def test_a_strange_private_key_is_not_repeated_in_the_mistake(config: Path) -> None:
    config.write_text("[private_key]\ninner = 'ac0974bec39a17e3'\n")
    assert "ac0974" not in problem()


def test_settings_do_not_change() -> None:
    settings = load_settings()
    with pytest.raises(ValidationError):
        settings.theme = "other"


def test_heartbeats_are_off_and_orders_stay_until_somebody_chooses() -> None:
    settings = load_settings()
    assert settings.heartbeat is HeartbeatPolicy.OFF
    assert {settings.leave_policy(exit_reason) for exit_reason in ExitReason} == {ExitPolicy.LEAVE}


def test_whoever_sends_heartbeats_leaves_orders_to_the_switch(config: Path) -> None:
    config.write_text('heartbeat = "armed"\non_quit = "cancel"\n')
    settings = load_settings()
    assert settings.leave_policy(ExitReason.QUIT) is ExitPolicy.CANCEL
    for exit_reason in (ExitReason.HANG_UP, ExitReason.TERMINATION, ExitReason.BUG):
        assert settings.leave_policy(exit_reason) is ExitPolicy.SWITCH


@pytest.mark.parametrize("heartbeat", ["on", "armed"])
def test_orders_cannot_be_left_where_the_venue_cancels_them(config: Path, heartbeat: str) -> None:
    config.write_text(f'heartbeat = "{heartbeat}"\non_hangup = "leave"\n')
    assert problem() == (
        f"{config}:2 on_hangup: leave cannot be kept: once heartbeats end, the venue cancels every "
        "order"
    )


def test_a_switch_without_heartbeats_would_do_nothing(config: Path) -> None:
    config.write_text('on_quit = "switch"\n')
    assert problem() == f'{config}:1 on_quit: switch needs heartbeat = "on" or "armed"'


def test_a_wrong_heartbeat_is_told_of_and_nothing_else(config: Path) -> None:
    config.write_text('heartbeat = "often"\non_quit = "switch"\n')
    assert "heartbeat: should be 'off', 'on' or 'armed'" in problem()


@pytest.mark.parametrize("depth", [100, 900, 3_000])
@pytest.mark.parametrize(
    ("before", "opening", "closing"),
    [
        ("presets = ", "[", "]"),
        ("keys = ", "{a = ", "}"),
        ("keys.", "a.", ""),
        ("keys.a = ", "[", "]"),
        ("nothing = ", "[", "]"),
    ],
)
def test_however_deep_a_file_is_nested_one_line_says_so(
    config: Path, depth: int, before: str, opening: str, closing: str
) -> None:
    inside = "a = 1" if opening == "a." else "1"
    config.write_text(f"{before}{opening * depth}{inside}{closing * depth}\n")
    assert str(config) in problem() or problem().startswith("environment")


@pytest.mark.parametrize("digits", [100, 5_000, 100_000])
@pytest.mark.parametrize(
    "setting", ["frame_rate", "presets", "theme", "limits.order_usd", "nothing"]
)
def test_however_long_a_number_is_one_line_says_so(config: Path, digits: int, setting: str) -> None:
    config.write_text(f"{setting} = {'9' * digits}\n")
    assert len(problem()) < 300


def test_a_file_of_no_reasonable_size_is_not_read(config: Path) -> None:
    config.write_text("#" * (1 << 21))
    assert "longer than" in problem()


def test_nested_settings_of_the_environment_are_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PMTUI_PROFILES", "[" * 100_000)
    assert problem()


def test_a_file_that_others_could_have_written_is_refused(config: Path) -> None:
    config.write_text('theme = "slate"\n')
    assert load_settings().theme == "slate"
    config.chmod(0o666)
    assert problem() == f"{config}: refused: others can write to {config}; chmod go-w {config}"
    config.chmod(0o600)
    config.parent.chmod(0o777)
    assert "refused" in problem()


def test_names_from_a_file_do_nothing_to_a_terminal(config: Path) -> None:
    config.write_text('"\\u001b]52;c;AA\\u0007\\u202e" = 1\n')
    assert problem().isprintable()
    config.write_text('[profiles."\\u001b[2J"]\n')
    assert problem().isprintable()


def test_an_odd_path_does_nothing_to_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "\x1b[31m\udcff"
    (home / "config").mkdir(parents=True)
    (home / "config" / "config.toml").write_text("theme = 1\n")
    monkeypatch.setenv("PMTUI_HOME", str(home))
    assert problem().isprintable()


@pytest.mark.parametrize("name", ["../x", "..", "a/b", "/etc", ".x", ""])
def test_a_profile_never_names_a_directory_elsewhere(config: Path, name: str) -> None:
    config.write_text(f'[profiles."{name}"]\n')
    assert "cannot name a directory" in problem({"profile": name})


def test_only_what_a_service_acts_by_changes_its_rules(config: Path) -> None:
    usual = load_settings().rules_digest()
    config.write_text(
        'theme = "nord"\npresets = [1, 2, 3, 4, 5]\n[keys]\n"global.quit" = ["f10"]\n'
    )
    assert load_settings().rules_digest() == usual
    rules = ("[limits]\norder_usd = 5\n", 'heartbeat = "armed"\n', "order_deadline_s = 20\n")
    digests = set()
    for text in rules:
        config.write_text(text)
        digests.add(load_settings().rules_digest())
    assert len(digests - {usual}) == len(rules)


def test_a_key_does_not_change_the_digest_of_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = load_settings({"profile": "live"}).rules_digest()
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", "0x" + "5d" * 32)
    assert load_settings({"profile": "live"}).rules_digest() == usual
