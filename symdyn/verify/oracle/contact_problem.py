"""The exact contact problem of one step: dense equations with fifty digits.

    Mh = M + h D + h^2 K,    v_free = v + Mh^-1 h (tau - bias - h K v),    G = J Mh^-1 J^T,    c_free = J v_free + s

D and K are symmetric parts of differences of what losses take and of what elastic parts hold. The bias is that of a
motion in which origins of free and planar joints move straight: v_free has components in the axes at the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from mpmath import mp

from symdyn.description.collision import SEQUENTIAL
from symdyn.description.robot import Joint, JointKind
from symdyn.verify.base.dense import (
    Rows,
    flat,
    inverse,
    magnitudes,
    matrix_product,
    matrix_sum,
    matrix_times,
    solution_scales,
)
from symdyn.verify.base.matrices import Real, dot, transpose, vector
from symdyn.verify.oracle.accelerations import driven
from symdyn.verify.oracle.element_forces import damping_forces, elastic_forces
from symdyn.verify.oracle.exact import Exact, joined, summed
from symdyn.verify.oracle.force_terms import force_terms
from symdyn.verify.oracle.loops import held_rows, slopes
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.partial_derivatives import in_reals, perturbations
from symdyn.verify.oracle.pfaffian import velocity_rows
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.rigid_contacts import TouchedSlot, slot_slopes, touched_slots
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference
from symdyn.verify.oracle.tree import public_tree


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a joint: its entries in J by column, its gap with the size of that, and the largest impulse over h."""

    entries: dict[int, Real]
    gap: tuple[Real, Real] | None = None
    bound: Real | None = None


@dataclass(frozen=True, slots=True)
class ContactRows:
    """All rows: slots, joints, loops, with J and the sizes of its terms."""

    slots: list[TouchedSlot]
    joints: list[_Row]
    J: Rows
    sizes: Rows


def contact_jacobian(setting: Setting, inputs: Inputs) -> Exact:
    """``J(q)``."""
    rows = contact_rows(setting, inputs)
    return summed(flat(rows.J), flat(rows.sizes))


def contact_problem(setting: Setting, inputs: Inputs) -> Exact:
    """``v_free``, ``delassus``, ``c_free``."""
    return joined(_system(setting, in_reals(inputs))[:3])


def contact_system(setting: Setting, inputs: Inputs) -> Exact:
    """The same with ``response``, ``gap``, ``bound``, ``compliance``."""
    return joined(_system(setting, in_reals(inputs)))


def contact_factors(setting: Setting, inputs: Inputs) -> Exact:
    """``v_free``, ``delassus`` of at most 24 rows, ``c_free``, ``whitened``, ``spread``, and what the system has."""
    given = in_reals(inputs)
    v_free, G, c_free, _, *rest = _system(setting, given)
    return joined([v_free, *([G] if len(c_free.values) <= 24 else []), c_free, *roots(setting, given), *rest])


def roots(setting: Setting, inputs: dict[str, list[Real]]) -> list[Exact]:
    """J W and W^T with W W^T = Mh^-1, W lower triangular."""
    smooth, rows = _without_dry(setting), contact_rows(setting, inputs)
    M, sizes = _implicit_mass(smooth, inputs)
    inverted = inverse(M)
    root, count = mp.cholesky(mp.matrix(inverted)), len(M)
    W = [[root[i, j] for j in range(count)] for i in range(count)]
    # as of solutions with M, column by column: W = M^-1 W^-T
    back = transpose(inverse(W))
    errors = solution_scales(sizes, inverted, W, magnitudes(back))
    across = matrix_product(rows.J, W)
    across_sizes = matrix_sum(matrix_product(magnitudes(rows.J), errors), matrix_product(rows.sizes, magnitudes(W)))
    return [summed(flat(across), flat(across_sizes)), summed(flat(transpose(W)), flat(transpose(errors)))]


def _implicit_mass(smooth: Setting, inputs: dict[str, list[Real]]) -> tuple[Rows, Rows]:
    """M + h D + h^2 K of the robot without dry friction, and sizes."""
    nv, h = smooth.tree.nv, inputs["h"][0]
    K = _symmetric_slopes(smooth, inputs, "q", elastic_forces)
    D = _symmetric_slopes(smooth, inputs, "v", damping_forces)
    M, sizes = mass_terms(robot_pose(smooth, inputs["q"], inputs))
    stiff = [[h * D[i][j] + h * h * K[i][j] for j in range(nv)] for i in range(nv)]
    return matrix_sum(M, stiff), matrix_sum(sizes, magnitudes(stiff))


def contact_rows(setting: Setting, inputs: Inputs) -> ContactRows:
    """Those of a state."""
    slots = list(touched_slots(setting, inputs, robot_pose(setting, inputs["q"], inputs)))
    J, sizes = slot_slopes(setting, slots)
    joints = [*_limits(setting, inputs), *_dry(setting, inputs)]
    for row in joints:
        entries = [row.entries.get(v, mp.mpf(0)) for v in range(setting.tree.nv)]
        J.append(entries)
        sizes.append([abs(x) for x in entries])
    if setting.held:
        A, A_sizes = slopes(setting, inputs)
        J, sizes = [*J, *A], [*sizes, *A_sizes]
    return ContactRows(slots, joints, J, sizes)


def _limits(setting: Setting, inputs: Inputs) -> Iterator[_Row]:
    if not setting.description.contact.limits:
        return
    q = vector(inputs["q"])
    for place in setting.tree.places:
        limits = place.joint.limits
        if place.bends or not _moves(place) or limits is None or place.rows != (1, 1):
            continue
        for sign, bound in ((1, limits.lower), (-1, limits.upper)):
            if mp.isfinite(bound):
                (position,), end = place.coordinates(q), mp.mpf(bound)
                size = abs(end) + abs(place.offset) + mp.fsum(abs(gain * q[row]) for row, _, gain in place.leads)
                entries = {row: sign * gain for row, gain in place.moved_by(0)}
                yield _Row(entries, (sign * (position - end), size + abs(position)))


def _moves(place: Place) -> bool:
    """Whether it has coordinates, its own or those of joints that it follows at all."""
    return place.owns_rows or (place.locked is None and any(gain for _, _, gain in place.leads))


def _dry(setting: Setting, inputs: Inputs) -> Iterator[_Row]:
    if not setting.description.contact.dry:
        return
    quantities = setting.quantities(inputs)
    for place in setting.tree.places:
        if place.bends or not _moves(place) or (place.joint.kind is JointKind.FLOATING and place.implicit):
            continue
        friction = place.joint.losses.friction
        if friction == 0.0:
            continue
        bound = quantities(friction, f"{place.joint.name}.friction")
        for column in [1] if place.joint.elastic is not None else range(place.rows[1]):
            yield _Row(dict(place.moved_by(column)), bound=bound)


def _without_dry(setting: Setting) -> Setting:
    """The robot whose dry friction is rows alone."""
    robot, options = setting.description, setting.load_options

    def smooth(joint: Joint) -> Joint:
        return replace(joint, losses=replace(joint.losses, friction=0.0))

    if not robot.contact.dry:
        return setting
    robot = replace(robot, joints=tuple(map(smooth, robot.joints)))
    words = (options.get(name) for name in ("floating_base", "locked_joints", "convention"))
    return replace(setting, description=robot, tree=public_tree(robot, *words))


def _symmetric_slopes(
    setting: Setting, inputs: dict[str, list[Real]], by: str, forces: Callable[[Setting, Inputs], Exact]
) -> Rows:
    columns = [
        central_difference(lambda h, at=perturbed: forces(setting, at(h)).values, step)  # type: ignore[misc]
        for perturbed, step in perturbations(setting, inputs, by)
    ]
    return [[(columns[j][i] + columns[i][j]) / 2 for j in range(len(columns))] for i in range(len(columns))]


def _straight(setting: Setting, inputs: dict[str, list[Real]]) -> list[Real]:
    """Rates of v of free and planar joints whose velocities in fixed axes stay: those of V seen from axes that turn."""
    rate, q, v = [mp.mpf(0)] * setting.tree.nv, inputs["q"], inputs["v"]
    for place in setting.tree.places:
        row, kind = place.v_row, place.joint.kind
        if kind is JointKind.PLANAR:
            rate[row], rate[row + 1] = v[row + 2] * v[row + 1], -v[row + 2] * v[row]
        if kind is not JointKind.FLOATING or place.mujoco:
            continue
        spatial = setting.spatial and place.implicit
        turn, shift = (row, row + 3) if spatial else (row + 3, row)
        x, y, z = v[turn : turn + 3]
        rolling = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
        at = q[place.q_row : place.q_row + 3] if spatial else [mp.mpf(0)] * 3
        speed = [
            component + moved for component, moved in zip(v[shift : shift + 3], matrix_times(rolling, at), strict=True)
        ]
        rate[shift : shift + 3] = [-component for component in matrix_times(rolling, speed)]
    return rate


@dataclass(frozen=True, slots=True)
class Equations:
    """Mh (w - v) = right + J^T lambda for the velocity w after the step, with sizes of terms."""

    Mh: Rows
    Mh_sizes: Rows
    right: list[Real]
    right_sizes: list[Real]


def equations(setting: Setting, inputs: dict[str, list[Real]]) -> Equations:
    """Those of a step."""
    nv, h, smooth = setting.tree.nv, inputs["h"][0], _without_dry(setting)
    v, tau, straight = inputs["v"], driven(setting, inputs) or inputs["tau"], _straight(setting, inputs)
    K = _symmetric_slopes(smooth, inputs, "q", elastic_forces)
    Mh, Mh_sizes = _implicit_mass(smooth, inputs)
    bias, terms = smooth.force(inputs, a=straight), force_terms(smooth, inputs, [straight])[0]
    back, back_sizes = matrix_times(K, v), matrix_times(magnitudes(K), [abs(x) for x in v])
    right = [h * (tau[i] - bias[i] - h * back[i]) for i in range(nv)]
    right_sizes = [h * (abs(tau[i]) + max(abs(bias[i]), terms[i]) + h * back_sizes[i]) for i in range(nv)]
    return Equations(Mh, Mh_sizes, right, right_sizes)


def _system(setting: Setting, inputs: dict[str, list[Real]]) -> list[Exact]:
    rows, v, balance = contact_rows(setting, inputs), inputs["v"], equations(setting, inputs)
    Mh_sizes, inverted = balance.Mh_sizes, inverse(balance.Mh)
    change = matrix_times(inverted, balance.right)
    columns = ([[x] for x in change], [[x] for x in balance.right_sizes])
    change_sizes = [x for (x,) in solution_scales(Mh_sizes, inverted, *columns)]
    free = [x + y for x, y in zip(v, change, strict=True)]
    free_sizes = [abs(x) + y for x, y in zip(v, change_sizes, strict=True)]
    across = matrix_product(inverted, transpose(rows.J))
    across_sizes = solution_scales(Mh_sizes, inverted, across, transpose(rows.sizes))
    G = matrix_product(rows.J, across)
    G_sizes = matrix_sum(
        matrix_product(magnitudes(rows.J), across_sizes), matrix_product(rows.sizes, magnitudes(across))
    )
    shift, shift_sizes = shifts(setting, inputs, rows)
    c = [dot(row, free) + s for row, s in zip(rows.J, shift, strict=True)]
    c_sizes = [
        dot([abs(x) for x in row], free_sizes) + dot(size, [abs(x) for x in free]) + balance_size
        for row, size, balance_size in zip(rows.J, rows.sizes, shift_sizes, strict=True)
    ]
    ranges = [row.gap for row in rows.joints if row.gap is not None]
    gaps = [slot.gap for slot in rows.slots] + [gap for gap, _ in ranges]
    gap_sizes = [slot.size for slot in rows.slots] + [size for _, size in ranges]
    bounds, softs = bounds_of(setting, inputs, rows)
    return [
        summed(free, free_sizes),
        summed(flat(G), flat(G_sizes)),
        summed(c, c_sizes),
        summed(flat(transpose(across)), flat(transpose(across_sizes))),
        summed(gaps, gap_sizes),
        summed(bounds, [abs(x) for x in bounds]),
        summed(softs, [abs(x) for x in softs]),
        *_of_impacts(setting, inputs, rows),
    ]


def _of_impacts(setting: Setting, inputs: dict[str, list[Real]], rows: ContactRows) -> list[Exact]:
    """Velocities of rows before the step and shares given back, where impacts are solved one after another."""
    if not in_turn(setting):
        return []
    before, sizes, shares = before_impacts(setting, inputs, rows)
    return [summed(before, sizes), summed(shares, shares)]


def in_turn(setting: Setting) -> bool:
    """Whether impacts are solved one after another."""
    return setting.description.contact.options.impacts == SEQUENTIAL


def before_impacts(
    setting: Setting, inputs: dict[str, list[Real]], rows: ContactRows
) -> tuple[list[Real], list[Real], list[Real]]:
    """Velocities of rows before the step, with sizes, and the shares that slots and ranges give back."""
    v, closing = inputs["v"], 3 * len(rows.slots) + sum(row.gap is not None for row in rows.joints)
    slips = [x for slot in rows.slots for x in (*(-dot(row, slot.velocity) for row in slot.rows[:2]), mp.mpf(0))]
    nothing = [mp.mpf(0)] * (len(rows.J) - closing)
    slips += [mp.mpf(0)] * (closing - len(slips))
    before = [dot(row, v) + slip for row, slip in zip(rows.J[:closing], slips, strict=True)]
    terms = [dot(row, [abs(x) for x in v]) for row in rows.sizes[:closing]]
    sizes = [x + abs(slip) for x, slip in zip(terms, slips, strict=True)]
    shares = [_numbers(setting, inputs, slot)["restitution"] for slot in rows.slots]
    shares += [mp.mpf(setting.description.contact.limit_restitution)] * (closing - 3 * len(rows.slots))
    return [*before, *nothing], [*sizes, *nothing], shares


def _numbers(setting: Setting, inputs: Inputs, slot: TouchedSlot) -> dict[str, Real]:
    quantities, name = setting.quantities(inputs), slot.contact.name
    return {key: quantities(value, f"{name}.{key}") for key, value in slot.contact.numbers.items()}


def bounds_of(setting: Setting, inputs: Inputs, rows: ContactRows) -> tuple[list[Real], list[Real]]:
    """Bounds and compliances of all rows."""
    h, nothing = inputs["h"][0], mp.mpf(0)
    bounds, softs = list[Real](), list[Real]()
    for slot in rows.slots:
        numbers = _numbers(setting, inputs, slot)
        bounds += [nothing, nothing, numbers["friction"]]
        softs += [nothing, nothing, numbers["compliance"] / h**2]
    bounds += [nothing if row.bound is None else h * row.bound for row in rows.joints]
    rest = len(rows.J) - len(bounds)
    return [*bounds, *[nothing] * rest], [*softs, *[nothing] * (len(rows.joints) + rest)]


def shifts(setting: Setting, inputs: dict[str, list[Real]], rows: ContactRows) -> tuple[list[Real], list[Real]]:
    """What the law adds to each row's velocity, with sizes."""
    h, v, contact = inputs["h"][0], inputs["v"], setting.description.contact
    shifts, sizes = list[Real](), list[Real]()

    def normal(number: int, gap: Real, size: Real, share: Real) -> None:
        exit_velocity, impact = (mp.mpf(x) for x in (contact.options.exit_velocity, contact.options.impact_velocity))
        approach = dot(rows.J[number], v)
        shift = max(gap / h, -exit_velocity)
        if not in_turn(setting) and share > 0 and approach < -impact and gap + h * approach < 0:
            shift = share * approach
            size = h * dot(rows.sizes[number], [abs(x) for x in v])
        shifts.append(shift)
        sizes.append(size / h)

    for place, slot in enumerate(rows.slots):
        slip = [-dot(direction, slot.velocity) for direction in slot.rows[:2]]
        shifts += slip
        sizes += [(1 + slot.tilt) * mp.fsum(abs(x) for x in slot.velocity)] * 2
        normal(3 * place + 2, slot.gap, slot.size, _numbers(setting, inputs, slot)["restitution"])
    for row in rows.joints:
        if row.gap is None:
            shifts.append(mp.mpf(0))
            sizes.append(mp.mpf(0))
        else:
            normal(len(shifts), *row.gap, mp.mpf(contact.limit_restitution))
    if setting.held:
        errors = held_rows(setting, inputs, [mp.mpf(0)] * setting.tree.nv, 0)
        asked = {row.name: row.equals for row in velocity_rows(setting, inputs)}
        for name, error, size in zip(errors.names, errors.rows, errors.sizes, strict=True):
            shifts.append(-asked[name] if name in asked else error[0] / h)
            sizes.append(abs(asked[name]) if name in asked else size[0] / h)
    return shifts, sizes
