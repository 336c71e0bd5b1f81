"""A tree for algorithms whose results show neither frames nor wrenches of single bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from symdyn.model.hidden_bodies import bound_constants, hidden_bodies
from symdyn.model.model import Model
from symdyn.plan import Access, Constant, Mode, Port, Step, Sweep, Visit
from symdyn.recursion.external_wrenches import SHIFT
from symdyn.recursion.tree import BOUND, BodyVariant, TreePlan
from symdyn.scalars.algebra import Algebra, Scalar


class HiddenFramesTree(TreePlan):
    """The tree with frames moved along their joints' axes and inertia regrouped, both for fewer operations.

    Wrenches f_ext act at the public origins all the same: see ``external_wrenches``. Bodies that rest on run-time
    parameters, and those that carry them, keep their frames and inertia, unless the model has ``runtime_givers``: then
    one step makes the constants of all bodies from p, moved and regrouped.

    Parameters
    ----------
    model
        The robot.
    external
        ``"body"`` or ``"world"`` where wrenches f_ext act on the bodies, else empty.
    regroup
        Count inertia with the parent where no joint force can tell.
    kept
        As for :class:`TreePlan`.
    """

    def __init__(self, model: Model, external: str = "", regroup: bool = True, kept: bool = False) -> None:
        super().__init__(model, external, regroup=False, kept=kept)
        self._regroup = regroup
        hidden = hidden_bodies(model, bool(external), regroups=regroup)
        self._shifts = hidden.shifts
        self._use(hidden.constants)

    def variant(self, index: int) -> BodyVariant:
        """The structural variant of a body."""
        found = super().variant(index)
        return replace(found, shifted=bool(found.external) and self._shifts[index] != 0.0)

    def _straight_constants(self, index: int) -> dict[str, Constant]:
        return {**super()._straight_constants(index), SHIFT: self._shifts[index]}

    def _constants_sweep(self, p: Access) -> Sweep:
        if self.model.runtime_givers is None:
            return super()._constants_sweep(p)
        step = Step("regroup_parameters", self._regroup_kernel, (Port("p", Mode.READ), Port("constants", Mode.WRITE)))
        rows = Access("constants", 0, len(BOUND) * len(self._bound_row))
        return Sweep(step, (Visit(-1, "all", {}, {"p": p, "constants": rows}),))

    def _regroup_kernel(
        self, _: Any, algebra: Algebra, __: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
    ) -> Mapping[str, Sequence[Scalar]]:
        """All rows at once, since what a body hands on is part of its ancestors' constants."""
        found = bound_constants(self.model, BOUND, algebra, reads["p"], bool(self.external), regroups=self._regroup)
        return {"constants": [value for index in self._bound_row for value in found[index]]}
