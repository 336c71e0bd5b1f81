"""A rod in two: E^T ID2(E q, E v, E a) = ID1, poses and energies alike, where both say the same strain."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.polynomial import Polynomial, legendre
from numpy.typing import NDArray
from support.robots.soft_looped import LENGTH, rod
from support.soft_calls import call

from symdyn import api
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.soft import Soft, Strain
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
HAND = Inertial(0.2, (3e-4, 1e-5, 2e-5, 4e-4, -1e-5, 5e-4), Placement((0.01, -0.02, 0.03)))


def _description(rods: list[Soft]) -> RobotDescription:
    names = [f"rod{number}" for number in range(len(rods))]
    links = [Link(name, soft=soft) for name, soft in zip(names, rods, strict=True)]
    places = [Placement(), *(Placement((soft.length, 0.0, 0.0)) for soft in rods)]
    joints = [Joint("turn", JointKind.REVOLUTE, "ground", names[0], axis=(0.6, 0.0, 0.8))]
    for number, name in enumerate([*names[1:], "hand"], 1):
        joints.append(Joint(f"weld{number}", JointKind.FIXED, names[number - 1], name, places[number]))
    return RobotDescription("cut", (Link("ground"), *links, Link("hand", HAND)), tuple(joints))


@cache
def robots(counts: tuple[int, ...], stations: int, magnus: int) -> tuple[Robot, Robot]:
    """One whole, one in two halves; ``counts`` are numbers of Legendre functions of each strain."""
    whole = replace(rod(dict(zip(Strain, counts, strict=True)), stations), magnus=magnus)
    half = replace(whole, length=LENGTH / 2)
    options = {"gravity": (1.0, -9.0, 3.0)}
    return (
        api.from_description(_description([whole]), **options),
        api.from_description(_description([half, half]), **options),
    )


def embedding(counts: tuple[int, ...]) -> Array:
    """E: coordinates of both halves, and of the joint before them, from those of the whole rod.

    On a half the strain is the same function of its place. Coordinates of angular strains are divided by the rod's
    length, so they halve with it.
    """
    halves = []
    for shift in (-0.5, 0.5):  # 2 s - 1 = (2 s' - 1) / 2 + shift
        blocks = []
        for strain, count in zip(Strain, counts, strict=True):
            block = np.zeros((count, count))
            for degree in range(count):
                polynomial = legendre.Legendre.basis(degree).convert(kind=Polynomial)
                series = polynomial(Polynomial([shift, 0.5])).convert(kind=legendre.Legendre).coef
                block[: len(series), degree] = series * (0.5 if strain.angular else 1.0)
            blocks.append(block)
        halves.append(_diagonal(blocks))
    return _diagonal([np.eye(1), np.vstack(halves)])


def _diagonal(blocks: list[Array]) -> Array:
    found = np.zeros(np.sum([block.shape for block in blocks], axis=0))
    row = column = 0
    for block in blocks:
        found[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return found


def _errors(counts: tuple[int, ...], stations: int, magnus: int) -> dict[str, float]:
    """What differs between both, each relative to its largest entry."""
    one, two = robots(counts, stations, magnus)
    E = embedding(counts)
    assert E.shape == (two.nv, one.nv)
    q, v, a = np.random.default_rng(5).uniform(-0.8, 0.8, (3, one.nv))
    whole, halves = {"q": q, "v": v, "a": a}, {"q": E @ q, "v": E @ v, "a": E @ a}
    found = {}
    for function, given in (
        ("inverse_dynamics", "qva"),
        ("gravity", "q"),
        ("elastic_forces", "q"),
        ("damping_forces", "qv"),
        ("kinetic_energy", "qv"),
        ("potential_energy", "q"),
        ("center_of_mass", "q"),
        ("centroidal_momentum", "qv"),
        ("forward_kinematics", "q"),
        ("jacobians", "q"),
        ("mass_matrix", "q"),
    ):
        (first,) = call(one, function, **{name: whole[name] for name in given})
        (second,) = call(two, function, **{name: halves[name] for name in given})
        if function in ("inverse_dynamics", "gravity", "elastic_forces", "damping_forces"):
            second = E.T @ second
        elif function == "mass_matrix":
            second = E.T @ second @ E
        elif function in ("forward_kinematics", "jacobians"):
            first, second = first[one.frame_names.index("hand")], second[two.frame_names.index("hand")]
            second = second @ E if function == "jacobians" else second
        found[function] = float(np.max(np.abs(second - first)) / np.max(np.abs(first)))
    return found


def test_constant_strains_are_the_same_in_two_halves() -> None:
    """Steps are exact there; ten Gauss points integrate what is smooth to rounding."""
    errors = _errors((1, 1, 1, 1, 1, 1), 10, 6)
    assert max(errors.values()) <= 1e-12, errors


@pytest.mark.parametrize("magnus", [4, 6])
def test_errors_of_other_strains_fall_by_the_order_of_the_steps(magnus: int) -> None:
    """From 8 stations a half to 16: 2^order within a factor of two, since Gauss points are not evenly spaced."""
    counts = (2, 2, 3, 2, 1, 1)
    coarse, fine = _errors(counts, 8, magnus), _errors(counts, 16, magnus)
    for function in ("forward_kinematics", "inverse_dynamics", "potential_energy"):
        order = np.log2(coarse[function] / fine[function])
        assert order >= magnus - 1.0 or fine[function] <= 1e-12, (function, coarse[function], fine[function])
        assert fine[function] <= 1e-3, function
