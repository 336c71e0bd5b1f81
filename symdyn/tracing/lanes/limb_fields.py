"""Fields of a plan in lanes: which part of a field stays as it is, and which part the limbs have side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symdyn.plan.plan import Access, Field, Plan
from symdyn.tracing.lanes.limb_places import Found


@dataclass(frozen=True, slots=True)
class _Parts:
    """Parts of a field: the first plain place and the number of them, and the same of the first limb's places."""

    plain_start: int
    plain_size: int
    lanes_start: int
    lanes_size: int


class LimbFields:
    """The fields of a plan in lanes, and where in them something lies.

    Parameters
    ----------
    plan
        Before.
    found
        Where everything lies that its visits touch.
    spacing
        Scalars from one value of all lanes to the next.
    """

    def __init__(self, plan: Plan, found: Iterable[Found], spacing: int) -> None:
        self._plain = plan.fields
        self._spacing = spacing
        self._parts = _parts(plan, found)

    def fields(self) -> list[Field]:
        """A field for each part."""
        fields = []
        for field in self._plain:
            parts = self._parts[field.name]
            if not parts.lanes_size:
                fields.append(field)
                continue
            if parts.plain_size:
                fields.append(Field(field.name, field.kind, parts.plain_size))
            fields.append(Field(_in_lanes(field.name), field.kind, parts.lanes_size, lanes=self._spacing))
        return fields

    def access(self, found: Found) -> Access:
        """Where something lies now."""
        access, parts = found.access, self._parts[found.access.field]
        if not access.count:
            whole = parts.lanes_size and not parts.plain_size
            return Access(_in_lanes(access.field) if whole else access.field, 0, 0)
        if found.is_plain:
            start = parts.plain_start
            return access if not start else Access(access.field, access.offset - start, access.count, access.stride)
        offset = (access.offset - parts.lanes_start) * self._spacing + found.lane
        return Access(_in_lanes(access.field), offset, access.count, access.stride * self._spacing)


def _parts(plan: Plan, found: Iterable[Found]) -> dict[str, _Parts]:
    ends: dict[tuple[str, bool], tuple[int, int]] = {}
    for one in found:
        key, reach = (one.access.field, one.is_plain), one.access.places
        if not reach:
            continue
        low, high = ends.get(key, (reach[0], reach[0]))
        ends[key] = (min(low, reach[0], reach[-1]), max(high, reach[0], reach[-1]))
    parts = {}
    for field in plan.fields:
        if (field.name, False) not in ends:
            parts[field.name] = _Parts(0, field.size, 0, 0)
            continue
        low, high = ends[field.name, False]
        start, end = ends.get((field.name, True), (0, -1))
        parts[field.name] = _Parts(start, end + 1 - start, low, high + 1 - low)
    return parts


def _in_lanes(field: str) -> str:
    return f"{field}_lanes"
