"""The house rules that a machine can check."""

import ast
import os
import re
import subprocess
import sys
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


@pytest.mark.parametrize("module", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_has_one_job_and_fits_its_limits(module: Path) -> None:
    text = module.read_text()
    assert len(text.splitlines()) <= MAX_MODULE_LINES
    assert module.stem not in JOBLESS_NAMES
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= MAX_FUNCTION_LINES, f"{node.name} has {length} lines"
        if isinstance(node, ast.ClassDef):
            methods = [
                f for f in node.body if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef)
            ]
            assert len(methods) <= MAX_METHODS, f"{node.name} has {len(methods)} methods"


def test_only_the_supervisor_catches_everything() -> None:
    broad = []
    for module in modules():
        for node in ast.walk(ast.parse(module.read_text())):
            if not isinstance(node, ast.ExceptHandler):
                continue
            names = (
                {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)}
                if node.type
                else {"bare"}
            )
            if names & {"bare", "Exception", "BaseException"}:
                broad.append(f"{module.relative_to(PACKAGE)}:{node.lineno}")
    assert all(place.startswith("service/supervisor.py") for place in broad), broad


NO_MONEY = frozenset({"backoff.py"})
"""Counts nothing but seconds."""


def test_the_domain_counts_in_integers() -> None:
    for module in sorted((PACKAGE / "domain").rglob("*.py")):
        if module.name in NO_MONEY:
            continue
        tree = ast.parse(module.read_text())
        spans = [n.annotation for n in ast.walk(tree) if is_duration(n)]
        durations = {id(i) for span in spans if span is not None for i in ast.walk(span)}
        for node in ast.walk(tree):
            is_float = isinstance(node, ast.Name) and node.id == "float"
            assert not is_float or id(node) in durations, module.name
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), (
                module.name
            )


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


def test_what_is_remembered_by_argument_is_bounded() -> None:
    endless = [
        f"{module.relative_to(PACKAGE)}: {node.name}"
        for module in modules()
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        # Nothing, and the classes there are, are bounded by themselves.
        and any(arg.annotation and ast.unparse(arg.annotation) != "type" for arg in node.args.args)
        and any(is_endless(decorator) for decorator in node.decorator_list)
    ]
    assert endless == []


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
    loaded = imported_by("import pmtui.cli.compose, pmtui.cli.hosts, pmtui.ui.charts.paint_chart")
    assert not loaded & {"eth_account", "Crypto", "plotext", "starlette", "uvicorn"}


def test_the_protocol_of_agents_comes_only_with_a_client_that_speaks_it() -> None:
    loaded = imported_by("import pmtui.cli.agent.agent, pmtui.cli.get.get")
    assert not loaded & {"mcp", "starlette", "uvicorn", "textual"}


def test_the_service_runs_without_a_terminal() -> None:
    assert not imported_by("import pmtui.service.data_service") & {"textual", "rich"}
    # As `pmtui serve` begins: httpx without its own command line.
    begin = "import sys; sys.modules['httpx._main'] = None"
    loaded = imported_by(f"{begin}; import pmtui.cli.service.serve, pmtui.cli.service.serving")
    assert not loaded & {"textual", "rich", "plotext", "eth_account", "starlette", "uvicorn"}


def test_a_terminal_on_a_service_holds_no_sockets_no_key_and_no_journal() -> None:
    loaded = imported_by("import pmtui.cli.attach, pmtui.cli.attached_terminal")
    assert not loaded & {
        "coincurve", "eth_account", "h2", "httpcore", "httpx", "plotext", "pydantic", "pydantic_settings",
        "sqlite3", "websockets",
    }  # fmt: skip


def test_the_local_venue_runs_without_a_terminal() -> None:
    assert not imported_by("import pmtui.cli.venue.sim") & {"textual", "rich", "eth_account"}


def test_a_screen_that_is_being_taken_away_is_shown_nothing() -> None:
    # Textual's own word stays true for ever: what comes late finds half of a screen gone.
    asking = [
        str(module.relative_to(PACKAGE))
        for module in sorted((PACKAGE / "ui").rglob("*.py"))
        if ".is_mounted" in (text := module.read_text()) and "Screen):" in text
    ]
    assert not asking, f"ask `is_live` of ui/frame.py instead: {asking}"


def test_commands_write_through_one_module() -> None:
    """Everything else may hold a venue's text, which steers a terminal that shows it raw."""
    strays = []
    for module in sorted((PACKAGE / "cli").rglob("*.py")):
        if module.name == "output.py":
            continue
        strays += [
            f"{module.name}:{node.lineno} {ast.unparse(node)}"
            for node in ast.walk(ast.parse(module.read_text()))
            if isinstance(node, ast.Attribute | ast.Name) and ast.unparse(node) in WAYS_OUT
        ]
    assert not strays


def test_no_string_reaches_textual_as_markup() -> None:
    """A market titled "[bold]" shows as that: notices are not markup, other widgets take Content."""
    strays = []
    for module in sorted((PACKAGE / "ui").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text())):
            place = f"{module.relative_to(PACKAGE)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".notify"):
                given = {k.arg: ast.unparse(k.value) for k in node.keywords}
                if given.get("markup") != "False":
                    strays.append(place)
            if isinstance(node, ast.ImportFrom) and node.module == "textual.widgets":
                strays += [f"{place} {n.name}" for n in node.names if n.name not in NO_MARKUP]
            if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in MARKUP:
                strays.append(f"{place} {ast.unparse(node)}")
    assert not strays
