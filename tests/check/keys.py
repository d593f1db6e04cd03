"""`python -m tests.check keys`: every key, what it does, and the id to give it another one by.

`--write` puts it into `pmtui/docs/keys.md`, and the signs of the ladder into `signs.md`; what they say is the registry of
actions and the legend of the ladder and nothing else.
"""

import argparse
from itertools import groupby
from pathlib import Path

import pmtui
from pmtui.ui.keys.action_table import ACTIONS, Action, Context
from pmtui.ui.keys.actions import key_label
from pmtui.ui.ladder.paint_ladder import SIGNS

DOCUMENT = Path(pmtui.__file__).parent / "docs/keys.md"
LEGEND = DOCUMENT.with_name("signs.md")
LEGEND_HEAD = """# Signs on the ladder

Generated: `python -m tests.check keys --write`. On the trading screen `?`, then `s`, shows the same.

| sign | meaning |
|---|---|
"""
HEAD = """# Keys

Generated: `python -m tests.check keys --write`. `[keys]` in `config.toml` gives an action other keys
by its id; `?` in the program shows the keys of the screen in front, as they are for you.
"""
PLACES = {
    Context.GLOBAL: "Everywhere",
    Context.REPLAY: "A replay",
    Context.MARKETS: "The list of markets",
    Context.SEARCH: "Searching",
    Context.PICKER: "Narrowing the list",
    Context.FILTERS: "The filters of the list",
    Context.COMMAND: "The command line",
    Context.THEMES: "Choosing a theme",
    Context.EVENT: "An event",
    Context.MARKET: "The trading screen",
    Context.LADDER: "The ladder",
    Context.TICKET: "The ticket",
    Context.CONFIRM: "Cards and questions",
    Context.PORTFOLIO: "The portfolio",
    Context.ACCOUNT: "The account",
    Context.TRANSACTION: "A transaction of the wallet",
    Context.WATCHLIST: "The watchlist",
    Context.ROW: "A row of a list, an event, the watchlist or the portfolio",
    Context.COLUMNS: "Choosing columns",
    Context.CONDITIONALS: "Stops and targets",
    Context.LOG: "The log",
    Context.HELP: "The help",
}


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("keys", help="every key and what it does")
    parser.add_argument("--write", action="store_true", help=f"bring {DOCUMENT.name} up to date")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    text = to_markdown(ACTIONS)
    if args.write:
        DOCUMENT.write_text(text)
        LEGEND.write_text(legend_to_markdown())
    else:
        print(text, end="")
    return 0


def to_markdown(actions: tuple[Action, ...]) -> str:
    """Write a table for each place, in the order of the registry."""
    parts = [HEAD]
    by_place = sorted(actions, key=lambda action: list(PLACES).index(action.context))
    for context, group in groupby(by_place, key=lambda action: action.context):
        rows = "".join(f"| {_keys(action)} | {action.help} | `{action.id}` |\n" for action in group)
        parts.append(f"## {PLACES[context]}\n\n| key | does | id |\n|---|---|---|\n{rows}")
    return "\n".join(parts)


def legend_to_markdown() -> str:
    """Write a table of the ladder's signs."""
    return LEGEND_HEAD + "".join(f"| `{sign}` | {meaning} |\n" for sign, meaning in SIGNS)


def _keys(action: Action) -> str:
    return " ".join(f"`{key_label(key)}`" for key in action.keys) or "`ctrl+p`, by name"
