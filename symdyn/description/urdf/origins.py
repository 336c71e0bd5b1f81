"""Where ``<origin>`` puts a frame."""

from __future__ import annotations

import math

from symdyn.description.checks.rotation import meant_in_degrees, rotation_from_quaternion, rotation_from_rpy
from symdyn.description.quantities.placement import Placement
from symdyn.description.text.notice import DEGREES, doubt
from symdyn.description.text.position import at, on_line
from symdyn.description.urdf.schema import OriginXml
from symdyn.description.urdf.versions import WITH_QUATERNIONS, Version, spelt
from symdyn.errors import DescriptionError

_LENGTH_TOLERANCE = 1e-6
"""By what part of 1 a written quaternion's length may be off without a word, as an axis's: six decimals are common."""
_NO_TURN = (0.0, 0.0, 0.0)


class Origins:
    """Reads origins of one file.

    Parameters
    ----------
    source, version
        The file's name for messages, and its version of URDF.
    warnings
        Takes what is odd.
    """

    def __init__(self, source: str, version: Version, warnings: list[str]) -> None:
        self._source, self._version, self._warnings = source, version, warnings

    def placement(self, origin: OriginXml, subject: str, line: int | None) -> Placement:
        """The placement of an origin of ``subject``, such as a joint, whose element starts on ``line``.

        ``quat_xyzw`` is scaled to length 1, as urdfdom does.

        Raises
        ------
        DescriptionError
            Both orientations, a quaternion before URDF 1.1 or of length 0.
        """
        quaternion, place = origin.quat_xyzw, f"{at(self._source, line)}: {subject}"
        if quaternion is None:
            angles = origin.rpy or _NO_TURN
            if said := meant_in_degrees(angles):
                self._warnings.append(doubt(f"{on_line(line)}{subject}: 'rpy' of <origin>: {said}", DEGREES))
            return Placement(origin.xyz, rotation_from_rpy(*angles))
        if self._version < WITH_QUATERNIONS:
            raise DescriptionError(
                f"{place}: 'quat_xyzw' of <origin> is of URDF {spelt(WITH_QUATERNIONS)}, and the file is of version "
                f'{spelt(self._version)}, whose readers pass over it; write version="{spelt(WITH_QUATERNIONS)}" into '
                "<robot>, or give rpy, or leave it out by ignore=['quat_xyzw'], on the command line --ignore quat_xyzw"
            )
        if origin.rpy is not None:
            raise DescriptionError(f"{place}: <origin> has both 'rpy' and 'quat_xyzw'; keep one")
        if not any(quaternion):
            raise DescriptionError(f"{place}: 'quat_xyzw' of <origin> is 0 0 0 0; write 0 0 0 1 for no turn")
        length = math.hypot(*quaternion)
        if abs(length - 1.0) > _LENGTH_TOLERANCE:
            said = f"{on_line(line)}{subject}: 'quat_xyzw' of <origin> has length {length:.9g}; it is scaled to 1"
            self._warnings.append(doubt(said, "length of {quaternion}"))
        return Placement(origin.xyz, rotation_from_quaternion(quaternion))
