"""What is said of contacts: depths and limits at the start, unsolved steps, fixed roots, files of other motions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.contact_history import ContactHistory
from symdyn.analysis.simulation.contact_notes import solver_notes, start_notes
from symdyn.analysis.simulation.trajectory import Trajectory, robot_hash
from symdyn.errors import RequestError
from symdyn.interface.contact_solving import ContactCode
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
HOPPER = f"""
<robot name="hopper">
  <link name="trunk">{BODY}</link>
  <link name="foot">{BODY}<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="leg" type="revolute">
    <parent link="trunk"/><child link="foot"/><axis xyz="0 1 0"/>
    <limit lower="0.5" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""


@pytest.fixture
def hopper(tmp_path: Path) -> Path:
    path = tmp_path / "hopper.urdf"
    path.write_text(HOPPER)
    return path


def test_a_fixed_root_is_said_where_contacts_are_asked_for(hopper: Path, capfd: pytest.CaptureFixture[str]) -> None:
    symdyn.load(hopper, contacts="ground")
    assert (
        "the root link 'trunk' is fixed: floating_base=True, on the command line --floating-base, frees it"
        in capfd.readouterr().err
    )
    for chosen in (True, False):
        symdyn.load(hopper, contacts="ground", floating_base=chosen)
        said = capfd.readouterr().err
        assert "points of contact" in said and "fixed" not in said, "nobody is told what they said themselves"


@pytest.mark.needs_cc
def test_each_contact_has_the_link_of_its_shape(hopper: Path) -> None:
    """Of a link that a fixed joint joins to the foot, too: the sphere below is the one with the smaller gap."""
    pad = BODY + '<collision><geometry><sphere radius="0.05"/></geometry></collision>'
    sole = '<joint name="sole" type="fixed"><origin xyz="0 0 -0.3"/><parent link="foot"/><child link="pad"/></joint>'
    hopper.write_text(HOPPER.replace("</robot>", f'<link name="pad">{pad}</link>{sole}</robot>'))
    robot = symdyn.load(hopper, contacts="ground", floating_base=True)
    names, links = zip(*robot.contact_links.items(), strict=True)
    assert names == robot.model.contact_layout.slot_names and sorted(links) == ["foot", "pad"]
    gaps = symdyn.compile(robot, ["contact_gaps"], lanes=False).contact_gaps(robot.neutral())[0]
    assert dict(zip(links, gaps, strict=True)) == pytest.approx({"foot": -0.1, "pad": -0.35})


def test_depths_at_the_start_are_said_by_kind(hopper: Path) -> None:
    """Deep contacts come first, though limits are passed by more."""
    layout = symdyn.load(hopper, contacts="ground", floating_base=True).model.contact_layout
    names, units = ("foot[0]", "leg.lower", "leg.upper", "slide.lower"), ("m", "rad", "rad", "m")
    contact, limit = start_notes(layout, names, np.array([-0.06, -0.838, 0.5, -0.1]), units)
    assert contact.startswith("at the start the contact 'foot[0]' is 0.06 m deep; contacts are pushed out at 0.2 m/s")
    assert limit.startswith(
        "at the start the joint limit 'leg.lower' is passed by 0.838 rad, the most of 2 such limits; "
        "joints are pushed back at 0.2 rad/s at most; "
    )
    assert "--q" in limit
    (limit,) = start_notes(layout, names, np.array([0.0, 0.1, 0.5, -0.1]), units)
    assert "'slide.lower' is passed by 0.1 m; joints are pushed back at 0.2 m/s at most" in limit
    assert start_notes(layout, names, np.array([1.0, 0.1, 0.5, -1e-9]), units) == []


@pytest.mark.parametrize(("residual", "harmless"), [(1e-9, True), (1e-5, False)])
def test_unsolved_steps_are_judged(residual: float, harmless: bool) -> None:
    codes = [ContactCode.SOLVED, ContactCode.NOT_SOLVED, ContactCode.SOLVED]
    (line,) = solver_notes(codes, residual, 0.25)
    assert "in 1 of 3 steps impulses were not solved to the tolerance: the worst residual is" in line
    assert f" {residual:.2g} N s, {residual / 0.25:.2g} of the largest impulse, 0.25 N s; " in line
    assert line.endswith("below 1e-06 of it is harmless") == harmless
    assert line.endswith("above 1e-06 of it motions may change, so take smaller steps") != harmless


def _motion(robot: Robot) -> Trajectory:
    """Two times at rest, as if simulated."""
    layout, n = robot.model.contact_layout, 2
    sets, slots = (*layout.slot_names, *(row.name for row in layout.limits)), layout.slot_count
    history = ContactHistory(
        sets, layout.row_names, np.zeros((n, layout.count)), np.zeros((n, len(sets)), np.int32), np.zeros(n),
        np.zeros((n, slots)), np.zeros((n, slots, 3)), np.zeros((n, slots, 3)),
    )  # fmt: skip
    rates = np.zeros((n, robot.nv))
    return Trajectory(
        *(robot.name, robot_hash(robot), "contacts", robot.coordinate_names, robot.velocity_names, ()),
        *(robot.velocity_names, np.arange(2.0), np.tile(robot.neutral(), (n, 1)), rates, rates, np.zeros((n, 0))),
        *(rates, np.zeros(n), np.zeros(n)),
        robot=robot,
        contacts=history,
    )  # fmt: skip


def test_options_of_loading_that_differ_from_those_of_a_motion_are_named(hopper: Path, tmp_path: Path) -> None:
    file = tmp_path / "stand.npz"
    _motion(symdyn.load(hopper, contacts="ground", floating_base=True)).save(file)
    with pytest.raises(
        RequestError, match=r"differs from it: contacts: the motion has ground, and the robot none \(contacts=\.\., "
    ):
        Trajectory.load(file, symdyn.load(hopper, floating_base=True))
    with pytest.raises(RequestError, match=r"differs from it: floating_base was True, and is False; contacts: "):
        Trajectory.load(file, symdyn.load(hopper))
    other = symdyn.load(hopper, contacts="ground", floating_base=True, gravity=(0, 0, -1.62))
    with pytest.raises(RequestError, match=r"gravity was \[0\.0, 0\.0, -9\.81\], and is \[0\.0, 0\.0, -1\.62\]; load"):
        Trajectory.load(file, other)
    Trajectory.load(file).save(tmp_path / "bare.npz")  # without its robot
    with pytest.raises(RequestError, match=r"differs from it: its coordinates have other names.*; contacts: "):
        Trajectory.load(tmp_path / "bare.npz", symdyn.load(hopper))
