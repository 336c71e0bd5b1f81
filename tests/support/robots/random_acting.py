"""Random loads, contacts, bushings and fluids for any robot without soft links."""

from __future__ import annotations

import random
from dataclasses import replace

from symdyn.description.bushing import Bushing, Strut
from symdyn.description.contact import Contact, Surface
from symdyn.description.external_loads import Acting, Site, Six, Wrench
from symdyn.description.fluid import AddedMass, Buoyancy, Drag
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Number
from symdyn.description.robot import RobotDescription

_ENTRIES = ("2*vx", "sin(px)", "py*wz", "-vy*sqrt(1 + vz**2)", "1/(2 + pz**2)")


def acted_upon(description: RobotDescription, seed: int, count: int = 4) -> RobotDescription:
    """The robot with some of all that may act."""
    rng = random.Random(seed)
    links = [link.name for link in description.links]
    frames = [frame.name for frame in description.frames]

    def point() -> tuple[float, float, float]:
        return rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5)

    def site() -> Site:
        own = rng.choice([*links, *frames])
        return Site(frame=own) if own in frames else Site(own, point=point())

    def six(entry: Number | None = None) -> Six:
        a, b, c, d, e, f = (rng.choice((0.0, rng.uniform(0.0, 3.0))) for _ in range(6))
        return (a if entry is None else entry, b, c, d, e, f)

    found: list[Acting] = []
    for number in range(count):
        name = f"w{number}"
        match rng.randrange(3):
            case 0:
                entries = six(Expression(rng.choice(_ENTRIES)))
                found.append(Wrench(name, site(), entries, rng.choice(("body", "world"))))
            case 1:
                shape, inside = rng.choice(("plane", "cylinder", "sphere")), rng.random() < 0.5
                surface = Surface(shape, point(), (0.6, 0.0, 0.8), rng.uniform(0.31, 0.6), inside)
                found.append(Contact(name, site(), surface, 5.0, 5.0, 0.1, 0.3, 0.1, rng.uniform(0.0, 0.3)))
            case _:
                first, second = site(), site()
                if first != second and rng.random() < 0.5:
                    found.append(Bushing(name, (first, second), six(), six(), point()))
                elif first != second:
                    found.append(Strut(name, (first, second), 4.0, rng.choice((0.0, 0.5)), 0.1))
    for link in links[1::2]:
        center = Site(link, point=point())
        found.append(Buoyancy(f"fluid.{link}", center, 900.0, rng.uniform(0.0, 1e-3)))
        found.append(Drag(f"fluid.{link}.drag", center, six(), 0.1))
    for link in links[::2]:
        found.append(AddedMass(f"fluid.{link}.added_mass", Site(link, point=point()), six()))
    return replace(description, acting=tuple(found))
