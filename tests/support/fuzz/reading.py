"""What every file that is read must stand: to be written, and to be read back as the same robot."""

from __future__ import annotations

from pathlib import Path

import symdyn
from symdyn.description.yaml.write import write_yaml
from symdyn.robot.robot import Robot


def read_and_write(path: Path) -> Robot:
    """The robot of a file, which comes back from its robot.yaml with the same model, and then writes the same text."""
    robot = symdyn.load(path)
    text = write_yaml(robot.resolved())
    copy = path.with_name("robot.yaml")
    copy.write_text(text, encoding="ascii")
    try:
        again = symdyn.load(copy)
    except symdyn.SymdynError as failure:
        raise AssertionError(f"robot.yaml cannot be read back: {failure}") from failure
    if again.model != robot.model or write_yaml(again.resolved()) != text:
        raise AssertionError("robot.yaml is another robot")
    if not all(warning.isprintable() for warning in robot.warnings):
        raise AssertionError(f"a warning is not one line: {robot.warnings!r}")
    return robot
