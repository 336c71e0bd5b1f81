"""What ``symdyn generate --explain`` prints: the choices for each body and each function, and what they save."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symdyn.model.body_choices import BEST_PLACE, counted

from . import terminal
from .counts import by_kind

if TYPE_CHECKING:
    from symdyn.generation.report import Explanation, FunctionExplanation
    from symdyn.model.body_choices import BodyChoice


def show(explanation: Explanation) -> None:
    """Tables of bodies, then of every function."""
    _show_bodies(explanation.robot, explanation.bodies)
    for function in explanation.functions:
        _show_operations(function)
        _show_layouts(function)
    terminal.line()


def _show_bodies(robot: str, bodies: Sequence[BodyChoice]) -> None:
    terminal.line(f"choices for the bodies of {robot}")
    terminal.line()
    terminal.table(
        ("body", "on", "parameters moved to it", "frame moved [m]", "rotation", "stays, and why"),
        (
            (
                body.name,
                body.parent,
                f"{len(body.moved)}: {' '.join(body.moved)}{', from p' * bool(body.from_p)}" if body.moved else "",
                f"{body.shift:.6g}" if body.shift else "",
                body.turn.value,
                _why_it_stays(body),
            )
            for body in bodies
        ),
        numbers=(3,),
    )
    terminal.line()
    turns = Counter(body.turn.value for body in bodies)
    parameters = counted(sum(len(body.moved) for body in bodies), "inertial parameter")
    frames = counted(sum(body.shift != 0.0 for body in bodies), "frame")
    terminal.note(f"counted with parents: {parameters}; moved along joint axes: {frames}")
    terminal.note("constant rotations: " + ", ".join(f"{number} {turn}" for turn, number in sorted(turns.items())))
    terminal.line("all combinations that forces can tell apart: symdyn info --base-parameters")


def _why_it_stays(body: BodyChoice) -> str:
    """Reasons that lie in the robot; that a frame already stands where it is cheapest goes without saying."""
    if body.inertia_stays and body.inertia_stays == body.frame_stays:
        return f"inertia and frame: {body.inertia_stays}"
    frame_stays = "" if body.frame_stays == BEST_PLACE else body.frame_stays
    reasons = (("inertia", body.inertia_stays), ("frame", frame_stays))
    return "; ".join(f"{what}: {why}" for what, why in reasons if why)


def _show_operations(function: FunctionExplanation) -> None:
    terminal.title(f"{function.name}: operations")
    if function.moves_bodies:
        steps = [("bodies as described", function.as_described)]
        steps.append(("frames moved along joint axes", function.frames_moved))
        steps.append(("inertia counted with parents", function.operations))
        terminal.table(("after all passes, with", "operations", "saved"), _with_savings(steps), numbers=(1, 2))
        if function.from_p:
            terminal.line()
            terminal.table(
                ("regrouped from p, at run time", "parameters", "moved to"),
                ((body.name, " ".join(body.from_p), body.parent) for body in function.from_p),
            )
    else:
        terminal.note("bodies as described: nothing can move, or the results would show it")
    terminal.line()
    steps = [("before the passes", function.traced)]
    steps += [(f"{item.name}: {item.sentence}", item.operations) for item in function.effective_passes]
    if len(steps) > 1:
        terminal.table(("after the pass", "operations", "saved"), _with_savings(steps), numbers=(1, 2))
        terminal.line()
    else:
        terminal.line(f"passes: {function.traced} operations before and after; tracing left none to save")
    terminal.note(f"by kind: {by_kind(function.counts)}")


def _with_savings(steps: Sequence[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Rows of (step, operations, how many fewer than before it)."""
    before = [steps[0][1], *(operations for _, operations in steps)]
    return [
        (name, operations, str(above - operations) if above != operations else "")
        for (name, operations), above in zip(steps, before, strict=False)
    ]


def _show_layouts(function: FunctionExplanation) -> None:
    terminal.title(f"{function.name}: layout {function.layout}")
    terminal.table(
        ("layout", "operations", "instructions", "text, estimated [bytes]", "of a 32 KB cache", "chosen"),
        (
            (
                option.layout,
                option.operations,
                option.instructions,
                option.text_bytes,
                f"{100.0 * option.cache_share:.0f} %",
                "yes" if option.layout == function.layout else "",
            )
            for option in function.tried
        ),
        numbers=(1, 2, 3, 4),
    )
    terminal.line()
    terminal.note(f"why: {function.reason}")
    parts = [f"limbs side by side, one per lane: {function.limbs}"] if function.limbs > 1 else []
    parts += [f"straight-line pieces: {function.pieces}"] if function.pieces else []
    if function.kernels:
        classes = ", ".join(f"{name} {number}" for name, number in function.kernels.items())
        parts.append(f"loops: {function.loops}")
        parts.append(f"kernels, one per structural class: {sum(function.kernels.values())} ({classes})")
    for part in [*parts, f"workspace: {function.workspace} scalars"]:
        terminal.line(part)
