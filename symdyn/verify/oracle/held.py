"""The setting of a function that records rows of loops which none of its arguments has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symdyn.description.robot import RobotDescription
from symdyn.interface.signature import HELD_ROWS, Signature, option_names
from symdyn.verify.oracle.setting import Setting, make_setting


def setting_of(description: RobotDescription, signature: Signature, load_options: Mapping[str, Any]) -> Setting:
    """What :func:`make_setting` gives, with the rows of loops that the signature records, if it records any.

    Functions of states and of steps have no argument with a row per row of the loops; what they call A is none.

    Raises
    ------
    VerificationError
        A prescribed velocity that the robot does not have.
    """
    made = make_setting(description, signature, load_options)
    if HELD_ROWS not in signature.options:
        return made
    return replace(made, held=option_names(signature.options, HELD_ROWS))
