"""``--repair``: every verb that loads a robot takes it, and says what was mended."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symdyn.cli.verbs import app

Command = Callable[..., Any]
ORPHAN = """<robot name="hand"><link name="palm"/>
  <link name="tip"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="bend" type="continuous"><parent link="palm"/><child link="tip"/><mimic joint="elsewhere"/></joint>
</robot>
"""


@pytest.fixture
def hand(tmp_path: Path) -> Path:
    path = tmp_path / "hand.urdf"
    path.write_text(ORPHAN, encoding="utf-8")
    return path


def test_every_verb_that_takes_load_options_takes_both_of_reading() -> None:
    taking = {item.name: set(inspect.signature(item.callback).parameters) for item in app.registered_commands}
    strict = {name for name, options in taking.items() if "strict" in options}
    assert strict == {
        "generate",
        "compile",
        "convert",
        "export-ocp",
        "info",
        "modes",
        "ik",
        "play",
        "trace",
        "compare",
        "simulate",
        "statics",
        "view",
    }
    assert {name for name, options in taking.items() if "repair" in options} == strict


@pytest.mark.parametrize(
    ("verb", "more"),
    [("info", ["--no-counts"]), ("trace", ["bend"]), ("modes", []), ("generate", ["--target", "python"])],
)
def test_a_refusal_offers_what_then_works(symdyn_command: Command, hand: Path, verb: str, more: list[str]) -> None:
    refused = symdyn_command(verb, hand, *more)
    assert (refused.code, refused.out) == (2, "")
    assert "or load with repair=True (on the command line --repair), which frees the follower" in refused.err
    mended = symdyn_command(verb, hand, *more, "--repair")
    assert mended.code == 0
    assert "warning: hand.urdf: joint 'bend' mimicked the unknown joint 'elsewhere'; it is freed\n" in mended.err


def test_a_robot_that_cannot_move_names_the_option_that_frees_it(symdyn_command: Command, tmp_path: Path) -> None:
    block = tmp_path / "block.urdf"
    block.write_text(ORPHAN.replace("continuous", "fixed"), encoding="utf-8")
    refused = symdyn_command("info", block, "--no-counts")
    assert refused.code == 2 and "floating_base=True, on the command line --floating-base" in refused.err
    assert symdyn_command("info", block, "--no-counts", "--floating-base").code == 0
