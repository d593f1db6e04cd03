"""The house rules that a machine can check."""

import ast
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pmtui"
MAX_MODULE_LINES = 800
MAX_FUNCTION_LINES = 50
MAX_METHODS = 40
WAYS_OUT = {"print", "input", "sys.stdout", "sys.stderr", "os.write"}
NO_MARKUP = {"Input"}
"""Widgets of Textual that read no string of ours as markup."""
MARKUP = {"Content.from_markup", "Text.from_markup", "tooltip"}
JOBLESS_NAMES = {"utils", "helpers", "common", "manager", "base"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def committed_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@dataclass(frozen=True, slots=True)
class Source:
    """A module of the package."""

    name: str
    """Its path in the package."""
    text: str
    nodes: tuple[ast.AST, ...]


Rule = Callable[[Source], Iterator[str]]


@pytest.fixture(scope="module")
def strays() -> Mapping[Rule, list[str]]:
    """What breaks each rule, of all modules: each is parsed once, and forgotten before the next."""
    found = defaultdict[Rule, list[str]](list)
    for path in modules():
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(PACKAGE).as_posix()
        source = Source(name, text, tuple(ast.walk(ast.parse(text))))
        for rule in RULES:
            found[rule] += (f"{name}: {stray}" for stray in rule(source))
    return found


def too_large(source: Source) -> Iterator[str]:
    if len(source.text.splitlines()) > MAX_MODULE_LINES:
        yield "has too many lines"
    if Path(source.name).stem in JOBLESS_NAMES:
        yield "has a name without a job"
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                yield f"{node.name} has {length} lines"
        if isinstance(node, ast.ClassDef):
            methods = [
                f for f in node.body if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef)
            ]
            if len(methods) > MAX_METHODS:
                yield f"{node.name} has {len(methods)} methods"


def test_a_module_has_one_job_and_fits_its_limits(strays: Mapping[Rule, list[str]]) -> None:
    assert strays[too_large] == []


def catches_everything(source: Source) -> Iterator[str]:
    if source.name == "service/supervisor.py":
        return
    for node in source.nodes:
        if isinstance(node, ast.ExceptHandler):
            names = (
                {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)}
                if node.type
                else {"bare"}
            )
            if names & {"bare", "Exception", "BaseException"}:
                yield str(node.lineno)


def test_only_the_supervisor_catches_everything(strays: Mapping[Rule, list[str]]) -> None:
    assert strays[catches_everything] == []


NO_MONEY = frozenset({"backoff.py"})
"""Counts nothing but seconds."""


def counts_in_floats(source: Source) -> Iterator[str]:
    if not source.name.startswith("domain/") or Path(source.name).name in NO_MONEY:
        return
    spans = [n.annotation for n in source.nodes if is_duration(n)]
    durations = {id(i) for span in spans if span is not None for i in ast.walk(span)}
    for node in source.nodes:
        if isinstance(node, ast.Name) and node.id == "float" and id(node) not in durations:
            yield f"{node.lineno} float"
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield f"{node.lineno} {node.value}"


def test_the_domain_counts_in_integers(strays: Mapping[Rule, list[str]]) -> None:
    assert strays[counts_in_floats] == []


def is_duration(node: ast.AST) -> TypeGuard[ast.AnnAssign | ast.arg]:
    """Whether it states a time span in seconds: no money is counted in those."""
    if isinstance(node, ast.arg):
        return node.arg.endswith("_s")
    return (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id.endswith("_s")
    )


REGISTRY = re.compile(
    r"https?://[^\s\"'<>]+/(?:simple|packages)/|^\s*(?:extra-)?index-url\s*=", re.M
)
MACHINE_PATH = re.compile(
    r"(?<![\w.}])/(?:(?:home|Users)/[^/\s\"'<>]+|root|work|tmp(?!/tmux-))/|[A-Z]:\\Users\\"
)
"""A folder that only somebody's machine has. The socket of tmux is everywhere.

By its form, never by where this clone lies: every clone has to give the same answer.
"""


def test_no_committed_file_names_a_registry_or_a_machine() -> None:
    for path in committed_files():
        if path.suffix in {".py", ".md", ".toml", ".txt", ".json", ".tcss", ".svg", ""}:
            text = path.read_text(errors="ignore")
            assert not REGISTRY.search(text), path
            assert not MACHINE_PATH.search(text), path


@pytest.mark.parametrize(
    "folder", ["home/ann", "Users/ann", "root", "work", "tmp", "tmp/x", "home/ann/x"]
)
def test_a_path_of_a_machine_is_seen_wherever_the_clone_lies(folder: str) -> None:
    path = f"/{folder}/pmtui/cli"
    assert MACHINE_PATH.search(f'cd "{path}"')
    assert MACHINE_PATH.search(f"in {path}: done")
    assert not MACHINE_PATH.search(f"https://host.example{path}")
    assert not MACHINE_PATH.search(f"{{base}}{path}")


def remembers_endlessly(source: Source) -> Iterator[str]:
    for node in source.nodes:
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and any(map(is_endless, node.decorator_list))
            # Nothing, and the classes there are, are bounded by themselves.
            and any(a.annotation and ast.unparse(a.annotation) != "type" for a in node.args.args)
        ):
            yield node.name


def test_what_is_remembered_by_argument_is_bounded(strays: Mapping[Rule, list[str]]) -> None:
    assert strays[remembers_endlessly] == []


def is_endless(decorator: ast.expr) -> bool:
    """Whether it is a cache of the standard library that keeps everything, or does not say."""
    call = decorator if isinstance(decorator, ast.Call) else None
    name = ast.unparse(call.func if call else decorator).rpartition(".")[2]
    sizes = [k.value for k in call.keywords if k.arg == "maxsize"] if call else []
    is_stated = any(
        (isinstance(s, ast.Constant) and isinstance(s.value, int))
        or (isinstance(s, ast.Name) and s.id.isupper())
        for s in sizes
    )
    return name == "cache" or (name == "lru_cache" and not is_stated)


def imported_by(code: str) -> set[str]:
    """Return the packages that are there then."""
    program = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "COVERAGE_PROCESS_START": ""},
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_the_libraries_of_keystores_and_of_the_local_venue_do_not_come_with_a_session() -> None:
    loaded = imported_by("import pmtui.cli.standalone, pmtui.cli.hosts, pmtui.ui.charts.chart")
    assert not loaded & {"eth_account", "Crypto", "plotext", "starlette", "uvicorn"}


def test_the_protocol_of_agents_comes_only_with_a_client_that_speaks_it() -> None:
    loaded = imported_by("import pmtui.cli.agent.agent, pmtui.cli.get.get")
    assert not loaded & {"mcp", "starlette", "uvicorn", "textual"}


def test_the_service_runs_without_a_terminal() -> None:
    assert not imported_by("import pmtui.service.data_service") & {"textual", "rich"}
    # As `pmtui serve` begins: httpx without its own command line.
    begin = (
        "from pmtui.cli.main import main\ntry: main(['serve', '--help'])\nexcept SystemExit: pass"
    )
    loaded = imported_by(f"{begin}\nimport pmtui.cli.service.service_process")
    assert not loaded & {"textual", "rich", "plotext", "eth_account", "starlette", "uvicorn"}


def test_a_terminal_on_a_service_holds_no_sockets_no_key_and_no_journal() -> None:
    loaded = imported_by("import pmtui.cli.attach, pmtui.cli.attached_terminal")
    assert not loaded & {
        "coincurve", "eth_account", "h2", "httpcore", "httpx", "plotext", "pydantic", "pydantic_settings",
        "sqlite3", "websockets",
    }  # fmt: skip


def test_the_local_venue_runs_without_a_terminal() -> None:
    assert not imported_by("import pmtui.cli.venue.sim") & {"textual", "rich", "eth_account"}


def asks_for_mounted(source: Source) -> Iterator[str]:
    # Textual's own word stays true for ever: what comes late finds half of a screen gone.
    if source.name.startswith("ui/") and ".is_mounted" in source.text and "Screen):" in source.text:
        yield "ask `is_live` of ui/frame.py instead"


def test_a_screen_that_is_being_taken_away_is_shown_nothing(
    strays: Mapping[Rule, list[str]],
) -> None:
    assert strays[asks_for_mounted] == []


def writes_by_itself(source: Source) -> Iterator[str]:
    if not source.name.startswith("cli/") or Path(source.name).name == "output.py":
        return
    for node in source.nodes:
        if isinstance(node, ast.Attribute | ast.Name) and ast.unparse(node) in WAYS_OUT:
            yield f"{node.lineno} {ast.unparse(node)}"


def test_commands_write_through_one_module(strays: Mapping[Rule, list[str]]) -> None:
    """Everything else may hold a venue's text, which steers a terminal that shows it raw."""
    assert strays[writes_by_itself] == []


def reads_markup(source: Source) -> Iterator[str]:
    if not source.name.startswith("ui/"):
        return
    for node in source.nodes:
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".notify"):
            given = {k.arg: ast.unparse(k.value) for k in node.keywords}
            if given.get("markup") != "False":
                yield f"{node.lineno} notify"
        if isinstance(node, ast.ImportFrom) and node.module == "textual.widgets":
            yield from (f"{node.lineno} {n.name}" for n in node.names if n.name not in NO_MARKUP)
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in MARKUP:
            yield f"{node.lineno} {ast.unparse(node)}"


def test_no_string_reaches_textual_as_markup(strays: Mapping[Rule, list[str]]) -> None:
    """A market titled "[bold]" shows as that: notices are not markup, other widgets take Content."""
    assert strays[reads_markup] == []


RULES: tuple[Rule, ...] = (
    too_large,
    catches_everything,
    counts_in_floats,
    remembers_endlessly,
    asks_for_mounted,
    writes_by_itself,
    reads_markup,
)
