"""Every URDF of the wheel example-robot-data on the ground: how many points may touch, or the one line of a refusal.

Run with the packages of the extra `peers`: ``python benchmarks/ground_contacts.py [--meshes FIT] [names]``. With
``--meshes "fit sphere"`` or ``--meshes "{hull: 16}"`` a file of contacts has shapes fitted to meshes.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.robots.corpus import WHEELS, robot_files

import symdyn
from symdyn.description.collision import Mesh

REMEDIES = ("write ", "give ", "load with", "check ", "describe ", "name its folder")
"""Words by which a refusal says what to do."""


def main() -> int:
    """Print the table; 1 where a refusal is longer than a line, or without a remedy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--meshes", help="how shapes are fitted to collision meshes")
    parser.add_argument("names", nargs="*", help="only files of which the path holds one of these")
    asked = parser.parse_args()
    accepted = refused = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        side = Path(folder) / "ground.yaml"
        side.write_text(f"ground: true\nmeshes: {asked.meshes}\n")
        contacts = side if asked.meshes else "ground"
        print(f"{'robot':44} {'meshes':>6} {'shapes':>6} {'points':>6}")
        for file in robot_files()[WHEELS[0]]:
            name = "/".join(file.path.parts[-1:])
            if file.path.suffix != ".urdf" or (asked.names and not any(word in file.name for word in asked.names)):
                continue
            try:
                robot = on_ground(file.path, contacts)
            except symdyn.SymdynError as failure:
                refused += 1
                failed += not (str(failure).isprintable() and any(word in str(failure) for word in REMEDIES))
                print(f"{name:44} refused: {failure}", flush=True)
                continue
            accepted += 1
            links, slots = robot.description.links, robot.model.contacts.slots
            meshes = sum(isinstance(geometry, Mesh) for link in links for geometry in link.geometry)
            shapes = len({(part.link, part.shape) for slot in slots for part in slot.contact.of})
            print(f"{name:44} {meshes:6} {shapes:6} {len(slots):6}", flush=True)
    print(f"{accepted} accepted, {refused} refused, {failed} without a remedy")
    return int(failed > 0)


def on_ground(path: Path, contacts: str | Path) -> symdyn.Robot:
    """The robot, without its base fixed, read in silence."""
    shared = next((folder.parent for folder in path.parents if folder.name == WHEELS[0]), path.parent)
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        return symdyn.load(path, floating_base=True, contacts=contacts, package_paths=[shared])


if __name__ == "__main__":
    raise SystemExit(main())
