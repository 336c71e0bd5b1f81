"""Robots with closed loops, as texts of files."""

from __future__ import annotations

FOUR_BAR_LINKS = """\
name: fourbar
links:
  base:
  crank: {mass: 1, com: [0.15, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  coupler: {mass: 1, com: [0.4, 0, 0], inertia: {xx: 0.01, yy: 0.05, zz: 0.05}}
  rocker: {mass: 1, com: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.03, zz: 0.03}}
joints:
  turn: {type: revolute, parent: base, child: crank, axis: [0, 1, 0]}
  bend: {type: revolute, parent: crank, child: coupler, translation: [0.3, 0, 0], axis: [0, 1, 0]}
  swing: {type: revolute, parent: base, child: rocker, translation: [0.7, 0, 0], axis: [0, 1, 0]}
frames:
  end: {link: coupler, translation: [0.8, 0, 0]}
  top: {link: rocker, translation: [0.6, 0, 0]}
"""
PIN = "pin: {between: [end, top], kind: revolute, axis: [0, 1, 0], close: true}"
FOUR_BAR = f"{FOUR_BAR_LINKS}loops:\n  {PIN}\n"
"""A crank of 0.3 m, a coupler of 0.8 m and a rocker of 0.6 m on a base of 0.7 m, straight and open at q = 0."""

SLIDER = """\
name: slider_crank
parameters:
  l: {runtime: true, value: 0.5}
links:
  base:
  crank: {mass: 1, inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  rod: {mass: 0.7, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.03}}
  slider: {mass: 2}
joints:
  turn: {type: revolute, parent: base, child: crank, axis: [0, 0, 1]}
  bend: {type: revolute, parent: crank, child: rod, translation: [0.2, 0, 0], axis: [0, 0, 1]}
  slide: {type: prismatic, parent: base, child: slider, translation: [0.7, 0, 0], axis: [1, 0, 0]}
loops:
  pin: {between: [{link: rod, point: [l, 0, 0]}, slider], kind: revolute}
"""
"""A crank of 0.2 m and a rod of l on a slider, closed at q = 0 where l is 0.5 m."""
BENNETT = """\
name: bennett
parameters: {a: 0.5, b: 1, alpha: pi/6, beta: pi/2}
links:
  base:
  first: {mass: 1, inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  second: {mass: 1, inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  third: {mass: 1, inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
joints:
  j1: {type: revolute, parent: base, child: first, axis: [0, 0, 1]}
  j2: {type: revolute, parent: first, child: second, translation: [a, 0, 0], rpy: [alpha, 0, 0], axis: [0, 0, 1]}
  j3: {type: revolute, parent: second, child: third, translation: [b, 0, 0], rpy: [beta, 0, 0], axis: [0, 0, 1]}
frames:
  far: {link: third, translation: [a, 0, 0], rpy: [alpha, 0, 0]}
  near: {link: base, translation: [-b, 0, 0], rpy: [-beta, 0, 0]}
loops:
  j4: {between: [far, near], kind: revolute, close: true}
"""
"""Bennett's linkage: a / sin(alpha) = b / sin(beta), so that four hinges that no two are parallel let it move."""
LEGS = tuple(
    ((0.3 * x, 0.3 * y, 0.0), (0.5 * u, 0.5 * w, -0.6))
    for (x, y), (u, w) in zip(
        ((1, 0), (0.6, 0.8), (-0.6, 0.8), (-1, 0), (-0.28, -0.96), (0.28, -0.96)),
        ((0.8, -0.6), (0.8, 0.6), (0, 1), (-0.8, 0.6), (-0.8, -0.6), (0, -1)),
        strict=True,
    )
)
"""Where each leg of the platform stands on it and in the world."""


def platform() -> str:
    """A free body on six legs whose lengths d0 .. d5 are run-time parameters without values."""
    rows = [f"  d{number}: {{runtime: true}}" for number in range(len(LEGS))]
    loops = [
        f"  leg{number}: {{between: [{{link: top, point: {list(on)}}}, {{world: {list(of)}}}], kind: distance, "
        f"distance: d{number}}}"
        for number, (on, of) in enumerate(LEGS)
    ]
    link = "links:\n  top: {mass: 2, inertia: {xx: 0.1, yy: 0.2, zz: 0.3}}"
    return "\n".join(["name: platform", "floating_base: true", "parameters:", *rows, link, "loops:", *loops, ""])
