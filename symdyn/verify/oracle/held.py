"""The setting of a function that records what none of its arguments has: rows of loops, the method of a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from symdyn.description.robot import RobotDescription
from symdyn.interface.signature import HELD_ROWS, Signature, option_names, option_word
from symdyn.verify.oracle.setting import Setting, make_setting


@dataclass(frozen=True, slots=True)
class SteppedSetting(Setting):
    """The setting of a function of one step, with its method."""

    method: str = ""


def method_of(setting: Setting) -> str:
    """The method of a function of one step; nothing for other functions."""
    return setting.method if isinstance(setting, SteppedSetting) else ""


def setting_of(description: RobotDescription, signature: Signature, load_options: Mapping[str, Any]) -> Setting:
    """What :func:`make_setting` gives, with the rows of loops that the signature records, if it records any.

    Functions of states and of steps have no argument with a row per row of the loops; what they call A is none.

    Raises
    ------
    VerificationError
        A prescribed velocity that the robot does not have.
    """
    made = make_setting(description, signature, load_options)
    if HELD_ROWS in signature.options:
        made = replace(made, held=option_names(signature.options, HELD_ROWS))
    if "step" not in signature.options:
        return made
    own = {item.name: getattr(made, item.name) for item in fields(made)}
    return SteppedSetting(**own, method=option_word(signature.options, "step", ""))
