"""``--ignore`` and ``--package-path``: every verb that loads a robot takes them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from symdyn.cli.verbs import app

Command = Callable[..., Any]
ARM = """<robot name="arm"><link name="base"/>
  <link name="rod"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="swing" type="continuous"><parent link="base"/><child link="rod"/><rotor mass="1"/></joint>
</robot>
"""


def test_every_verb_that_loads_a_robot_takes_both() -> None:
    taking = {item.name: set(inspect.signature(item.callback).parameters) for item in app.registered_commands}
    loading = {name: options for name, options in taking.items() if "strict" in options}
    assert len(loading) >= 10
    for name, options in loading.items():
        assert {"ignore", "packages"} <= options, name


def test_a_word_is_refused_and_left_out_where_asked(symdyn_command: Command, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    refused = symdyn_command("info", path, "--no-counts")
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert "--ignore rotor" in refused.err
    done = symdyn_command("info", path, "--no-counts", "--ignore", "rotor", "--ignore", "nothing")
    assert done.code == 0
    assert "line 4: element <rotor> is left out, as asked" in " ".join(f"{done.out} {done.err}".split())
