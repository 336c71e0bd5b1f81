"""The part of docs/formats-and-targets.md that is written from the records of targets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from symdyn.interface.options import GenerateOptions
from symdyn.interface.targets import LAYOUTS, TARGETS, Target

PAGE_OF_TARGETS = Path(__file__).resolve().with_name("formats-and-targets.md")
_BEGIN = "<!-- targets: written by docs/reference.py from symdyn/interface/targets.py -->\n"
_END = "<!-- end of targets -->\n"
_PACKAGES = {"": "NumPy", "jax": "JAX", "casadi": "CasADi"}
_ASKED = GenerateOptions.checked(["inverse_dynamics"])


def _yes(whether: bool) -> str:
    return "yes" if whether else ""


_ROWS: dict[str, Callable[[Target], str]] = {
    "what is written": lambda target: target.title,
    "package of Python that calls it": lambda target: _PACKAGES[target.opened_by or target.python.package],
    "needs a C compiler": lambda target: _yes(target.is_compiled),
    "numbers": lambda target: ", ".join(f"`{name}`" for name in target.dtypes),
    "layouts": lambda target: "all" if target.layouts == LAYOUTS else ", ".join(f"`{own}`" for own in target.layouts),
    "alike limbs in the processor's lanes": lambda target: _yes(target.vectors),
    "arrays": lambda target: target.arrays,
    "steppers and solvers in C": lambda target: _yes(target.has_c),
    "brings derivatives along": lambda target: _yes(bool(target.opened_by)),
    "functions beside those asked for": lambda target: ", ".join(f"`{name}`" for name in target.beside(_ASKED)),
}


def targets_page() -> str:
    """The page, with its table of targets as the records have it now."""
    head, _, rest = PAGE_OF_TARGETS.read_text(encoding="utf-8").partition(_BEGIN)
    tail = rest.partition(_END)[2]
    lines = [f"| | {' | '.join(f'`{name}`' for name in TARGETS)} |", "|---" * (len(TARGETS) + 1) + "|"]
    for title, told in _ROWS.items():
        lines.append(f"| {title} | {' | '.join(told(target) for target in TARGETS.values())} |")
    table = "\n".join(line.replace("|  |", "| |").replace("|  |", "| |") for line in lines)
    return f"{head}{_BEGIN}\n{table}\n\n{_END}{tail}"
