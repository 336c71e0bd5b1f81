"""A chain of four links with one loop of any kind; seven coordinates, so that six rows of a loop leave one."""

from __future__ import annotations

from symdyn.description.loops import LoopKind

CHAIN = """
name: chain
links:
  base:
  upper: {mass: 2, com: [0.1, 0.05, -0.2], inertia: {xx: 0.03, yy: 0.04, zz: 0.02, xy: 0.002}}
  middle: {mass: 1.5, com: [0.2, -0.03, 0.04], inertia: {xx: 0.01, yy: 0.03, zz: 0.03, xz: 0.001}}
  lower: {mass: 1, com: [0.05, 0.1, 0.02], inertia: {xx: 0.02, yy: 0.01, zz: 0.02, yz: -0.001}}
  hand: {mass: 0.5, com: [0.02, 0.03, 0.05], inertia: {xx: 0.004, yy: 0.005, zz: 0.006}}
joints:
  shoulder: {type: spherical, parent: base, child: upper}
  elbow: {type: universal, parent: upper, child: middle, axis: [0, 1, 0], second_axis: [0, 0, 1],
          translation: [0.1, 0, -0.4]}
  slide: {type: prismatic, parent: middle, child: lower, axis: [0.6, 0, 0.8], translation: [0.3, 0.1, 0]}
  wrist: {type: revolute, parent: lower, child: hand, axis: [0.48, 0.6, 0.64], translation: [0.1, 0.2, 0.05]}
loops:
  tie: """
PLACES = "between: [{link: hand, point: [0.1, 0, 0.05]}, {link: base, point: [0.4, 0.1, -0.3]}], close: true"
_MORE = {
    LoopKind.SPHERICAL: "",
    LoopKind.UNIVERSAL: ", axes: [[0.6, 0, 0.8], [0, 1, 0]]",
    LoopKind.DISTANCE: ", distance: 0.35",
}
KINDS = {
    **{
        kind.value: f"{{{PLACES}, kind: {kind.value}{_MORE.get(kind, ', axis: [0.48, 0.6, 0.64]')}}}"
        for kind in LoopKind
    },
    "coupling": "{kind: coupling, terms: {slide: 1, wrist: -0.3}, offset: 0.1}",
    "pfaffian": "{kind: pfaffian, rows: [{slide: cos(wrist), shoulder.wx: 0.3}, {wrist: 1 + slide, shoulder.wz: -1}], "
    "equals: [0, 0], coordinates: [slide, wrist]}",
}


def chain_text(kind: str) -> str:
    """The file of a chain with a loop of one of KINDS."""
    return f"{CHAIN}{KINDS[kind]}\n"
