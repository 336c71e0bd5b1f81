"""All elements, and their sweeps: the only place that lists them."""

from __future__ import annotations

from symdyn.dynamics.elements.actuator_feedback import ACTUATOR_FEEDBACK
from symdyn.dynamics.elements.added_mass import ADDED_MASS
from symdyn.dynamics.elements.ball_spring import BALL_SPRING
from symdyn.dynamics.elements.base import Element, Gives
from symdyn.dynamics.elements.beam import Beam
from symdyn.dynamics.elements.beam_tip import BeamTip
from symdyn.dynamics.elements.bushing import BUSHING, STRUT
from symdyn.dynamics.elements.contact import CONTACT
from symdyn.dynamics.elements.deformable import Deformables
from symdyn.dynamics.elements.external_load import OUTER_WRENCH
from symdyn.dynamics.elements.fluid import BUOYANCY, DRAG
from symdyn.dynamics.elements.joint_loss import JOINT_LOSS
from symdyn.dynamics.elements.joint_spring import JOINT_SPRING
from symdyn.dynamics.elements.joint_stop import JOINT_STOP
from symdyn.dynamics.elements.map_energy import MAP_ENERGY
from symdyn.dynamics.elements.parallel_spring import PARALLEL_SPRING
from symdyn.dynamics.elements.rod import SoftRod
from symdyn.dynamics.elements.rod_strain import ROD_STRAIN
from symdyn.dynamics.elements.rod_tip import SoftTip
from symdyn.dynamics.elements.rotor import ROTOR
from symdyn.dynamics.elements.section_energy import SECTION_ENERGY
from symdyn.dynamics.elements.strain import STRAIN
from symdyn.dynamics.elements.tip import DeformableTip
from symdyn.dynamics.tree.body_state import state_sweeps
from symdyn.dynamics.tree.places import WRENCH
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import Flexure, JointModel, RodTip
from symdyn.plan.plan import Sweep

_OUTER = (OUTER_WRENCH, BUOYANCY, DRAG, ADDED_MASS, CONTACT, BUSHING, STRUT)
ELEMENTS: tuple[Element, ...] = (
    ROTOR,
    JOINT_SPRING,
    STRAIN,
    PARALLEL_SPRING,
    BALL_SPRING,
    JOINT_STOP,
    ROD_STRAIN,
    MAP_ENERGY,
    SECTION_ENERGY,
    JOINT_LOSS,
    ACTUATOR_FEEDBACK,
    *_OUTER,
)
DEFORMABLES = Deformables(Beam(), SoftRod())


def tip_of(kind: JointModel) -> DeformableTip | None:
    """What the tip of a deformable body shows, if a joint is that of one."""
    match kind:
        case Flexure():
            return BeamTip(kind)
        case RodTip():
            return SoftTip(kind)
    return None


def element_sweeps(tree: TreePlan, field: str, *wanted: Gives) -> list[Sweep]:
    """Sweeps that add what the robot's elements give to a field; see :class:`Gives` for its shape and unit."""
    sweeps = [element.gives[what](tree, field) for what in wanted for element in ELEMENTS if what in element.gives]
    return [sweep for sweep in sweeps if sweep.visits]


def load_sweeps(tree: TreePlan) -> list[Sweep]:
    """Sweeps that add the loads on bodies to the field ``wrench``, after those of what the loads ask to know."""
    loads = element_sweeps(tree, WRENCH.field, Gives.WRENCH)
    return [*state_sweeps(tree, loads), *loads]


def energy_sweeps(tree: TreePlan) -> tuple[list[Sweep], list[Sweep]]:
    """Sweeps of what loads ask to know, which read poses, and those that add stored energy to the field ``energy``."""
    energies = element_sweeps(tree, "energy", Gives.ENERGY)
    return state_sweeps(tree, energies), energies
