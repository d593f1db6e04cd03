"""Completion, asked of the shells themselves."""

import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pmtui.cli.main import main
from pmtui.cli.manual.commands import COMMANDS
from pmtui.cli.manual.shells import SHELLS, contexts
from pmtui.reads.registry import READS

LINES = [
    ([""], set(COMMANDS)),
    (["ge"], {"get"}),
    (["get", "lead"], {"leaderboard"}),
    (["get", "book", "--to"], {"--token-id"}),
    (["get", "price", "--side", ""], {"BUY", "SELL"}),
    (["get", "markets", "--closed", ""], {"true", "false"}),
    (["get", "tags", "--format", "json"], {"json", "jsonl"}),
    (["--profile", ""], {"paper", "live"}),
    (["--profile", "live", "get", "midp"], {"midpoint", "midpoints"}),
    (["get", "--profile", "live", "midp"], {"midpoint", "midpoints"}),
    (["export", ""], {"orders", "fills", "positions", "activity"}),
    (["export", "fills", "--format", "j"], {"json", "jsonl"}),
    (["completion", ""], {"bash", "zsh", "fish"}),
    (["kill", "--w"], {"--wait"}),
    (["account", "re"], {"remove", "relayer-key", "revoke", "redeem"}),
    (["account", "send", "--dr"], {"--dry-run"}),
    (["account", "new", "--key"], {"--key-fd", "--keystore"}),
]
Complete = Callable[[list[str]], set[str]]


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    def write(shell: str) -> Path:
        path = tmp_path / f"completion.{shell}"
        path.write_text(SHELLS[shell]())
        return path

    return write


def asked(shell: str, program: str) -> set[str]:
    where = shutil.which(shell)
    if where is None:
        pytest.skip(f"no {shell} here")
    flags = {"bash": ["--norc"], "zsh": ["--no-rcs"], "fish": ["--no-config"]}[shell]
    done = subprocess.run(
        [where, *flags, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert not done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize(("words", "expected"), LINES)
def test_bash_completes(
    words: list[str], expected: set[str], script: Callable[[str], Path]
) -> None:
    line = shlex.join(["pmtui", *words])
    program = (
        f"source {script('bash')}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _pmtui; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert asked("bash", program) == expected


@pytest.mark.parametrize(("words", "expected"), LINES)
def test_zsh_completes(words: list[str], expected: set[str], script: Callable[[str], Path]) -> None:
    line = shlex.join(["pmtui", *words])
    # What zsh's own functions are given stands for what they would show of it.
    stubs = (
        "compdef() { : }; compadd() { print -l -- ${@:#--} }; "
        "_describe() { print -l -- ${(P)2%%:*} }; "
    )
    program = f"{stubs} source {script('zsh')}; words=({line}); CURRENT={len(words) + 1}; _pmtui"
    offered = asked("zsh", program)
    assert {word for word in offered if word.startswith(words[-1])} == expected


@pytest.mark.parametrize(("words", "expected"), LINES)
def test_fish_completes(
    words: list[str], expected: set[str], script: Callable[[str], Path]
) -> None:
    line = " ".join(["pmtui", *words])
    program = (
        f"source {script('fish')}; complete -C {shlex.quote(line)} | string split -f1 \\t; true"
    )
    assert asked("fish", program) == expected


def test_a_file_is_completed_where_one_is_wanted(
    tmp_path: Path, script: Callable[[str], Path]
) -> None:
    (tmp_path / "hour.rec").touch()
    program = (
        f"source {script('bash')}; COMP_WORDS=(pmtui replay {tmp_path}/h); COMP_CWORD=2; _pmtui; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert asked("bash", program) == {f"{tmp_path}/hour.rec"}


def test_an_option_takes_a_value_everywhere_or_nowhere() -> None:
    takes: dict[str, set[bool]] = {}
    for place in contexts():
        for option in place.options:
            takes.setdefault(option.name, set()).add(bool(option.takes))
    assert {name for name, both in takes.items() if len(both) > 1} == set()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_writes_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == SHELLS[shell]()


def test_every_read_is_in_every_script() -> None:
    for make in SHELLS.values():
        assert all(name in make() for name in READS)


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["completion", "tcsh"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
