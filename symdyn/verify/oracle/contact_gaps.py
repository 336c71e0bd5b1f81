"""Exact gaps between spheres on a robot and surfaces in the world, and their rates."""

from __future__ import annotations

from mpmath import mp

from symdyn.description.contact import Contact
from symdyn.verify.base.matrices import Real, Vector, dot, length, scale, subtract, vector
from symdyn.verify.oracle.contact import gauge_radius
from symdyn.verify.oracle.exact import Exact, joined, summed
from symdyn.verify.oracle.motion import LinkMotion
from symdyn.verify.oracle.outer_wrenches import gauge_of, places_of
from symdyn.verify.oracle.pose import point_columns, robot_pose, velocity
from symdyn.verify.oracle.setting import Inputs, Setting


def contact_gaps(setting: Setting, inputs: Inputs) -> Exact:
    """All gaps, then all rates, by names of contacts and along rods from the root on."""
    pose, v = robot_pose(setting, inputs["q"], inputs), vector(inputs["v"])
    motion, quantities = pose.motion, pose.quantities
    gaps, rates, sizes, fast = list[Real](), list[Real](), list[Real](), list[Real]()

    def speed(moving: LinkMotion) -> Vector:
        return vector(velocity(point_columns(moving, moving.origin[0]), v).linear)

    contacts = [
        element for element in setting.description.acting if isinstance(element, Contact) and element.stiffness != 0.0
    ]
    for acting in sorted(contacts, key=lambda contact: contact.name):
        surface, axis = acting.surface, vector(acting.surface.axis)
        for moving, share, more in places_of(setting.description, setting.tree, quantities, motion, acting):
            if not share:  # the tip of a rod stands for no length
                continue
            if not point_columns(moving, moving.origin[0]):  # nothing moves it, so that it has no gap to follow
                continue
            radius = more["radius"] if acting.radius is None else mp.mpf(acting.radius)
            gauge, growth = gauge_of(acting, motion, moving), mp.mpf(0)
            if gauge is not None:
                radius, _, way = gauge_radius(*gauge)
                growth = dot(way, subtract(speed(gauge[1]), speed(gauge[0])))
            out, moves = subtract(moving.origin[0], vector(surface.point)), speed(moving)
            normal, distance, room = axis, dot(axis, out), mp.mpf(0)
            side = -1 if surface.inside else 1
            if surface.shape != "plane":
                if surface.shape == "cylinder":
                    out = subtract(out, scale(dot(out, axis), axis))
                distance, room = length(out), mp.mpf(surface.radius)
                normal = scale(1 / distance, out) if distance else vector((0, 0, 0))
            gaps.append(side * (distance - room) - radius)
            rates.append(side * dot(normal, moves) - growth)
            sizes.append(length(moving.origin[0]) + length(vector(surface.point)) + room + abs(radius))
            fast.append(length(moves) + abs(growth))
    return joined([summed(gaps, sizes), summed(rates, fast)])
