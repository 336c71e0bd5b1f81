"""Moments of strain in fields of their own, for plans whose steps are differentiated."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.dynamics.tree.rod_slopes import ROD_POSES
from symdyn.dynamics.tree.rod_steps import ROD_FORCE, ROD_MOMENTS, ROD_STEP, RodVariant
from symdyn.dynamics.tree.station_layout import KEPT, TreeRods
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Plan, Sweep, Visit

_FIELD = "rod_b_"


def moments_apart(rods: TreeRods, plan: Plan) -> Plan:
    """The plan with moments of strain in fields of their own: steps that know these alone are cheaper to vary.

    Rods whose sections get thinner as they stretch stay as they are: their slopes do not follow from moments alone. So
    do rods of which other steps read moments among the kept numbers, such as those of columns of Jacobians.
    """
    read = _read_by_others(plan)
    fields: list[Field] = []
    sweeps: list[Sweep] = []
    for sweep in plan.sweeps:
        if sweep.step is ROD_FORCE:
            sweeps.append(replace(sweep, visits=tuple(_with_moments(rods, visit, read) for visit in sweep.visits)))
            continue
        if sweep.step is not ROD_STEP:
            sweeps.append(sweep)
            continue
        given: list[Visit] = []
        found: list[Visit] = []
        left: list[Visit] = []
        for row, visit in enumerate(sweep.visits):
            variant = visit.variant
            if not isinstance(variant, RodVariant) or _is_whole(visit, variant, read):
                left.append(visit)
                continue
            width = 6 * variant.moments
            algorithm, _ = _kept_of(visit)
            names = {f"b_{port}": f"{algorithm}{_FIELD}{port}" for port in "qva" if port in visit.bindings}
            moments = {port: rods.own(name, row, width) for port, name in names.items()}
            fields += [Field(at.field, FieldKind.STATE, width, lanes=rods.lanes[row]) for at in moments.values()]
            motion = {name: at for name, at in visit.bindings.items() if name in ("table", "q", "v", "a")}
            rest = {name: at for name, at in visit.bindings.items() if name not in motion}
            rest["kept"] = _after_moments(rest["kept"], width)
            given.append(replace(visit, bindings=motion | moments))
            found.append(replace(visit, constants={}, bindings=moments | rest))
        sweeps += [replace(sweep, visits=tuple(left))] if left else []
        parts = ((ROD_MOMENTS, given), (ROD_POSES, found))
        sweeps += [Sweep(each, tuple(visits), vector=True) for each, visits in parts if visits]
    return replace(plan, fields=(*plan.fields, *fields), sweeps=tuple(sweeps))


def _read_by_others(plan: Plan) -> set[tuple[str, int]]:
    """The places of kept numbers that steps other than a rod's own ones read from."""
    return {
        (access.field, access.offset)
        for sweep in plan.sweeps
        if sweep.step not in (ROD_STEP, ROD_FORCE)
        for visit in sweep.visits
        for port in sweep.step.ports
        if isinstance(access := visit.bindings.get(port.name), Access) and KEPT in access.field
    }


def _is_whole(visit: Visit, variant: RodVariant, read: Collection[tuple[str, int]]) -> bool:
    kept = visit.bindings["kept"]
    return bool(variant.thins) or (isinstance(kept, Access) and (kept.field, kept.offset) in read)


def _with_moments(rods: TreeRods, visit: Visit, read: Collection[tuple[str, int]]) -> Visit:
    """What leads forces back, with moments from where they are."""
    if not isinstance(visit.variant, RodVariant) or _is_whole(visit, visit.variant, read):
        return visit
    width, (algorithm, row) = 6 * visit.variant.moments, _kept_of(visit)
    moments = rods.own(f"{algorithm}{_FIELD}q", row, width)
    kept = _after_moments(visit.bindings["kept"], width)
    return replace(visit, bindings={**visit.bindings, "moments": moments, "kept": kept})


def _kept_of(visit: Visit) -> tuple[str, int]:
    """What stands before the name of the field of kept numbers where algorithms are kept apart, and the rod's row."""
    kept = visit.bindings["kept"]
    assert isinstance(kept, Access)
    algorithm, _, row = kept.field.rpartition(KEPT)
    return algorithm, int(row)


def _after_moments(kept: Binding, width: int) -> Access:
    assert isinstance(kept, Access)
    return replace(kept, offset=kept.offset + width * kept.stride, count=kept.count - width)
