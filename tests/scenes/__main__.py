"""`python -m tests.scenes compare|accept [SCENE …]`: checks the pictures, or takes new ones.

`draw FOLDER [SCREEN …]` draws every screen at every size and in every theme, in 256 colours and in plain
ASCII, to be looked at.
`record` plays a session with the installed program and keeps it as the moving picture of the README.
"""

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pmtui.ui.theme.theme import DEFAULT_THEME
from tests.scenes.picture import first_difference, in_256_colours
from tests.scenes.scenes import SCENES, SCREENS, SIZES, THEMES, Scene, paint, picture, playing
from tests.scenes.session import record
from tests.ui.wait import settle

FOLDER = Path(__file__).parents[2] / "screenshots"
SESSION = FOLDER / "session.svg"
DIFFERS, USAGE_ERROR = 1, 2
NOT_DRESSED_ANEW = ("palette",)
"""Dialogs of Textual keep the theme that they were opened in."""


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit code."""
    known = {scene.name: scene for scene in SCENES}
    command, names = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command == "record" and not names:
        with tempfile.TemporaryDirectory() as home:
            SESSION.write_text(record(Path(home)), encoding="utf-8")
        return 0
    if (
        command == "draw"
        and names
        and not names[0].startswith("-")
        and SCREENS.keys() >= set(names[1:])
    ):
        Path(names[0]).mkdir(parents=True, exist_ok=True)
        asyncio.run(draw(Path(names[0]), names[1:] or list(SCREENS)))
        return 0
    if command not in ("compare", "accept") or not known.keys() >= set(names):
        print(f"usage: python -m tests.scenes compare|accept [{' | '.join(known)}] …")
        print(f"       python -m tests.scenes draw FOLDER [{' | '.join(SCREENS)}] …")
        print("       python -m tests.scenes record")
        return USAGE_ERROR
    chosen = [known[name] for name in names] or list(SCENES)
    if command == "accept":
        for scene in chosen:
            picture_of(scene).write_text(asyncio.run(paint(scene)), encoding="utf-8")
            print(f"{scene.name}: accepted", flush=True)
        for path in FOLDER.glob("*.svg"):
            if path.stem not in known and path != SESSION:
                path.unlink()
                print(f"{path.stem}: dropped")
        return 0
    same = [_compare(scene) for scene in chosen]
    return 0 if all(same) else DIFFERS


def picture_of(scene: Scene) -> Path:
    """Return where a scene's accepted picture lies."""
    return FOLDER / f"{scene.name}.svg"


async def draw(
    folder: Path,
    screens: list[str],
    *,
    sizes: Sequence[tuple[int, int]] = SIZES,
    themes: Sequence[str] = THEMES,
) -> None:
    """Draw screens at every size and in every theme, or at some and in some.

    The usual theme is drawn in 256 colours and in plain ASCII, too.
    """
    for screen in screens:
        for size in sizes:
            usual = Scene(screen, size)
            if usual.theme in themes:
                scene = replace(usual, is_ascii=True)
                _keep(folder, scene.name, await paint(scene))
            if screen in NOT_DRESSED_ANEW:
                for scene in (Scene(screen, size, theme) for theme in themes):
                    _keep_scene(folder, scene, await paint(scene))
                continue
            async with playing(Scene(screen, size)) as pilot:
                for theme in themes:
                    pilot.app.theme = theme
                    await settle(pilot)
                    scene = Scene(screen, size, theme)
                    _keep_scene(folder, scene, picture(pilot, scene))
        print(f"{screen}: drawn", flush=True)


def _keep_scene(folder: Path, scene: Scene, svg: str) -> None:
    _keep(folder, scene.name, svg)
    if scene.theme == DEFAULT_THEME:
        _keep(folder, f"{scene.name}-256", in_256_colours(svg))


def _keep(folder: Path, name: str, svg: str) -> None:
    (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


def _compare(scene: Scene) -> bool:
    path = picture_of(scene)
    new = asyncio.run(paint(scene))
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    if old == new:
        print(f"{scene.name}: same")
        return True
    other = Path(tempfile.gettempdir()) / f"pmtui-{scene.name}.svg"
    other.write_text(new, encoding="utf-8")
    difference = first_difference(old, new) or "same text, other looks"
    print(f"{scene.name}: differs, {difference}\n  accepted {path}\n  now      {other}")
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
