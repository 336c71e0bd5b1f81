"""Moments of thin, long links about their axes: they are small beside the others, and no rounding errors of these."""

from __future__ import annotations

import pytest

import symdyn
from symdyn.api import float_recursion
from symdyn.model.bind import FIRST_MOMENT, SECOND_MOMENT, TRANSLATION, without_noise

ROD = """<robot name="rod"><link name="base"/><link name="rod"><inertial><origin xyz="{com}"/><mass value="10"/>
<inertia ixx="{moments[0]}" iyy="{moments[1]}" izz="{moments[2]}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="spin" type="continuous"><parent link="base"/><child link="rod"/><origin rpy="{rpy}"/>
<axis xyz="{axis}"/></joint></robot>"""


@pytest.mark.parametrize("rpy", ["0 0 0", "0.3 0.2 0.5"])
@pytest.mark.parametrize("middle", [0, 150])
@pytest.mark.parametrize("along", [0, 2])
def test_a_rod_of_300_m_spins_by_its_moment(along: int, middle: int, rpy: str) -> None:
    """75000 kg m^2 across and 1e-10 along, as written in the file."""
    moments, axis, com = [75000.0] * 3, [0] * 3, [0] * 3
    moments[along], axis[along], com[along] = 1e-10, 1, middle
    words = {"axis": " ".join(map(str, axis)), "com": " ".join(map(str, com)), "rpy": rpy}
    robot = symdyn.loads(ROD.format(moments=moments, **words), "urdf")
    state = {"q": [0.3], "v": [0.0], "a": [1.0]}
    assert float_recursion(robot, "mass_matrix")(state)["M"] == pytest.approx([1e-10], rel=1e-14)
    assert float_recursion(robot, "inverse_dynamics")(state)["tau"] == pytest.approx([1e-10], rel=1e-14)


def test_noise_of_sums_is_cut() -> None:
    """Second moments of a plate vanish across it, and those of a point that was turned beside its axis."""
    zero = dict.fromkeys((*TRANSLATION, *FIRST_MOMENT, *SECOND_MOMENT), 0.0)
    plate, point = zero | {"Sxx": 5e-17, "Syy": 0.1, "Szz": 0.2}, zero | {"Sxx": 3e-17, "Syy": 2e-17, "Szz": 0.2}
    for given, summed in ((plate, plate), (point, zero | dict.fromkeys(SECOND_MOMENT, 0.2))):
        assert without_noise(given, summed)["Sxx"] == 0.0
    rod = zero | {"Sxx": 3e-17, "Syy": 2e-17, "Szz": 0.2}
    assert without_noise(rod, rod) == rod
