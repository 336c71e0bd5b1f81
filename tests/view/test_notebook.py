"""What notebooks show: tables and pictures that need nothing else, in which names from files are text."""

from __future__ import annotations

import base64
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

import symdyn

HOSTILE = "<img src=x onerror=alert(1)>&\"'"


class _Reader(HTMLParser):
    """Tags with their attributes, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    return reader


def test_names_from_files_are_text() -> None:
    quoted = HOSTILE.replace("'", "''")
    text = (
        f"format: 1\nname: '{quoted}'\nlinks:\n  base: {{}}\n  arm: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n"
        f"joints:\n  '{quoted}': {{type: revolute, parent: base, child: arm, axis: [0, 1, 0]}}\n"
    )
    robot = symdyn.loads(text, format="yaml")
    found = read(robot._repr_html_())
    assert {tag for tag, _ in found.tags} <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "img"}
    assert found.text.count(HOSTILE) == 2  # the robot's name and the row of q
    assert all(own["src"].startswith("data:image/png;base64,") for tag, own in found.tags if tag == "img")


def test_modules_and_signatures_show_tables() -> None:
    module = symdyn.compile(symdyn.load_example("pendulum"), ["inverse_dynamics"], target="python")
    found = read(module._repr_html_())
    assert {"pendulum", "inverse_dynamics(q, v, a)", "tau"} <= set(found.text)
    signature = module.signature("inverse_dynamics")
    found = read(signature._repr_html_())
    assert found.text.count("in") == 3 and found.text.count("out") == 1
    assert {"rad/s^2", "(1,)", signature.outputs[0].description} <= set(found.text)


@pytest.mark.slow
@pytest.mark.needs_cc
def test_a_motion_shows_where_it_was() -> None:
    robot = symdyn.load_example("pendulum")
    motion = symdyn.simulate(robot, [1.0], t=np.linspace(0.0, 1.0, 11))
    html = motion._repr_html_()
    assert f"{motion.q[-1, 0]:.6g}" in html and len(html) < 100_000
    (source,) = re.findall(r"base64,([\w+/=]+)", html)
    image = np.asarray(Image.open(io.BytesIO(base64.b64decode(source))).convert("RGB"), dtype=float)
    drawn = np.ptp(image, axis=-1) > 30.0  # the ground is grey and the robot is not
    assert 0.01 < drawn.mean() < 0.5
    # It swings from one side to the other: more is covered than by one position.
    alone = re.findall(r"base64,([\w+/=]+)", robot._repr_html_())[0]
    one = np.asarray(Image.open(io.BytesIO(base64.b64decode(alone))).convert("RGB"), dtype=float)
    assert drawn.sum() > 1.5 * (np.ptp(one, axis=-1) > 30.0).sum()
