"""The yardstick as code to be timed: peers/plain_series.c with a robot's numbers in its table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from peers.measure import HERE

from symdyn.analysis.compare.measurement import Code, generated_code
from symdyn.analysis.compare.task import Task
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.timing import timing_harness
from symdyn.description.robot import Joint, JointKind, Link
from symdyn.generation.pipeline import sources
from symdyn.interface.manifest import FILE_NAME, Manifest

NAME = "plain_series"


def plain_series_code(task: Task) -> Code:
    """Inverse dynamics with derivatives, in a loop written by hand, for a free base with joints about x, y or z."""
    robot = task.robot
    description = robot.description
    links = {link.name: link for link in description.links}
    joints = {joint.name: joint for joint in description.joints}
    order = [joints[name] for name in robot.velocity_names[6:]]  # parents first, in the rows' order
    index = {description.root: 0} | {joint.child: place for place, joint in enumerate(order, 1)}
    rows = [f"{{-1, 0, {{0, 0, 0}}, {_inertia(links[description.root])}}}"]
    for joint in order:
        place = _numbers(joint.placement.translation)
        rows.append(f"{{{index[joint.parent]}, {_axis(joint)}, {{{place}}}, {_inertia(links[joint.child])}}}")
    table = ",\n    ".join(rows)
    model = (
        f"#define BODIES {len(rows)}\n#define GRAVITY {-float(robot.model.gravity[2])!r}\n"
        f"static const struct body bodies[BODIES] = {{\n    {table}\n}};\n"
    )
    text = f"#define ORDER {task.order}\n" + (HERE / f"{NAME}.c").read_text(encoding="utf-8")
    name = task.subject.function
    files = sources(robot, [name], layout="rolled", order=task.order)
    entry = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME)).function(name)
    ours = generated_code(files, name)
    harness = timing_harness(replace(entry, c_name=NAME))
    return Code([SourceFile(f"{NAME}.c", text), SourceFile(f"{NAME}_model.h", model)], harness, ours.output_size, 0, 0)


def _axis(joint: Joint) -> int:
    axis = np.array(joint.axis, dtype=float)
    aligned = np.flatnonzero(axis)
    straight = np.array_equal(np.array(joint.placement.rotation, dtype=float), np.eye(3))
    if joint.kind not in (JointKind.REVOLUTE, JointKind.CONTINUOUS) or len(aligned) != 1 or axis.max() != 1.0:
        raise SystemExit(f"joint '{joint.name}' does not turn about x, y or z, which is all that {NAME}.c knows")
    if not straight:
        raise SystemExit(f"joint '{joint.name}' turns its frame at zero, which {NAME}.c does not know")
    return int(aligned[0])


def _inertia(link: Link) -> str:
    """Mass, first moment and inertia about the link's origin."""
    inertial = link.inertial
    assert inertial is not None, link.name
    xx, xy, xz, yy, yz, zz = (float(str(moment)) for moment in inertial.moments)
    turned, c = (
        np.array(inertial.placement.rotation, dtype=float),
        np.array(inertial.placement.translation, dtype=float),
    )
    m = float(str(inertial.mass))
    central = turned @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turned.T
    about_origin: NDArray[np.float64] = central + m * (c @ c * np.eye(3) - np.outer(c, c))
    return f"{m!r}, {{{_numbers(m * c)}}}, {{{_numbers(about_origin[np.triu_indices(3)])}}}"


def _numbers(values: object) -> str:
    return ", ".join(repr(float(value)) for value in np.asarray(values, dtype=float).ravel())
