"""Write docs/functions.md and the folder beside it from the catalogue: what functions take and give, and their C.

Usage: python docs/functions.py

``tests/packaging/test_functions_page.py`` fails while the pages are not what this writes.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from function_families import Family, functions_of

import symdyn
from symdyn.compiler.emit.contents import C_SCOPE
from symdyn.compiler.emit.names import identifier
from symdyn.description.yaml.read import parse_yaml
from symdyn.functions import problems
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.contacts import pair_names
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import CONTACT_ROWS, CONTROL, ELASTIC_JOINTS, LOOPS
from symdyn.functions.rates import order_name
from symdyn.functions.request import Request
from symdyn.functions.stations import station_names
from symdyn.interface.options import GenerateOptions
from symdyn.interface.signature import Argument, Signature
from symdyn.model.link_side import link_side, motor_side
from symdyn.model.model import Model

PAGE = Path(__file__).resolve().with_name("functions.md")
FOLDER = PAGE.with_suffix("")
ROBOT = "aerial_manipulator"
"""The shipped robot of the C prototypes: its coordinates, velocities, bodies and frames differ in number."""

ELASTIC = "elastic_arm"
_REACH = symdyn.OptimalControlProblem(
    [symdyn.FramePose("arm_1_tip", weight=10.0, end=1000.0), symdyn.InputCost(weight=1e-4)],
    limits=symdyn.Limits(effort=100.0),
)
"""The shipped robot for functions of robots with elastic joints, on a free base for the same reason."""

SOFT = """
name: soft_arm
links:
  base:
  arm:
    soft:
      length: 0.5
      section: {shape: circle, radius: 0.03}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}
      strain: {curvature_y: 1, curvature_z: 1}
      stations: 3
joints:
  turn: {type: spherical, parent: base, child: arm}
tendons:
  left: {link: arm, y: 0.02}
  right: {link: arm, y: -0.02}
chambers:
  first: {link: arm, wall: 0.01, angles: [0, 2]}
contacts:
  floor: {of: arm, radius: section, with: {plane: {}}, stiffness: 1e5}
actuators: [turn, left, right, first]
"""
"""A robot for functions of soft links, of actuators and of contacts."""

LOOPED = """
name: held_arm
links:
  body:
  upper: {mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  lower: {mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  shoulder: {type: spherical, parent: body, child: upper}
  elbow: {type: revolute, parent: upper, child: lower, axis: [0, 1, 0]}
loops:
  grip: {kind: universal, between: [lower, world], axes: [[0, 1, 0], [1, 0, 0]]}
"""
"""A robot for functions of closed loops, on a free base for the same reason."""

TOUCHING = """
name: standing_arm
links:
  body: {mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  arm:
    mass: 1
    inertia: {xx: 0.1, yy: 0.1, zz: 0.1}
    collision: {heel: {sphere: 0.1}, toe: {sphere: 0.1, at: [1, 0, 0]}}
joints:
  shoulder: {type: revolute, parent: body, child: arm, axis: [0, 1, 0], limits: {lower: -1, upper: 1}}
obstacles: {floor: {plane: {}}}
contacts: {foot: {of: arm, with: floor, friction: 0.5}}
limits: {rigid: true}
"""
"""A robot for functions of rigid contacts, on a free base for the same reason."""

_OPERATORS = ("partials", "adjoint", "weighted_hessian", "time_derivatives", "time_derivatives_partials")
_MISSING = """\
The table has the functions `<problem>_<operator>` of the seven problems of dynamics. Impulses happen in no time, so
they have no time derivatives, nor derivatives of these. Inputs that are looked for (`unknown`) have time derivatives
and partials, but no derivatives of time derivatives: prescribe the accelerations, and differentiate the forces."""
_PRESCRIBED = 6  # rows: the motion of the base, whose forces follow
_ORDER = 4  # of the functions that have one, so that no axis of the robot is as long as one of derivatives
_WIDTH = 110
_SPELT = {"prescribed": "[velocity names]", "order": "r", "weights": "[one per row of v]", "unknown": "[input names]"}
_SPELT |= {
    "actuated": "[velocity names]",
    "stabilisation": "seconds",
    "switched": "[loop names]",
    "frames": "[frame names]",
    "tasks": "[frame names]",
}
"""Options without choices, as the page writes them."""

_NAMES = functions_of(CATALOGUE)
_PAGES = {name: f"functions/{family.page}.md#{name}" for family, names in _NAMES.items() for name in names}
_FAMILIES = "\n".join(
    ["| page | you want to |", "|---|---|"]
    + [f"| [{family.title}](functions/{family.page}.md) | {family.task} |" for family in _NAMES]
)
_HEAD = f"""\
# Functions

You know what you want to compute and look for the function that does it. The first table goes from tasks to pages, and
each page has the functions of one family with their inputs, outputs, units, equations, options, sources and C
prototypes. For example, [`inverse_dynamics`](functions/dynamics.md#inverse_dynamics) gives the torques that a motion
needs: q, v, a -> tau.

{_FAMILIES}

`docs/functions.py` writes these pages from the catalogue of `symdyn generate` and `symdyn.compile`.

## How to read the pages

[Conventions](conventions.md) explain rows, axes and units. Shapes are those of one state, because in Python every
argument may have leading dimensions. In C arguments are row-major.

nq and nv are the numbers of rows of q and v, nbodies that of moving bodies, nframes that of links and extra frames.
After its own inputs a function takes, in this order:

* `restitution`, one number per loop, if you ask for it;
* `active`, 1 or 0 for each loop that `switched` names; other numbers are refused in Python and give NaN in C;
* `f_ext` (nbodies, 6), if you ask for it with `external_wrenches`;
* the run-time parameters `p` (np,), if the robot has any. They are constant in time.

Functions with an `order` r take `f_ext` (r + 1, nbodies, 6), with its derivatives. Two functions differ:
`elastic_joint_inverse_dynamics_time_derivatives` takes r + 3 rows, and `inverse_dynamics_rate_terms` takes
(2, nbodies, 6). If several units are listed, an element has the one that fits its rows; `module.signature(function)`
and the manifest list the unit of every element.

The C prototypes are those of the shipped robot `{ROBOT}` in `float64`. If a function needs parts that this robot does
not have, they are those of another robot:

* `{ELASTIC}` has elastic joints, nmotors of them;
* a soft arm has tendons (nt), chambers (nc), actuators (na inputs), contacts of npairs spheres, and soft links, with
  ns stations in total;
* an arm that holds on to something has closed loops, whose errors have m rows;
* the robot with a problem of optimal control has costs; ny references and weights are given at run time;
* an arm that stands on a floor has rigid contacts with ns slots, and m rows: t1, t2, n of each slot, then ranges of
  joints, dry friction and loops.

The header states how many elements `work` has. `work` may be NULL if that is 0.
"""


def pages() -> dict[str, str]:
    """Texts of the pages by their paths in docs: the page of tasks, and one page per family."""
    found = {PAGE.name: page()}
    models = _models()
    for family, names in _NAMES.items():
        found[f"{FOLDER.name}/{family.page}.md"] = family_page(family, names, models)
    return found


def page() -> str:
    """The text of docs/functions.md."""
    lines = [_HEAD, "## Problems and operators", "", *operators(), "", _MISSING, "", "## All functions"]
    for family, names in _NAMES.items():
        lines += ["", f"### {family.title}", "", *_sentences(names, "")]
    return "\n".join(lines) + "\n"


def family_page(family: Family, names: list[str], models: dict[object, Model]) -> str:
    """The text of the page of a family."""
    opening = [
        f"# {family.title}",
        "",
        f"These functions are for those who want to {family.task}.",
        "[How to read the pages](../functions.md#how-to-read-the-pages) explains shapes, further inputs,",
        "and the robots of the C prototypes.",
        "",
    ]
    lines = [*opening, *_sentences(names, "#")]
    for name in names:
        entry = CATALOGUE[name]
        lines += ["", *section(entry, models.get(entry.needs, models[SOFT]))]
    return "\n".join(lines) + "\n"


def _models() -> dict[object, Model]:
    """Robots of the prototypes by what functions need; of a soft arm for all other needs."""
    model, elastic = symdyn.load_example(ROBOT).model, symdyn.load_example(ELASTIC, floating_base=True).model
    soft = symdyn.from_description(parse_yaml(SOFT.encode(), "soft_arm.yaml")).model
    looped = symdyn.from_description(parse_yaml(LOOPED.encode(), "held_arm.yaml"), floating_base=True).model
    touching = symdyn.from_description(parse_yaml(TOUCHING.encode(), "standing_arm.yaml"), floating_base=True).model
    found: dict[object, Model] = {
        ELASTIC_JOINTS: elastic,
        LOOPS: looped,
        CONTACT_ROWS: touching,
        None: model,
        SOFT: soft,
    }
    found[CONTROL] = symdyn.load_example(ROBOT).with_control(_REACH).model
    return found


def _sentences(names: list[str], place: str) -> list[str]:
    """A table of functions; ``place`` is what stands before a name in a link, or nothing for links from elsewhere."""
    rows = [f"| [`{name}`]({place + name if place else _PAGES[name]}) | {CATALOGUE[name].sentence} |" for name in names]
    return ["| function | |", "|---|---|", *rows]


def operators() -> list[str]:
    """The table of problems of dynamics and of what there is of their solutions."""
    found = {own.name for own in vars(problems).values() if isinstance(own, problems.DynamicsProblem)}
    rows = [name for name in CATALOGUE if name in found]
    return [
        f"| problem | {' | '.join(f'`_{suffix}`' for suffix in _OPERATORS)} |",
        "|---" * (len(_OPERATORS) + 1) + "|",
        *(
            f"| [`{row}`]({_PAGES[row]}) | "
            + " | ".join(
                f"[yes]({_PAGES[own]})" if (own := f"{row}_{suffix}") in CATALOGUE else "-" for suffix in _OPERATORS
            )
            + " |"
            for row in rows
        ),
    ]


def section(entry: CatalogueEntry, model: Model) -> list[str]:
    """What the page says of one function."""
    prescribed = tuple(range(_PRESCRIBED)) if "prescribed" in entry.demands else ()
    request = Request(prescribed=prescribed, order=_ORDER if "order" in entry.takes else 0)
    signature = entry.signature(model, request)
    lines = [f"## {entry.name}", "", entry.sentence, "", f"    {entry.equation}", ""]
    lines += ["| | argument | shape | rows | unit | |", "|---|---|---|---|---|---|"]
    for direction, arguments in (("in", signature.inputs), ("out", signature.outputs)):
        lines += [f"| {direction} | {_row(argument, model)} |" for argument in arguments]
    options = _options(entry)
    lines += [
        "",
        f"Options: {', '.join(options)}." if options else "Options: none.",
        "",
        *([f"Robots without {entry.needs.name} are refused.", ""] if entry.needs else []),
        f"Source: {entry.source}.",
        "",
    ]
    return [*lines, "```c", *prototype(signature), "```"]


def prototype(signature: Signature) -> list[str]:
    """The C declaration of a function on lines, as the generated header has it but for the breaks."""
    texts = [f"const double *{C_SCOPE.name(argument.name)}" for argument in signature.inputs]
    texts += [f"double *{C_SCOPE.name(argument.name)}" for argument in signature.outputs]
    head = f"void {identifier(signature.robot)}_{signature.function}("
    whole = f"{head}{', '.join([*texts, 'double *work'])});"
    return [whole] if len(whole) <= _WIDTH else [head, f"    {', '.join([*texts, 'double *work'])});"]


def _row(argument: Argument, model: Model) -> str:
    axes = [_axis(names, model) for names in argument.rows]
    extents = ", ".join(extent for extent, _ in axes)
    shape = f"({extents},)" if len(axes) == 1 else f"({extents})"
    rows = "; ".join(text for _, text in axes if text)
    differentiated = bool(axes) and axes[0][0].startswith("r +")
    listed = argument.units[: len(argument.units) // len(argument.rows[0])] if differentiated else argument.units
    units = ", ".join(dict.fromkeys(unit for unit in listed if unit))
    units += "; one more /s per row" if differentiated else ""
    return f"`{argument.name}` | {shape} | {rows} | {units} | {argument.description}"


def _axis(names: tuple[str, ...], model: Model) -> tuple[str, str]:
    """How long an axis is, in the robot's numbers where it follows from them, and what its rows are."""
    if names == model.coordinate_names:
        return "nq", "coordinates"
    if names == model.velocity_names:
        return "nv", "velocities"
    if names[: model.nq] == model.coordinate_names and len(names) == model.nq + model.nv:
        return "nq + nv", "coordinates, then velocities"
    if names == link_side(model).coordinate_names:
        return "nq - nmotors", "coordinates of the links"
    if names == link_side(model).velocity_names:
        return "nv - nmotors", "velocities of the links"
    if names == motor_side(model).coordinate_names:
        return "nmotors", "motors"
    if names == tuple(own.name for own in model.actuator_inputs):
        return "na", "actuators"
    if names == tuple(own.name for own in model.actuation.tendons):
        return "nt", "tendons"
    if names == tuple(own.name for own in model.actuation.chambers):
        return "nc", "chambers"
    if names and names == model.loop_row_names:
        return "m", "rows of the loops"
    if names == model.frame_names:
        return "nframes", "frames"
    if names == model.body_names:
        return "nbodies", "bodies"
    if names == station_names(model):
        return "ns", "stations"
    layout = model.contact_layout
    if names and names == layout.slot_names:
        return "ns", "slots"
    if names and names == layout.row_names:
        return "m", "rows of contacts, ranges, dry friction, loops"
    if names and names == (*layout.slot_names, *(row.name for row in layout.limits)):
        return "ns + nl", "slots, then bounds of ranges"
    if names and names == pair_names(model):
        return "npairs", "contacts"
    if len(names) > _ORDER and names == tuple(order_name(names[0], order) for order in range(len(names))):
        return f"r + {len(names) - _ORDER}", f"{names[0]} and its derivatives"
    first = model.body_names[0]
    per_body = len(names) // len(model.body_names)
    if len(names) == per_body * len(model.body_names) and all(name.startswith(first) for name in names[:per_body]):
        parts = (name.removeprefix(first).lstrip(".") for name in names[:per_body])
        return f"{per_body} nbodies", f"per body {' '.join(parts)}"
    return str(len(names)), " ".join(names)


def _options(entry: CatalogueEntry) -> list[str]:
    """The options that a function takes, each with its choices."""
    found = []
    for item in fields(GenerateOptions):
        if item.name in entry.takes:
            choices = [f'"{choice}"' for choice in item.metadata.get("choices", ())]
            first = f"`{item.name}={choices[0] if choices else _SPELT[item.name]}`"
            must = " (must be given)" if item.name in entry.demands else ""
            found.append(" or ".join([first, *(f"`{choice}`" for choice in choices[1:])]) + must)
    return found


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (PAGE.parent / name).write_text(text, encoding="utf-8", newline="\n")
