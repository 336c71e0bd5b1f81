"""Whether an algorithm may move frames and count inertia elsewhere than the description has them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symdyn.model.model import Model


@dataclass(frozen=True, slots=True)
class FramePolicy:
    """What a function's results leave free.

    ``regroups``: they do not tell with which body inertia is counted that no joint force feels (``model.regroup``).
    ``slides``: nor where on its joint's axis a body's frame stands (``model.joint_origins``).
    """

    regroups: bool
    slides: bool

    def view(self, model: Model) -> Model:
        """The model as a function with this policy has it."""
        if self.regroups and self.slides:
            return model
        givers = model.runtime_givers if self.regroups or self.slides else None
        regroups, slides = model.regroups and self.regroups, model.slides and self.slides
        return replace(model, regroups=regroups, slides=slides, runtime_givers=givers)


MOVED = FramePolicy(regroups=True, slides=True)
"""Of results that show neither frames nor wrenches of single bodies."""
SLID = FramePolicy(regroups=False, slides=True)
"""Of results that rest on how inertia is counted."""
AS_DESCRIBED = FramePolicy(regroups=False, slides=False)
"""Of results that show frames, or what single bodies feel."""


def check_described(model: Model) -> None:
    """Stop before frames that moved are shown: such algorithms take ``AS_DESCRIBED.view(model)``."""
    assert not (model.regroups or model.slides), f"the frames of {model.name} may have moved"
