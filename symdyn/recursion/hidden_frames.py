"""A tree for algorithms whose results show neither frames nor wrenches of single bodies."""

from __future__ import annotations

from symdyn.model.joint_origins import slid
from symdyn.model.model import Model
from symdyn.model.regroup import regrouped
from symdyn.recursion.tree import TreePlan


class HiddenFramesTree(TreePlan):
    """The tree with frames moved along their joints' axes and inertia regrouped, both for fewer operations.

    It takes no external wrenches, which act at the public frames' origins.

    Parameters
    ----------
    model
        The robot.
    """

    def __init__(self, model: Model) -> None:
        super().__init__(model, regroup=False)
        self._baked = regrouped(model, slid(model, self._baked))[0]
