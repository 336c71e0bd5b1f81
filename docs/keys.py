"""Write the tables of docs/yaml-format.md that list the keys of declared records.

Usage: python docs/keys.py

A comment before a table names what it lists, such as ``<!-- keys of loops: coupling -->``, with kinds or for all of
them. ``tests/packaging/test_keys_page.py`` fails while the page is not what this writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from symdyn.description.actuation import CHAMBERS, TENDONS
from symdyn.description.bushing import Bushing, Strut
from symdyn.description.contact_keys import CONTACT
from symdyn.description.control.costs import COST
from symdyn.description.control.problem import PROBLEM, Bound, Horizon, SolverSettings
from symdyn.description.declared import Family, family
from symdyn.description.external_loads import WRENCHES
from symdyn.description.flexible import BEAM
from symdyn.description.fluid import FLUID, IMMERSED
from symdyn.description.joint import JOINT, Actuator, Elastic, Limits, Losses, Mimic
from symdyn.description.loads import Spring, Stop
from symdyn.description.mapped import MAPS
from symdyn.description.pfaffian import LOOPS
from symdyn.description.robot import FRAME
from symdyn.description.soft import ROD

PAGE = Path(__file__).resolve().with_name("yaml-format.md")
FAMILIES: dict[str, Family] = {
    "joints": JOINT,
    "frames": FRAME,
    "loops": LOOPS,
    "deformable": MAPS,
    "soft": ROD,
    "flexible": BEAM,
    "tendons": TENDONS,
    "chambers": CHAMBERS,
    "loads": WRENCHES,
    "fluid": FLUID,
    "contacts": CONTACT,
    "bodies": IMMERSED,
    "control": PROBLEM,
    "costs": COST,
    "horizon": family(Horizon),
    "solver": family(SolverSettings),
    "limit": family(Bound),
    "limits": family(Limits),
    "losses": family(Losses),
    "mimic": family(Mimic),
    "actuator": family(Actuator),
    "elastic": family(Elastic),
} | {record.key: family(record) for record in (Bushing, Strut, Spring, Stop)}
"""By what comments call them."""
_TABLE = re.compile(r"(<!-- keys of (\w+)(?:: ([\w, ]+))? -->\n)(\| [^\n]*\n\|---[^\n]*\n)(?:\|[^\n]*\n)*")


def page(text: str) -> str:
    """The page with its tables as records have them."""

    def table(found: re.Match[str]) -> str:
        comment, name, kinds, head = found.groups()
        return comment + head + "".join(f"{row}\n" for row in rows(name, kinds or ""))

    return _TABLE.sub(table, text)


def rows(name: str, kinds: str) -> Iterator[str]:
    """The rows of one table."""
    return FAMILIES[name].table(*filter(None, kinds.split(", ")))


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
