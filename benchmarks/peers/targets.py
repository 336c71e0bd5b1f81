"""What symdyn set out to reach, case by case, and whether a measurement did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A bound on a figure: from below where ``at_least``, from above otherwise."""

    bound: float
    at_least: bool = False

    def verdict(self, value: float, what: str = "") -> str:
        """``0.41 (at most 0.5: met)``, with what it is of."""
        met = value >= self.bound if self.at_least else value <= self.bound
        shown = f"{value:.0f}" if value >= 1000 else f"{value:.3g}"
        side = "at least" if self.at_least else "at most"
        return f"{what}{shown} ({side} {self.bound:g}: {'met' if met else 'MISSED'})"


def at_most(bound: float) -> Target:
    """A figure that is better when small."""
    return Target(bound)


def at_least(bound: float) -> Target:
    """A figure that is better when large."""
    return Target(bound, at_least=True)


CASADI, PINOCCHIO = "CasADi C", "Pinocchio C++"

SINGLE_CALLS: dict[tuple[str, str], dict[str, Target]] = {
    ("panda7", "inverse_dynamics"): {CASADI: at_least(1 / 0.5), PINOCCHIO: at_least(9)},
    ("panda7", "forward_dynamics"): {CASADI: at_least(1 / 0.6), PINOCCHIO: at_least(8)},
    ("panda7", "mass_matrix"): {CASADI: at_least(1 / 0.4), PINOCCHIO: at_least(6)},
    ("talos_reduced", "inverse_dynamics"): {CASADI: at_least(1.7), PINOCCHIO: at_least(7)},
    ("talos_reduced", "forward_dynamics"): {CASADI: at_least(1.7), PINOCCHIO: at_least(6)},
    ("talos_reduced", "inverse_dynamics_partials"): {PINOCCHIO: at_least(4)},
    ("talos_reduced", "forward_dynamics_partials"): {PINOCCHIO: at_least(3)},
}
"""How many times as long a peer takes as symdyn's fastest layout, by robot and function."""

BATCH_WAYS = {"batch_lanes": at_most(0.33), "batch": at_most(0.40)}
"""Time per state of a batch of eight as a part of the fastest single call of the 7-DoF arm, by way."""

PAPER, STRONGEST = "casadi-recursion-cse", "casadi-plain-cse"

TIME_DERIVATIVES: dict[tuple[str, str], dict[int, Target]] = {
    ("inverse_dynamics", PAPER): {0: at_least(12), 3: at_least(15), 5: at_least(15)},
    ("inverse_dynamics", STRONGEST): {0: at_least(1 / 0.25), 3: at_least(1 / 0.2), 5: at_least(1 / 0.2)},
    ("forward_dynamics", PAPER): {0: at_least(8), 3: at_least(12), 5: at_least(15)},
}
"""How many times as long a rival takes as symdyn's fastest layout, 7 bodies, by function and rival, and by order."""

TWO_ARMS = at_least(1.4)
"""Our time without lanes in terms of that with the two arms of the 7 bodies side by side, fastest layouts of each."""

TREE_MICROSECONDS = {0: at_most(1.0), 3: at_most(4.0), 5: at_most(5.5), 8: at_most(11.5)}
TREE_KILOBYTES = {0: at_most(100), 3: at_most(100), 5: at_most(100), 8: at_most(170)}
TREE_COMPILE_S = at_most(4.0)
"""Inverse dynamics of 101 bodies by order, on one core of 3.6 GHz (Zen 4); machine code and constants."""

OPERATIONS = {
    "inverse_dynamics": (640, 1500, 2750, 4350, 6350, 8700),
    "forward_dynamics": (1150, 2450, 4200, 6300, 8800, 11600),
}
"""Operations of 7 bodies at orders 0 .. 5, at most."""

STEP_RATIO = 1.15
"""Operations of ``step_partials`` of a semi-implicit step, of those of the derivatives that it takes, at most."""

GENERATION_S = {"panda7": at_most(15), "talos_reduced": at_most(90), "aerial_manipulator": at_most(10)}
"""Wall-clock seconds from a robot file to a module: all of the catalogue, and for the aerial manipulator inverse and
forward dynamics with five derivatives; empty cache."""

ROD_MICROSECONDS: dict[tuple[str, int], Target] = {
    ("inverse_dynamics", 0): at_most(0.4),
    ("inverse_dynamics_time_derivatives", 3): at_most(2.3),
    ("inverse_dynamics_time_derivatives", 5): at_most(4.5),
    ("mass_matrix", 0): at_most(0.9),
    ("forward_dynamics", 0): at_most(2.0),
    ("inverse_dynamics_partials", 0): at_most(10.5),
    ("forward_dynamics_partials", 0): at_most(14.0),
    ("forward_dynamics_time_derivatives", 3): at_most(7.0),
}
"""A rod of 24 coordinates, steps of Magnus order 4, by function and order of derivatives; AVX-512."""

ROD_OPERATIONS = {
    ("inverse_dynamics", 0): at_most(10_500),
    ("inverse_dynamics_time_derivatives", 3): at_most(50_000),
    ("mass_matrix", 0): at_most(36_000),
    ("forward_dynamics", 0): at_most(52_000),
    ("inverse_dynamics_partials", 0): at_most(320_000),
}
"""Of the same, lanes counted per station."""

ROD_KILOBYTES = {
    ("inverse_dynamics", 0): at_most(20),
    ("inverse_dynamics_time_derivatives", 3): at_most(75),
    ("forward_dynamics", 0): at_most(40),
    ("forward_dynamics_partials", 0): at_most(150),
    ("forward_dynamics_time_derivatives", 3): at_most(150),
}
"""Machine code of the same without tables, however many stations there are."""

ROD_RIVALS = {
    ("inverse_dynamics", 0): at_least(5),
    ("forward_dynamics", 0): at_least(5),
    ("inverse_dynamics_partials", 0): at_least(10),
    ("inverse_dynamics_time_derivatives", 3): at_least(8),
}
"""How many times as long CasADi's C of the plain recursion takes."""

ROD_GROWTH = {"rods": at_most(1.1), "stations": at_most(1.1), "per coordinate": at_most(8)}
"""Exponents of forward dynamics over rods and of inverse dynamics over stations; operations per coordinate, station
and rate."""

ROD_GENERATION_S = {
    ("cable_manipulator", ("inverse_dynamics", "forward_dynamics")): at_most(5),
    ("cable_manipulator", ("forward_dynamics_partials",)): at_most(10),
    ("flagellate_vehicle", ("inverse_dynamics", "forward_dynamics", "forward_dynamics_partials")): at_most(30),
}
"""Processor seconds to generate and to compile some functions of a shipped robot."""

ROD_TRACING_S = at_most(5)
"""Processor seconds to write inverse dynamics of 136 points."""

LOOP_NANOSECONDS = at_most(250)
"""Constrained forward dynamics of a planar five-bar."""

LOOP_RATIOS = {"tree": at_most(2.3), "CasADi": at_most(0.5), "Pinocchio": at_most(0.2), "partials": at_most(0.35)}
"""Constrained forward dynamics of a quadruped on four feet, as parts of its tree's, of CasADi's and Pinocchio's times;
and its partial derivatives as a part of Pinocchio's."""
