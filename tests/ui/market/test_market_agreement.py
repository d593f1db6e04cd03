"""No two numbers on one screen contradict each other: what is painted is read and compared."""

import re

import pytest

from pmtui.ui.format import format_size_compact
from pmtui.ui.market.market import MarketScreen
from tests.ui.look import screen_lines
from tests.ui.market.market_kit import MIDDLE, on_market
from tests.ui.wait import settle

_ROW = re.compile(
    r"^.(?P<bids>.*?)[│ ](?P<ours>[@= ]) *(?P<price>[\d.]+)¢(?P<last>[• ])(?P<asks>.*)$"
)


def _in_head(lines: list[str], name: str) -> str | None:
    head = next(line for line in lines if re.search(r" bid .* ask ", line))
    found = re.search(rf"\b{name} ([\d.]+)¢", head)
    return found[1] if found else None


def _size(text: str) -> str:
    """Return the size in a column; none where a word stands in it."""
    found = re.fullmatch(r"[\d.,]+[kMBT]?", text.strip())
    return found[0] if found else ""


def _rows(screen: MarketScreen, lines: list[str]) -> list[tuple[str, str, str, bool]]:
    """Return price, bid size, ask size and whether it traded last, as read from the terminal."""
    region, width, found = screen.ladder.region, screen.ladder.viewport.columns.size, []
    for line in lines[region.y + 1 : region.bottom]:
        row = _ROW.match(line[region.x : region.right])
        if row is not None:
            bid, ask = _size(row["bids"][-width:]), _size(row["asks"][1 : width + 1])
            found.append((row["price"], bid, ask, row["last"] == "•"))
    return found


def _disagreements(screen: MarketScreen, lines: list[str]) -> list[str]:
    text, found = "\n".join(lines), []

    def compare(what: str, one: object, other: object) -> None:
        if one != other:
            found.append(f"{what}: {one} beside {other}")

    bid, ask, last, mid = (_in_head(lines, name) for name in ("bid", "ask", "last", "mid"))
    assert bid is not None
    assert ask is not None
    if spread := _in_head(lines, "spread"):
        compare("spread", spread, f"{float(ask) - float(bid):g}")
    compare("mid", mid, f"{(float(ask) + float(bid)) / 2:g}")
    rows = _rows(screen, lines)
    compare("best bid", next(price for price, size, _, _ in rows if size), bid)
    compare("best ask", [price for price, _, size, _ in rows if size][-1], ask)
    if last is not None:
        compare("last", [price for price, _, _, is_last in rows if is_last], [last])
    if found_in_title := re.search(r"PRICE .* → ([\d.]+)¢", text):
        compare("end of the chart", found_in_title[1], mid)
    if last is not None and (trade := re.search(r"(?:BUY|SELL) +([\d.]+)¢ .*\d\d:\d\d", text)):
        compare("newest trade", trade[1], last)
    if quote := re.search(r"[Bb]id ([\d.]+)¢[^¢]*[Aa]sk ([\d.]+)¢", "\n".join(lines[6:])):
        compare("the ticket", quote.groups(), (bid, ask))
    if depth := re.search(r"([\d.,]+[kMBT]?) (?:bid down|asked up) to ([\d.]+)¢", text):
        facts = re.search(rf" {re.escape(depth[2])}¢ .*depth ([\d.,]+[kMBT]?)", text)
        if facts:
            compare("depth at the cursor", depth[1], facts[1])
        else:
            # Where the column has room; else both are left out.
            assert screen.ladder.cursor is not None
            ladder = screen.ladder.ladder
            assert ladder is not None
            whole = format_size_compact(ladder.rung_at(screen.ladder.cursor[0]).depth).strip()
            compare("depth at the cursor", depth[1], whole)
    return found


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
@pytest.mark.parametrize("keys", [(), ("d", "j", "j"), ("b",)], ids=["plain", "depth", "ticket"])
async def test_whatever_the_book_does_the_screen_agrees_with_itself(
    size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async with on_market(size) as (app, pilot, screen):
        if keys:
            await pilot.press(*keys)
        await settle(pilot)
        versions = set()
        for _ in range(6):
            for _ in range(40):
                app.market.step()
            app.market.publish()
            await settle(pilot)
            assert _disagreements(screen, screen_lines(app)) == []
            versions.add(screen_lines(app)[2])
        assert len(versions) > 1


async def test_a_disagreement_is_seen() -> None:
    async with on_market(MIDDLE) as (app, _, screen):
        lines = screen_lines(app)
        assert _disagreements(screen, lines) == []
        quote = next(number for number, line in enumerate(lines) if " bid " in line)
        for old, new in (("bid 52", "bid 51"), ("ask 53", "ask 54"), ("last 52", "last 51")):
            assert old in lines[quote]
            changed = [*lines[:quote], lines[quote].replace(old, new), *lines[quote + 1 :]]
            assert _disagreements(screen, changed)
