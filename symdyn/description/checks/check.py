"""The last reader of every description: names, tree, mimic joints and inertias, whatever file they came from."""

from __future__ import annotations

from dataclasses import replace

from symdyn.description.checks.actuation import check_actuation
from symdyn.description.checks.canonical import canonical, check_numbers
from symdyn.description.checks.external_loads import check_acting
from symdyn.description.checks.flexible import check_flexible
from symdyn.description.checks.inertia import check_links
from symdyn.description.checks.joint import check_joints
from symdyn.description.checks.loads import check_loads
from symdyn.description.checks.mapped import check_mapped
from symdyn.description.checks.massless import massless_leaves
from symdyn.description.checks.mimic import free_followers, resolve_mimics
from symdyn.description.checks.names import check_names
from symdyn.description.checks.soft import check_soft
from symdyn.description.checks.tree import check_tree
from symdyn.description.robot import RobotDescription
from symdyn.description.text.notice import mended


def check(description: RobotDescription, *, repair: bool = False) -> RobotDescription:
    """The description with mimic joints resolved to independent ones and physical warnings appended.

    Axes and rotations are exact to rounding afterwards, and all numbers such that a robot file can hold them. Moments
    of inertia that are rounding noise become zero. With ``repair`` indefinite inertias become the nearest physical
    ones, and joints that mimic an unknown joint are freed; ``repairs`` says so. A second call changes nothing.

    Raises
    ------
    DescriptionError
        Names that are empty, repeated or hold control characters; references to unknown links or joints; no root,
        two roots, a cycle or a link with two parents; mimic joints in a circle; a negative mass, links fixed to each
        other whose inertia has a negative eigenvalue, an axis that is no unit vector, a beam without stiffness, and
        the like.
    """
    check_names(description)
    check_tree(description)
    links, warnings, repairs = check_links(description, repair)
    if repair:
        description, freed = free_followers(description)
        repairs += freed
    resolved = replace(description, links=links, joints=resolve_mimics(description))
    check_loads(resolved)
    check_mapped(resolved)
    bending = (*check_flexible(resolved), *check_soft(resolved), *check_actuation(resolved), *check_acting(resolved))
    found = (*map(mended, repairs), *warnings, *check_joints(resolved), *bending, *massless_leaves(resolved))
    # Joints that were found to make sense, so that what is wrong with them is told in their own words.
    resolved = canonical(resolved)
    check_numbers(resolved)
    return replace(
        resolved,
        warnings=tuple(dict.fromkeys((*resolved.warnings, *found))),
        repairs=tuple(dict.fromkeys((*resolved.repairs, *repairs))),
    )
