"""Which taper and which route of its cable let a soft arm reach farthest, at no more mass? By gradients at rest.

The arm is horizontal and moulded in four segments of their own radii. One cable pulls it up; its holes lie at a height
of their own in each segment. The arm reaches along a direction while a force pulls its tip back, and its weight acts.
Radii, heights of the holes and the cable's tension in each direction change until the mean reach is largest. Every
gradient takes one linear system per direction, by the implicit function theorem at the rest. At the end the arm is
written as an ordinary robot file with one cable, and found to reach as far. Needs SciPy; `--plot FILE` also Matplotlib.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from needs import needs

needs(__file__, "scipy")

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import symdyn

Array = NDArray[np.float64]
SEGMENTS, LENGTH = 4, 0.1  # m, of one segment
MODULUS, DENSITY = 2e7, 1100.0  # Pa, kg/m^3: a polyurethane
RADIUS, HEIGHT = 12.0, 6.0  # mm, at first; a hole at a height of 1 mm has the unit of a cable's input
PULL, TENSION = 2.0, 40.0  # N: the force at the tip, and the most that the cable bears
MARGIN = 0.8  # holes lie within this share of the radius
THIN, THICK = 6.0, 25.0  # mm
ANGLES = np.radians([30.0, 60.0, 90.0])  # of directions above the arm's
DIRECTIONS = np.array([[np.cos(angle), 0.0, np.sin(angle)] for angle in ANGLES])
SIZES = [SEGMENTS, SEGMENTS, len(DIRECTIONS)]
"""A design x is radii [mm], heights of holes [mm], tensions [N]."""
BOX = np.repeat([1.0, 1.0, 5.0], SIZES)
LOW, HIGH = np.repeat([THIN, 0.0, 0.0], SIZES), np.repeat([THICK, THICK, TENSION], SIZES)


def file(radii: list[str], material: list[str], parameters: str, cables: str) -> str:
    """The robot file of an arm: sections, materials and cables by text."""
    text = f"name: soft_arm\nparameters:\n{parameters}links:\n  base:\n"
    for number, (radius, matter) in enumerate(zip(radii, material, strict=True), 1):
        text += f"""  segment_{number}:
    soft:
      length: {LENGTH}
      section: {{shape: circle, radius: {radius}}}
      material: {{poisson_ratio: 0.5, {matter}}}
      strain: {{curvature_y: 1}}
      stations: 3
"""
    text += "joints:\n"
    for number in range(1, SEGMENTS + 1):
        parent, place = ("base", 0.0) if number == 1 else (f"segment_{number - 1}", LENGTH)
        joint = f"type: fixed, parent: {parent}, child: segment_{number}, translation: [{place}, 0, 0]"
        text += f"  joint_{number}: {{{joint}}}\n"
    return text + "tendons:\n" + cables


def changing_arm() -> symdyn.Robot:
    """The arm with radii [mm] as run-time parameters, and a cable of its own at a height of 1 mm in each segment.

    A segment that only bends has stiffness E r^4 and mass rho r^2, so a modulus and a density that follow r are as
    good as a radius. A cable's moment is its tension times its height, so the tension of the segment's cable is T z.
    """
    numbers = range(1, SEGMENTS + 1)
    shares = [f"(radius_{number}/{RADIUS})" for number in numbers]
    return load(
        file(
            [str(RADIUS / 1e3)] * SEGMENTS,
            [f"youngs_modulus: {MODULUS}*{own}**4, density: {DENSITY}*{own}**2" for own in shares],
            "".join(f"  radius_{number}: {{value: {RADIUS}, runtime: true}}\n" for number in numbers),
            "".join(f"  cable_{number}: {{link: segment_{number}, z: 0.001}}\n" for number in numbers)
            + f"actuators: [{', '.join(f'cable_{number}' for number in numbers)}]\n",
        )
    )


def built_arm(radii: Array, heights: Array) -> symdyn.Robot:
    """The arm as it would be moulded: true radii, and one cable through all segments."""
    strands = ", ".join(
        f"{{link: segment_{number}, z: {own / 1e3!r}}}" for number, own in enumerate(heights.tolist(), 1)
    )
    return load(
        file(
            [repr(own / 1e3) for own in radii.tolist()],
            [f"youngs_modulus: {MODULUS}, density: {DENSITY}"] * SEGMENTS,
            "  unused: 1\n",
            f"  cable: {{along: [{strands}]}}\nactuators: [cable]\n",
        )
    )


def load(text: str) -> symdyn.Robot:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "soft_arm.yaml"
        path.write_text(text, encoding="utf-8")
        return symdyn.load(path)


def loads(robot: symdyn.Robot) -> Array:
    """Wrenches on the bodies (3, nbodies, 6), in world axes: in each direction the tip is pulled back."""
    found = np.zeros((len(DIRECTIONS), len(robot.body_names), 6))
    found[:, -1, :3] = -PULL * DIRECTIONS
    return found


def mass(radii: Array) -> float:
    """Of the arm [g], by radii in mm."""
    return float(1e-3 * DENSITY * np.pi * LENGTH * radii @ radii)


class Reach:
    """The mean reach [mm] of a design, with its gradient."""

    def __init__(self) -> None:
        self.robot = changing_arm()
        self.loads = loads(self.robot)
        self.rests = np.zeros((len(DIRECTIONS), self.robot.nq))
        self.module = symdyn.compile(
            self.robot,
            ["statics_jacobian", "inverse_dynamics_adjoint", "forward_kinematics", "jacobians"],
            inputs="actuators",
            external_wrenches="world",
            gradient="parameters",
            frames=[f"segment_{SEGMENTS}.tip"],
            lanes=False,
        )

    def __call__(self, x: Array) -> tuple[float, Array]:
        """The reach and its gradient by x."""
        radii, heights, tensions = np.split(x, np.cumsum(SIZES)[:-1])
        still, value = np.zeros(self.robot.nv), 0.0
        by_radius, by_height, by_tension = np.zeros(SEGMENTS), np.zeros(SEGMENTS), np.zeros(len(DIRECTIONS))
        for number, (direction, wrench, tension) in enumerate(zip(DIRECTIONS, self.loads, tensions, strict=True)):
            u = tension * heights
            q = symdyn.equilibrium(self.robot, u, self.rests[number], f_ext=wrench, p=radii).q
            self.rests[number] = q
            value += direction @ self.module.forward_kinematics(q, radii)[-1, :3, 3]
            slope = direction @ self.module.jacobians(q, radii)[-1, :3]
            r_q, r_u = self.module.statics_jacobian(q, u, wrench, radii)
            weights = -np.linalg.solve(r_q.T, slope)  # reach changes by weights . dr, as r(q, u, p) = 0 stays
            by_u = weights @ r_u
            by_radius += self.module.inverse_dynamics_adjoint(q, still, still, weights, wrench, radii)[-1]
            by_height += tension * by_u
            by_tension[number] = heights @ by_u
        share = 1e3 / len(DIRECTIONS)
        return share * value, share * np.concatenate([by_radius, by_height, by_tension])


def best(reach: Reach, start: Array, tapered: bool = True) -> tuple[Array, int]:
    """The design with the largest reach of those that are no heavier and keep holes inside, and how often SLSQP asked.

    SLSQP runs in a box about the last design until the box does not matter, because a long step may find no rest.
    """
    low, high = (np.where(np.arange(len(start)) < (0 if tapered else SEGMENTS), start, own) for own in (LOW, HIGH))
    inside = np.hstack([MARGIN * np.eye(SEGMENTS), -np.eye(SEGMENTS), np.zeros((SEGMENTS, len(DIRECTIONS)))])
    weigh, most = mass(np.ones(1)), mass(start[:SEGMENTS])

    def left(x: Array) -> Array:
        """What may be added to the mass, and to the holes' heights."""
        return np.append(10.0 * (1.0 - mass(x[:SEGMENTS]) / most), inside @ x)

    def left_slope(x: Array) -> Array:
        by_radius = -20.0 * weigh * x[:SEGMENTS] / most
        return np.vstack([np.append(by_radius, np.zeros(len(x) - SEGMENTS)), inside])

    def cost(x: Array) -> tuple[float, Array]:
        value, slope = reach(x)
        return -0.1 * value, -0.1 * slope

    x, asked = start, 0
    for _ in range(30):
        found = minimize(
            cost,
            x,
            jac=True,
            method="SLSQP",
            bounds=np.column_stack([np.maximum(low, x - BOX), np.minimum(high, x + BOX)]),
            constraints={"type": "ineq", "fun": left, "jac": left_slope},
            options={"maxiter": 60, "ftol": 1e-8},
        )
        stays = np.all(np.abs(found.x - x) < 0.99 * BOX)
        x, asked = np.asarray(found.x), asked + found.nfev
        if stays:
            return x, asked
    raise RuntimeError("the design still changes")


def difference(reach: Reach, x: Array, step: float = 1e-3) -> Array:
    """The gradient by central differences, for the check."""
    return np.array([(reach(x + own)[0] - reach(x - own)[0]) / (2 * step) for own in step * np.eye(len(x))])


def built_reach(x: Array) -> tuple[float, list[Array]]:
    """The mean reach [mm] of the arm as it would be moulded, and its centre lines; all rests are stable."""
    radii, heights, tensions = np.split(x, np.cumsum(SIZES)[:-1])
    robot = built_arm(radii, heights)
    module = symdyn.compile(robot, ["station_poses"], lanes=False)
    rests = [
        symdyn.equilibrium(robot, {"cable": tension}, f_ext=wrench)
        for tension, wrench in zip(tensions, loads(robot), strict=True)
    ]
    assert all(rest.stable for rest in rests)
    lines = [module.station_poses(rest.q)[:, :3, 3] for rest in rests]  # the last station is the tip
    return 1e3 * float(np.mean([way @ line[-1] for way, line in zip(DIRECTIONS, lines, strict=True)])), lines


def draw(file: str, arms: dict[str, Array]) -> None:
    """Centre lines in all directions, as thick as the segments, with the pull at the tip."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 2.6), layout="constrained")
    for axes, (name, x) in zip(figure.subplots(1, len(arms), sharex=True, sharey=True), arms.items(), strict=True):
        reached, lines = built_reach(x)
        for number, line in enumerate(lines):
            begin = np.zeros(3)
            for radius, stations in zip(x[:SEGMENTS], line.reshape(SEGMENTS, -1, 3), strict=True):
                drawn = np.vstack([begin, stations])
                axes.plot(drawn[:, 0], drawn[:, 2], color=f"C{number}", linewidth=radius / 2, solid_capstyle="round")
                begin = stations[-1]
            tip, pulled = line[-1, ::2], line[-1, ::2] - 0.08 * DIRECTIONS[number, ::2]
            axes.annotate("", pulled, tip, arrowprops={"arrowstyle": "->"})
        axes.set(title=f"{name}: {reached:.0f} mm", xlabel="x [m]", ylabel="z [m]", aspect="equal")
    figure.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="FILE", help="draw the arms")
    options = parser.parse_args()
    reach = Reach()
    start = np.repeat([RADIUS, HEIGHT, TENSION], SIZES)
    first, slope = reach(start)
    error = float(np.abs(slope - difference(reach, start)).max() / np.abs(slope).max())
    cable, asked = best(reach, start, tapered=False)
    tapered, more = best(reach, cable)
    arms = {"at first": start, "best cable": cable, "best taper and cable": tapered}
    print(f"{'arm':20}  reach [mm]  mass [g]  {'radii [mm]':22}{'holes [mm]':22}tensions [N]")
    for name, x in arms.items():
        parts = ["".join(f"{own:5.1f}" for own in part) for part in np.split(x, np.cumsum(SIZES)[:-1])]
        print(f"{name:20}  {reach(x)[0]:10.1f}  {mass(x[:SEGMENTS]):8.1f}  {parts[0]:22}{parts[1]:22}{parts[2]}")
    built = built_reach(tapered)[0]
    print(f"{asked + more} gradients; by differences the first is the same to {error:.0e} of its largest entry")
    print(f"the last arm from a file with tapered segments and one cable reaches {built:.1f} mm")
    if options.plot:
        draw(options.plot, arms)
    assert error < 1e-6
    assert mass(tapered[:SEGMENTS]) < (1 + 1e-6) * mass(start[:SEGMENTS])
    assert reach(tapered)[0] > 1.4 * reach(cable)[0] > 1.4 * first
    assert abs(built / reach(tapered)[0] - 1) < 1e-9


if __name__ == "__main__":
    main()
