import tomllib
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual._ansi_theme import DEFAULT_TERMINAL_THEME
from textual.color import Color
from textual.filter import ANSIToTruecolor, DimFilter
from textual.theme import BUILTIN_THEMES, Theme

import pmtui
from pmtui.ui.cells import Emphasis
from pmtui.ui.terminal.screen_buffer import reduced
from pmtui.ui.theme.role_styles import RoleStyles
from pmtui.ui.theme.theme import (
    DEFAULT_THEME,
    GROUND_ROLES,
    SLOTS,
    Role,
    ThemeError,
    resolve_color,
    role_variables,
    slot_colors,
)
from pmtui.ui.theme.theme_files import load_themes, parse_theme

THEMES, PROBLEMS = load_themes()
TRUECOLOR = [theme for theme in THEMES if not theme.ansi]
_ON_BARS = frozenset({Role.TEXT, Role.OWN_ORDER, Role.NOTICE_WARN, Role.DIM})
_ON_AREAS = frozenset({Role.TEXT, Role.OWN_ORDER, Role.LAST_TRADE, Role.BID, Role.ASK, Role.DIM})
_ON_GROUNDS: dict[str, frozenset[Role]] = {
    Role.BID_BAR: _ON_BARS,
    Role.ASK_BAR: _ON_BARS,
    Role.AREA_UP: _ON_AREAS | {Role.UP},
    Role.AREA_DOWN: _ON_AREAS | {Role.DOWN},
    Role.FLASH_UP: frozenset({Role.TEXT}),
    Role.FLASH_DOWN: frozenset({Role.TEXT}),
}
"""What is written on a ground that carries little."""
_DIMMED = 0.66
"""How much of a colour Textual's filter leaves of one that is to be dim."""
MINIMAL = 'name = "mine"\n[colors]\nprimary = "#336699"\nbackground = "#000000"\n'


def test_the_built_in_themes_load_without_a_problem() -> None:
    assert not PROBLEMS
    assert len(THEMES) >= 6
    assert DEFAULT_THEME in {theme.name for theme in THEMES}
    assert {theme.dark for theme in THEMES} == {True, False}
    assert sum(theme.ansi for theme in THEMES) == 2


@pytest.mark.parametrize("theme", TRUECOLOR, ids=lambda theme: theme.name)
@pytest.mark.parametrize("colors", [ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT])
def test_text_is_readable_on_every_ground_it_meets(theme: Theme, colors: ColorSystem) -> None:
    # With 256 colours as good as they go.
    limit = 4.5 if colors is ColorSystem.TRUECOLOR else 4.0
    variables = theme.variables
    # Screens, the line above the ladder, and the lines at the edges with the cards.
    slots = slot_colors(theme, *SLOTS)
    grounds = {slot: slots[slot] for slot in ("background", "surface", "panel")}
    grounds |= {role: variables[f"role-{role}"] for role in GROUND_ROLES}
    for ground, ground_color in grounds.items():
        background = _shown(ground_color, colors)
        # A frame is strokes and no text: it keeps itself in the background.
        for role in _ON_GROUNDS.get(ground, set(Role) - GROUND_ROLES - {Role.FRAME}):
            color = _shown(variables[f"role-{role}"], colors)
            assert _contrast(color, background) >= limit, (role, ground)
        text = _shown(variables["role-text"], colors)
        assert _contrast(text, background) >= 4.5, ground


@pytest.mark.parametrize("theme", TRUECOLOR, ids=lambda theme: theme.name)
@pytest.mark.parametrize("ground", [Role.FLASH_UP, Role.FLASH_DOWN])
def test_whatever_flashes_is_as_readable_as_other_text(theme: Theme, ground: Role) -> None:
    # An own order, one that is doubted, one that is leaving, and a level.
    styles = RoleStyles(theme.variables, Color.parse("#000000"))
    for role in set(Role) - GROUND_ROLES:
        for emphasis in (Emphasis.NONE, Emphasis.DIM | Emphasis.BOLD):
            style = styles.style(role, emphasis, ground)
            assert not style.dim
            assert style.color is not None
            assert style.bgcolor is not None
            colors = (Color.from_rich_color(each) for each in (style.color, style.bgcolor))
            assert _contrast(*colors) >= 4.5, role


@pytest.mark.parametrize("theme", TRUECOLOR, ids=lambda theme: theme.name)
@pytest.mark.parametrize("colors", [ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT])
def test_bars_of_the_ladder_and_of_depth_stand_out_from_the_ground(
    theme: Theme, colors: ColorSystem
) -> None:
    # Bars are blocks in the colour of their side, dimmed as Textual dims them.
    ground = _shown(slot_colors(theme, "background")["background"], colors)
    for role in (Role.BID, Role.ASK):
        side = Color.parse(theme.variables[f"role-{role}"])
        dimmed = Color.parse(slot_colors(theme, "background")["background"]).blend(
            side, _DIMMED, 1.0
        )
        assert _contrast(_shown(dimmed.hex, colors), ground) >= 3.0, role


TRADE_THEMES = (
    "catppuccin-latte", "catppuccin-mocha", "gruvbox", "gruvbox-light", "nord", "nord-light",
    "solarized", "solarized-light", "tokyo-night", "tokyo-night-day",
)  # fmt: skip


def test_the_themes_that_traders_ask_for_are_there_light_and_dark() -> None:
    by_name = {theme.name: theme for theme in THEMES}
    assert set(TRADE_THEMES) <= by_name.keys()
    assert {by_name[name].dark for name in TRADE_THEMES} == {True, False}


@pytest.mark.parametrize("name", TRADE_THEMES)
def test_such_a_theme_states_every_role_itself(name: str) -> None:
    file = Path(pmtui.__file__).parents[1] / "themes" / f"{name}.toml"
    assert set(tomllib.loads(file.read_text())["roles"]) == {role.value for role in Role}


def _shown(color: str, colors: ColorSystem) -> Color:
    """Return what a terminal with so many colours makes of one."""
    asked_for = RichColor.from_rgb(*Color.parse(color).rgb)
    return Color(*reduced(asked_for, colors).get_truecolor())


def _contrast(first: Color, second: Color) -> float:
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


# Relative luminance as WCAG 2.1 defines it.
def _luminance(color: Color) -> float:
    def linear(channel: int) -> float:
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b)


def test_the_colour_blind_theme_tells_sides_apart_without_red_and_green() -> None:
    theme = next(theme for theme in THEMES if theme.name == "meridian")
    for first, second in ((Role.BID, Role.ASK), (Role.UP, Role.DOWN)):
        one = Color.parse(theme.variables[f"role-{first}"])
        other = Color.parse(theme.variables[f"role-{second}"])
        assert abs(one.b - other.b) > 90


@pytest.mark.parametrize("theme", TRUECOLOR, ids=lambda theme: theme.name)
def test_the_last_trade_and_the_second_curve_are_told_from_what_is_ours(theme: Theme) -> None:
    last = Color.parse(theme.variables[f"role-{Role.LAST_TRADE}"])
    # The first curve has the colour of the keys, the second that of the last trade.
    for role in (Role.OWN_ORDER, Role.KEY):
        assert abs(Color.parse(theme.variables[f"role-{role}"]).b - last.b) > 90


@pytest.mark.parametrize("theme", BUILTIN_THEMES.values(), ids=lambda theme: theme.name)
def test_a_theme_that_knows_no_roles_still_dresses_all_of_them(theme: Theme) -> None:
    variables = role_variables(theme)
    assert set(variables) == {f"role-{role}{end}" for role in Role for end in ("", "-style")}
    for role in Role:
        Color.parse(variables[f"role-{role}"])


def test_palette_themes_never_invent_a_colour() -> None:
    for theme in THEMES:
        if theme.ansi:
            assert all(theme.variables[f"role-{role}"].startswith("ansi_") for role in Role)
            assert theme.variables["role-cursor-row-style"] == "reverse"


def test_a_reference_takes_a_slot_or_mixes_it_into_the_background() -> None:
    slots = {"success": "#00ff00", "background": "#000000"}
    assert resolve_color("@success", slots) == "#00FF00"
    assert resolve_color("@success 50%", slots) == "#007F00"
    assert resolve_color("red", slots) == "#FF0000"
    for bad in ("@succes", "@success 101%", "@success x", "nonsense", "#12"):
        with pytest.raises(ThemeError):
            resolve_color(bad, slots)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name = ", "not a TOML file"),
        ("[colors]\nprimary='#fff'", "needs a name"),
        ('name = "x"', r"\[colors\] needs primary"),
        (MINIMAL + "[rols]\n", "unknown key 'rols', did you mean 'roles'"),
        (MINIMAL + "[roles]\nbidd = '#fff'", "unknown .* 'bidd', did you mean 'bid'"),
        (MINIMAL + "[roles]\nbid = '@sucess'", "names no colour"),
        (MINIMAL + "[roles]\nbid = 7", "bid has to be a text"),
        (MINIMAL + "[styles]\nbid = 'blod'", "unknown style 'blod', did you mean 'bold'"),
        ("dark = 1\n" + MINIMAL, "dark has to be true or false"),
        ("roles = 3\n" + MINIMAL, "has to be a table"),
        ("kind = 3\n" + MINIMAL, "kind has to be a text of 17"),
        (f"kind = '{'x' * 18}'\n" + MINIMAL, "kind has to be a text of 17"),
        (MINIMAL.replace("#336699", "#33669"), "is no colour"),
    ],
)
def test_a_mistake_in_a_theme_is_named(text: str, complaint: str) -> None:
    with pytest.raises(ThemeError, match=complaint):
        parse_theme(text)


def test_a_small_theme_is_enough() -> None:
    theme = parse_theme(MINIMAL + "[roles]\nbid = '@primary 50%'\n[styles]\nbid = 'bold'\n")
    assert theme.variables["role-bid"] == "#19334C"
    assert theme.variables["role-bid-style"] == "bold"


def test_user_themes_join_the_built_in_ones_and_bad_files_only_cost_themselves(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.toml").write_text(MINIMAL)
    (tmp_path / "harbour.toml").write_text(MINIMAL.replace("mine", "harbour"))
    (tmp_path / "bad.toml").write_text("nmae = 'x'")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "notes.txt").write_text("not a theme")
    themes, problems = load_themes(tmp_path)
    by_name = {theme.name: theme for theme in themes}
    assert "mine" in by_name
    assert by_name["harbour"].primary == "#336699"
    assert [problem.split(":")[0] for problem in problems] == ["bad.toml", "binary.toml"]
    assert load_themes(tmp_path / "absent")[1] == ()


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 3_000 + "]" * 3_000,
        "x." * 3_000 + "x = 1",
        "x = " + "9" * 5_000,
        "name = 'a'\n[colors]\n" + "primary." * 3_000 + "x = '#fff'",
    ],
)
def test_a_theme_file_of_any_depth_only_costs_itself(tmp_path: Path, text: str) -> None:
    (tmp_path / "deep.toml").write_text(text)
    (tmp_path / "good.toml").write_text(MINIMAL)
    themes, problems = load_themes(tmp_path)
    assert len(themes) == len(load_themes()[0]) + 1
    assert len(problems) == 1
    assert problems[0].startswith("deep.toml: ")


def test_a_theme_file_that_others_could_have_written_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINIMAL)
    file.chmod(0o666)
    themes, problems = load_themes(tmp_path)
    assert len(themes) == len(load_themes()[0])
    assert "others can write" in problems[0]


def test_an_installed_package_brings_its_own_themes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_themes").mkdir()
    (tmp_path / "_themes" / "mine.toml").write_text(MINIMAL)
    monkeypatch.setattr(pmtui, "__file__", str(tmp_path / "__init__.py"))
    assert [theme.name for theme in load_themes()[0]] == ["mine"]


def _among_256(theme: Theme, role: Role, ground: Role) -> tuple[Color, Color]:
    """Return a text and its ground as a terminal with 256 colours shows them."""
    styles = RoleStyles(theme.variables, Color.parse(theme.background or ""), has_256_colors=True)
    style = styles.style(role, ground=ground)
    assert style.color is not None
    assert style.bgcolor is not None
    text, behind = (Color.from_rich_color(each) for each in (style.color, style.bgcolor))
    return _shown(text.hex, ColorSystem.EIGHT_BIT), _shown(behind.hex, ColorSystem.EIGHT_BIT)


@pytest.mark.parametrize("theme", TRUECOLOR, ids=lambda theme: theme.name)
def test_among_256_colours_what_flashes_has_a_hue_and_does_not_shout(theme: Theme) -> None:
    ground = _shown(theme.background or "", ColorSystem.EIGHT_BIT)
    shown: set[Color] = set()
    for role in (Role.FLASH_UP, Role.FLASH_DOWN):
        text, flash = _among_256(theme, Role.TEXT, role)
        shown.add(flash)
        assert max(flash.rgb) > min(flash.rgb), f"{role} is a grey"
        assert _contrast(text, flash) >= 4.5, role
        assert _contrast(flash, ground) < 2.7, role
    assert len(shown) == 2


@pytest.mark.parametrize("theme", TRUECOLOR, ids=lambda theme: theme.name)
def test_among_256_colours_every_other_ground_is_a_grey_as_bright_as_its_tint(theme: Theme) -> None:
    ground = _shown(theme.background or "", ColorSystem.EIGHT_BIT)
    shown: dict[Role, Color] = {}
    for role in (Role.AREA_UP, Role.AREA_DOWN, Role.SPREAD_ROW, Role.CURSOR_ROW):
        for other in _ON_GROUNDS.get(role, set(Role) - GROUND_ROLES - {Role.FRAME}):
            text, shown[role] = _among_256(theme, other, role)
            assert _contrast(text, shown[role]) >= 3.8, (role, other)
        assert max(shown[role].rgb) == min(shown[role].rgb), role
        assert _contrast(shown[role], ground) < 1.8, role
    # The cursor's row is found on every other row.
    cursor = _contrast(shown[Role.CURSOR_ROW], ground)
    assert cursor > _contrast(shown[Role.SPREAD_ROW], ground) > 1


@pytest.mark.parametrize("theme", TRUECOLOR, ids=lambda theme: theme.name)
def test_what_is_written_over_a_bar_is_readable_and_the_bar_keeps_its_colour(theme: Theme) -> None:
    filters = (ANSIToTruecolor(DEFAULT_TERMINAL_THEME), DimFilter())
    styles = RoleStyles(theme.variables, Color.parse(theme.background or ""), filters=filters)
    for side, bar in ((Role.BID, Role.BID_BAR), (Role.ASK, Role.ASK_BAR)):
        blocks = styles.style(side, Emphasis.DIM).color
        for role in _ON_BARS:
            style = styles.style(role, Emphasis.DIM, bar)
            assert style.bgcolor == blocks
            assert not style.dim
            assert style.color is not None
            assert style.bgcolor is not None
            colors = (Color.from_rich_color(each) for each in (style.color, style.bgcolor))
            assert _contrast(*colors) >= 4.5, role


def test_without_colour_nothing_is_reversed_that_only_changed_or_frames() -> None:
    (slate,) = (theme for theme in THEMES if theme.name == "slate")
    styles = RoleStyles(slate.variables, Color.parse("ansi_default"), has_color=False)
    for style in (
        styles.style(Role.FRAME_ARMED), styles.style(Role.BID, Emphasis.BOLD, Role.FLASH_UP),
        styles.style(Role.ASK, Emphasis.BOLD, Role.FLASH_DOWN),
    ):  # fmt: skip
        assert style.bold
        assert not style.reverse
    for style in (styles.style(Role.ARMED), styles.style(Role.TEXT, ground=Role.CURSOR_ROW)):
        assert style.reverse
    assert styles.style(Role.OWN_ORDER, ground=Role.BID_BAR).reverse


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_no_role_is_underlined_because_that_says_that_an_order_earns_rewards(
    theme: Theme,
) -> None:
    styles = {k: v for k, v in theme.variables.items() if k.endswith("-style")}
    assert not [name for name, style in styles.items() if "underline" in style.split()]
