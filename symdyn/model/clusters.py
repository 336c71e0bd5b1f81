"""Which bodies share coordinates: the units that forward dynamics eliminates at once."""

from __future__ import annotations

from symdyn.model.bodies import Body, Cluster
from symdyn.model.rod import SoftBody


def find_clusters(bodies: tuple[Body, ...], rods: tuple[SoftBody, ...] = ()) -> tuple[Cluster, ...]:
    """Group bodies that share coordinates, together with all bodies on the tree paths between them.

    Two bodies share when a row of v moves both joints (a mimic joint and a leader). Their paths to the nearest common
    ancestor join the group; groups that meet become one. The stations of a rod share its rows.

    The link and the rotor of an elastic joint share a spring but no coordinate: forces depend on both, while the mass
    matrix has no entry between them. Each is eliminated by itself, which costs one division more than the tree alone.
    """
    group = list(range(len(bodies)))

    def find(index: int) -> int:
        while group[index] != index:
            group[index] = group[group[index]]
            index = group[index]
        return index

    leader_of_row: dict[int, int] = {}
    for rod in rods:
        for member in rod.stations:
            group[member] = rod.owner
    for index, row in ((index, row) for index, body in enumerate(bodies) for row in body.joint.v_places):
        leader = leader_of_row.setdefault(row, index)
        if leader != index:
            shared = set(_path_to_root(bodies, leader)) ^ set(_path_to_root(bodies, index)) | {leader, index}
            for member in shared:
                group[find(member)] = find(index)
    members: dict[int, list[int]] = {}
    for index in range(len(bodies)):
        members.setdefault(find(index), []).append(index)
    return tuple(Cluster(tuple(found), _rows(bodies, found)) for found in sorted(members.values()))


def _path_to_root(bodies: tuple[Body, ...], index: int) -> list[int]:
    path = []
    while index >= 0:
        path.append(index)
        index = bodies[index].parent
    return path


def _rows(bodies: tuple[Body, ...], members: list[int]) -> tuple[int, ...]:
    return tuple(sorted({row for index in members for row in bodies[index].joint.v_places}))
