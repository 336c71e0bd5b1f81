"""What every sweep along the tree needs of a body: its structural variant, its constants, and where its ports lie."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from symdyn.dynamics.tree.added_mass_layout import TreeAdded
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.kinematics import MOTION_SIZE, ground_motion
from symdyn.dynamics.tree.rod_material import TreeMatter
from symdyn.dynamics.tree.rod_tips import TreeRodTips
from symdyn.dynamics.tree.soft_tip import TipQuantities
from symdyn.dynamics.tree.station_layout import TreeRods
from symdyn.dynamics.tree.tree_beams import TreeBeams
from symdyn.dynamics.tree.tree_loads import TreeLoads
from symdyn.dynamics.tree.tree_parameters import BOUND, constants_sweep, gravity_sweep
from symdyn.model.bind import LOSSES, ROTATION, baked_loads
from symdyn.model.bodies import ModelJoint
from symdyn.model.hidden_bodies import hidden_bodies
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Given, Sweep

ALIGNMENT = tuple(f"A{row}{column}" for row in range(3) for column in range(3))
LOSS = (*LOSSES, "velocity_rate")
SHIFT = "shift"
"""Constant: how far the frame's origin stands from the public one along z [m]."""


class TreePlan:
    """Fields, accesses and visits that the algorithms of one robot share.

    Frames and inertia are where the model lets them go (see :class:`symdyn.model.frame_policy.FramePolicy`). Wrenches
    f_ext act at the public origins all the same: see ``elements.external_wrench``.

    Parameters
    ----------
    model
        The robot.
    external
        ``"body"`` or ``"world"`` where wrenches f_ext act on the bodies, else empty.
    kept
        Keep every body's row of fields along a path, for sweeps that read them again.
    derivatives
        How often poses of rods may be differentiated without a loss of digits.
    beside
        The tree of the whole robot in the same plan, where this is a part of it, such as one without losses: its
        constants of run-time parameters are read.
    """

    def __init__(
        self,
        model: Model,
        external: str = "",
        kept: bool = False,
        derivatives: int = 2,
        beside: TreePlan | None = None,
    ) -> None:
        self.model = model
        # what bends asks for its carrier's motion again, and loads for more of the bodies that they act on
        self._kept = kept or bool(model.beams or model.contacts.runtime) or any(body.loads for body in model.bodies)
        self.external = external
        self.derivatives = derivatives
        """As it was given."""
        self._loads = [baked_loads(model, body) for body in model.bodies]
        hidden = hidden_bodies(model, bool(external))
        self._baked, self._shifts = hidden.constants, hidden.shifts
        bound = (
            index
            for index, (baked, loads) in enumerate(zip(self._baked, self._loads, strict=True))
            if baked is None
            or None in loads.values()
            or not all(isinstance(value, float) for value in baked.values.values())
        )
        rows = {index: row for row, index in enumerate(bound)}
        self._bound_row: dict[int, int] = rows if beside is None else beside._bound_row
        self._depth: list[int] = []
        for body in model.bodies:
            self._depth.append(self._depth[body.parent] + 1 if body.parent >= 0 else 0)
        self.first_column = [0, *accumulate(len(body.joint.coordinates.v) for body in model.bodies)]
        """Columns of the joints before each body's, where followers have columns of their own."""
        self.carriers = frozenset(model.bodies[index].parent for index in self.links)
        """Links on which other links hang: rotors hang on their links, but have no frame and no mass."""
        self.rods = TreeRods(model, derivatives)
        self.beams = TreeBeams(model, self.rods.tips if model.contracted else ())
        self.loads = TreeLoads(model, self._shifts)
        self.added = TreeAdded(model, self.loads)
        self.matter = TreeMatter(model)
        self.tips = TreeRodTips(model, self.rods, self.matter, self.added)
        self._pose_offset = [0, *accumulate(body.joint.kind.stored for body in model.bodies)]

    @property
    def depth_rows(self) -> int:
        """Rows of a field that :meth:`along_path` addresses."""
        return len(self.model.bodies) if self._kept else max(self._depth) + 1

    def path(self, index: int) -> set[int]:
        """A body and all that carry it."""
        found = set()
        while index >= 0:
            found.add(index)
            index = self.model.bodies[index].parent
        return found

    def along_path(self, field: str, width: int, index: int) -> Access:
        """A body's row of a field that only its own descendants read, in an outward sweep.

        Bodies come depth first, so one row per depth is enough: siblings may overwrite each other. The row stays in
        the first-level cache, and chains keep an even stride.
        """
        return Access(field, width * (index if self._kept else self._depth[index]), width)

    @property
    def gravity_is_runtime(self) -> bool:
        """Whether a component of gravity is an input."""
        return any(self.model.slots.index(f"gravity.{axis}") is not None for axis in "xyz")

    def fields(self) -> list[Field]:
        """Fields of inputs that belong to the robot, and of what :meth:`binding_sweeps` writes."""
        found = [Field("pose", FieldKind.STATE, self._pose_offset[-1])]
        if self.external:
            found.append(Field("f_ext", FieldKind.INPUT, 6 * len(self.model.body_names)))
        if self.model.slots.names:
            found.append(Field("p", FieldKind.INPUT, len(self.model.slots.names)))
        if self.model.switches:
            found.append(Field("active", FieldKind.INPUT, len(self.model.switches)))
        if self._bound_row:
            found.append(Field("constants", FieldKind.STATE, len(BOUND), len(self._bound_row)))
        if self.gravity_is_runtime:
            found.append(Field("ground", FieldKind.STATE, MOTION_SIZE))
        parts = (self.loads, self.added, self.matter, self.beams, self.rods, self.tips)
        return [*found, *(field for part in parts for field in part.fields())]

    @property
    def shared(self) -> list[str]:
        """Names of those of these fields that algorithms beside each other in a plan may share.

        Added masses are not among them: an algorithm sums them up from the tips of the tree to its root.
        """
        summed = {field.name for field in self.added.fields()}
        return [field.name for field in self.fields() if field.name not in summed]

    def binding_sweeps(self) -> list[Sweep]:
        """Sweeps that compute constants: those of :meth:`parameter_sweeps`, then those of :meth:`shape_sweeps`."""
        return [*self.parameter_sweeps(), *self.shape_sweeps()]

    def shape_sweeps(self, requested: TipQuantities = TipQuantities.MASSES) -> list[Sweep]:
        """Sweeps that compute from q how flexible links weigh, for themselves and for the bodies that carry them.

        Of soft links in a contracted robot they compute what is ``requested``.
        """
        found = [] if requested is TipQuantities.COLUMNS else self.beams.sweeps(self.q, self._straight_constants)
        return [*found, *self.tips.sweeps(self._straight_constants, self.beams.bent, requested)]

    def parameter_sweeps(self) -> list[Sweep]:
        """Sweeps that compute from p the ground's motion, and constants of bodies and rods, where these rest on p."""
        sweeps = [gravity_sweep(self.model)] if self.gravity_is_runtime else []
        if self._bound_row:
            sweeps.append(constants_sweep(self.model, self._bound_row, bool(self.external)))
        return [*sweeps, *self.loads.sweeps(), *self.matter.sweeps()]

    def variant(self, index: int) -> BodyVariant:
        """The structural variant of a body."""
        body = self.model.bodies[index]
        damped, friction = self._losses(index)
        external = self.external if body.row is not None else ""
        return BodyVariant(
            kind=body.joint.kind,
            damped=damped,
            friction=friction,
            external=external,
            angular_first=self.model.convention == "spatial",
            transmits=body.parent >= 0,
            geared=self.has(index, "armature"),
            shifted=bool(external) and self._shifts[index] != 0.0,
        )

    @property
    def links(self) -> tuple[int, ...]:
        """Bodies that have a frame, in recursion order: all but the rotors of elastic joints."""
        return self.model.links

    @property
    def rotors(self) -> tuple[int, ...]:
        """Rotors of elastic joints, each of which hangs on the link at the other end of its spring."""
        return self.model.rotors

    def has(self, index: int, load: str) -> bool:
        """Whether a body's joint has a loss, rotor or spring: its constant may differ from 0."""
        return self._loads[index][load] != 0.0

    def _losses(self, index: int) -> tuple[bool, str]:
        losses = self.joint(index).losses
        if not self.model.joint_losses or losses is None:
            return False, "none"
        smooth = "smooth" if losses.velocity_scale > 0.0 else "sharp"
        rubs = self.has(index, "friction") and not self.joint(index).dry
        return self.has(index, "damping"), smooth if rubs else "none"

    def constants(self, index: int, names: Sequence[str]) -> dict[str, Constant]:
        """Constants of a body by name: numbers, or accesses to what the binding sweep computed.

        A step names those it reads, because what it does not read must not tell its structural classes apart.
        """
        found = self._straight_constants(index) | self.beams.moments(index)
        return {name: found[name] for name in names}

    def _straight_constants(self, index: int) -> dict[str, Constant]:
        """The constants of a body of which nothing is bent."""
        body = self.model.bodies[index]
        baked = self._baked[index]
        found: dict[str, Constant] = {name: body.rotation[place // 3][place % 3] for place, name in enumerate(ROTATION)}
        found |= {name: body.alignment[place // 3][place % 3] for place, name in enumerate(ALIGNMENT)}
        found |= body.joint.numbers
        found[SHIFT] = self._shifts[index]
        losses = body.joint.losses
        found["velocity_rate"] = 1.0 / losses.velocity_scale if losses and losses.velocity_scale > 0.0 else 0.0
        known = {} if baked is None else {name: x for name, x in baked.values.items() if isinstance(x, float)}
        if index in self._bound_row:
            start = self._bound_row[index] * len(BOUND)
            found |= {name: Access("constants", start + place, 1) for place, name in enumerate(BOUND)}
        return found | known

    def joint(self, index: int) -> ModelJoint:
        """The joint that moves a body."""
        return self.model.bodies[index].joint

    def q(self, index: int, field: str = "q") -> Access:
        """A body's own rows of q, or of another field with the same rows."""
        rows = self.model.bodies[index].joint.q_rows
        return self.found(index, field, posed=True) or Access(field, rows.start, rows.stop - rows.start)

    def v(self, index: int, field: str = "v") -> Access:
        """A body's own rows of v, or of another field with the same rows (a, tau)."""
        rows = self.model.bodies[index].joint.v_rows
        return self.found(index, field) or Access(field, rows.start, rows.stop - rows.start)

    def found(self, index: int, field: str, posed: bool = False) -> Access | None:
        """Where rows lie that follow from those of a rod: of its stations or, ``posed``, of its tip."""
        if self.model.bodies[index].joint.inner:
            return self.rods.rows(index, field)
        return self.tips.pose(index) if posed and self.tips.knows(index) else None

    @property
    def ground_motion(self) -> Binding:
        """The ground's row of the ``motion`` field."""
        if self.gravity_is_runtime:
            return Access("ground", 0, MOTION_SIZE)
        return Given(tuple(ground_motion(self.model.gravity)))

    def shape_at(self, index: int) -> Access | None:
        """Where the shape of a body lies, if it is the tip of a link that bends."""
        return self.beams.shape_at(index) or self.tips.shape(index)

    def pose(self, index: int) -> Access:
        """Where the pose of the body's joint is kept."""
        return Access("pose", self._pose_offset[index], self.model.bodies[index].joint.kind.stored)

    def external_wrench(self, index: int) -> Access:
        """The body's rows of f_ext."""
        row = self.model.bodies[index].row
        assert row is not None
        return Access("f_ext", 6 * row, 6)
