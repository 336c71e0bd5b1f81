"""A tree for algorithms whose results show neither frames nor wrenches of single bodies."""

from __future__ import annotations

from dataclasses import replace

from symdyn.model.joint_origins import slid
from symdyn.model.model import Model
from symdyn.model.regroup import regrouped
from symdyn.plan import Constant
from symdyn.recursion.external_wrenches import SHIFT
from symdyn.recursion.tree import BodyVariant, TreePlan


class HiddenFramesTree(TreePlan):
    """The tree with frames moved along their joints' axes and inertia regrouped, both for fewer operations.

    Wrenches f_ext act at the public origins all the same: see ``external_wrenches``. Bodies that rest on run-time
    parameters, and those that carry them, keep their frames.

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
        self._baked, self._shifts = slid(model, self._baked, bool(external))
        if regroup:
            self._baked, _ = regrouped(model, self._baked)

    def variant(self, index: int) -> BodyVariant:
        """The structural variant of a body."""
        found = super().variant(index)
        return replace(found, shifted=bool(found.external) and self._shifts[index] != 0.0)

    def _all_constants(self, index: int) -> dict[str, Constant]:
        return {**super()._all_constants(index), SHIFT: self._shifts[index]}
