import pydoc
import sys

import pytest

from pmtui.cli.main import main
from pmtui.cli.manual import help as manual
from pmtui.cli.manual.commands import COMMANDS

PAGE = """# A page

Text with a [link](else.md) and **weight**,
on two lines.

- one thing that goes on
  and on
- another

| key | does |
|---|---|
| `a\\|b` | something long enough to be wrapped in a narrow table |

```
code   stays
```
"""


def test_without_a_topic_every_page_is_listed_with_its_title(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["help"]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {topic} " in listed for topic in manual.topics())
    assert "Settings" in listed


@pytest.mark.parametrize("topic", manual.topics())
@pytest.mark.parametrize("width", [60, 80])
def test_every_page_fits_but_for_its_code(topic: str, width: int) -> None:
    text = manual.topics()[topic].read_text()
    lines = list(manual.lay_out(text, width))
    assert lines[1] == "=" * len(lines[0])
    longest = max(len(word) for word in text.split())
    wide = [line for line in lines if len(line) > max(width, longest) and line[:4] != "    "]
    # Six columns do not fit a narrow terminal.
    assert not wide or topic == "routes"


def test_a_page_is_shown_without_its_marks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "safety"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Safety\n======\n")
    assert "**" not in shown


def test_paragraphs_lists_tables_and_code_are_laid_out() -> None:
    assert list(manual.lay_out(PAGE, 40)) == [
        "A page", "======", "",
        "Text with a link and weight, on two", "lines.", "",
        "- one thing that goes on and on", "- another", "",
        "key    does", "`a|b`  something long enough to be", "       wrapped in a narrow table", "",
        "    code   stays", "",
    ]  # fmt: skip


def test_a_number_at_the_start_of_a_line_is_no_item_of_a_list() -> None:
    text = "There are never more than\n256. A terminal\n\n1. one\n2. two\n"
    assert list(manual.lay_out(text, 60)) == [
        "There are never more than 256. A terminal", "", "1. one", "2. two", "",
    ]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_the_name_of_a_command_leads_to_its_page_or_its_own_help(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = COMMANDS[command].page
    if page:
        assert main(["help", command]) == 0
        shown = capsys.readouterr().out
        assert main(["help", page]) == 0
        assert shown == capsys.readouterr().out
        assert f"pmtui {command}" in shown
    else:
        with pytest.raises(SystemExit) as ended:
            main(["help", command])
        assert ended.value.code == 0
        assert f"pmtui {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "prog"),
    [
        (["markets"], "pmtui get markets"),
        (["get", "book"], "pmtui get book"),
        (["account", "deploy"], "pmtui account deploy"),
    ],
)
def test_the_name_of_a_read_or_an_action_leads_to_its_help(
    words: list[str], prog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["help", *words])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {prog} ")


def test_an_unknown_topic_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["help", "nonsense"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "settings" in told
    assert "nonsense" not in told


@pytest.mark.parametrize(("pager", "is_paged"), [("less", True), ("", False)])
def test_a_pager_is_used_where_one_is_set_and_somebody_looks(
    pager: str, *, is_paged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    paged: list[str] = []
    monkeypatch.setenv("PAGER", pager)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(pydoc, "pager", paged.append)
    assert main(["help", "keys"]) == 0
    assert bool(paged) is is_paged
