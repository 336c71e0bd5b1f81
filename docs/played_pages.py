"""The robots of the gallery that play in the browser: pages made while Sphinx builds the site, one file each.

They need the extra ``cc``, because zig compiles each robot's C to WebAssembly. Without it the site is built without
them, and the gallery says so.
"""

from __future__ import annotations

import importlib.util
import warnings
from html import escape
from pathlib import Path
from typing import Any

MARK = "<!-- robots that play -->"
ROBOTS: dict[str, tuple[str, dict[str, float], dict[str, float]]] = {
    "seven_dof_arm": ("a rigid arm of seven joints", {"joint_2": 0.6, "joint_4": -1.0}, {}),
    "four_bar": ("a closed loop", {}, {}),
    "canadarm": ("flexible links", {}, {"joint_1": 0.2}),
    "cable_manipulator": ("a soft arm with tendons", {"arm.curvature_y[0]": 0.4}, {}),
}
"""Shipped robots with what they show, and where they begin."""


def played_pages(folder: Path) -> str:
    """Write the pages below a folder of the site, and return the HTML that links to them; a sentence without zig."""
    if importlib.util.find_spec("ziglang") is None:
        return (
            '<p>This build of the site has no robots that play, because zig is missing: pip install ".[docs,cc]".</p>'
        )
    import symdyn

    links = []
    (folder / "play").mkdir(parents=True, exist_ok=True)
    for name, (what, q, v) in ROBOTS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", symdyn.SymdynWarning)  # of rows that follow from others
            page = symdyn.play(symdyn.load_example(name), folder / "play" / f"{name}.html", q or None, v or None)
        size = page.stat().st_size / 1e6
        links.append(f'<li><a href="play/{name}.html">{escape(name)}</a>: {escape(what)}, {size:.2f} MB</li>')
    return f"<p>Open one and pull it with the mouse:</p>\n<ul>\n{chr(10).join(links)}\n</ul>"


def add_to_gallery(app: Any, page: str, source: list[str]) -> None:
    """Put the links where the gallery marks their place."""
    if page == "gallery" and app.builder.format == "html":
        source[0] = source[0].replace(MARK, played_pages(Path(app.outdir)))


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("source-read", add_to_gallery)
    return {"parallel_read_safe": True}
