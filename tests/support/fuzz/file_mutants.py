"""Files of all kinds with mistakes, in turn: YAML of loops and of soft links, motions and tables of inputs, MJCF, URDF.

    cd tests; python -m support.fuzz.file_mutants --count 20000 --seed 7

Each is read, or refused in one line, and takes under 5 s. Twenty thousand take about twenty minutes on one core;
``--jobs`` takes more cores, and ``--first`` begins later, so that a campaign may be run in shares. ``acting_mutants``,
``trajectory_mutants``, ``mjcf_mutants`` and ``urdf_mutants`` run each kind alone; what they do is said there.
"""

from __future__ import annotations

from support.fuzz import acting_mutants, mjcf_mutants, trajectory_mutants, urdf_mutants
from support.fuzz.campaign import Outcome, command


def case(seed: int, index: int) -> Outcome:
    """One mutant, of the kind that is next."""
    own, turn = divmod(index, 5)
    match turn:
        case 0 | 1:
            return acting_mutants.case(seed, 2 * own + turn)
        case 2:
            return trajectory_mutants.case(seed, own)
        case 3:
            return urdf_mutants.case(seed, own).of("urdf")
    return mjcf_mutants.case(seed, own).of("mjcf")


if __name__ == "__main__":
    command("file_mutants", case, 4000)
