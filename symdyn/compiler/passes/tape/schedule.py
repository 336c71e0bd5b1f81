"""Instructions in the order in which a processor can take them up, with few values waiting at a time.

A tape is traced from its outputs backwards, so that instructions which need each other follow each other. A processor
looks some hundred instructions ahead for others that it can run meanwhile, and finds too few. List scheduling (Cooper
and Torczon, *Engineering a Compiler*, section 12.3) gives each cycle to the instructions that head the longest paths of
dependent ones; while more values wait for their use than there are registers, it first takes instructions after which
fewer do. Values and roundings stay the same.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

from symdyn.compiler.passes.tape.cycles import cycles
from symdyn.compiler.tape.tape import Tape

_WAITING = 16
"""Values that may wait at a time; of 12, 20, 28 and 40, the fastest or close to it for arms and free bases."""

_AHEAD = 200
"""Steps by which one may come before another. Fewer bring less; with more, code for lanes of states runs out of
registers (inverse dynamics of a quadruped is 3 % slower with 200, 17 % with 300)."""

_LONGEST = 3000
"""Instructions up to which tapes are reordered. The longer ones of a humanoid are 5 to 8 % slower for it: what their
bodies have in common is then spread over the whole line."""

_WIDTH = 4
"""Instructions that begin in a cycle."""


def schedule(tape: Tape) -> Tape:
    """Reorder a tape; leaves stand before their first use, and a product for one sum alone before that sum."""
    if sum(bool(op.args) for op in tape.ops) > _LONGEST:
        return tape
    order = _Scheduler(tape).order()
    moved = {old: new for new, old in enumerate(order)}
    return replace(
        tape,
        ops=tuple(tape.ops[old].with_args(tuple([moved[arg] for arg in tape.ops[old].args])) for old in order),
        results=tuple(tuple(moved[result] for result in results) for results in tape.results),
    )


def _fused(tape: Tape) -> dict[int, int]:
    """Per product that one sum alone needs, that sum; one product per sum."""
    uses = [0] * len(tape.ops)
    for op in tape.ops:
        for argument in op.args:
            uses[argument] += 1
    for results in tape.results:
        for result in results:
            uses[result] += 1
    fused: dict[int, int] = {}
    for position, op in enumerate(tape.ops):
        if op.code in ("add", "sub"):
            found = [argument for argument in op.args if uses[argument] == 1 and tape.ops[argument].code == "mul"]
            if found:
                fused[found[0]] = position
    return fused


class _Scheduler:
    """Steps are the instructions that are neither leaves nor fused into a sum; ``needs`` are the steps before each."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.fused = _fused(tape)
        count = len(tape.ops)
        self.is_leaf = [not op.args for op in tape.ops]
        self.needs: list[tuple[int, ...]] = [()] * count
        self.users: list[list[int]] = [[] for _ in range(count)]
        self.steps = [at for at in range(count) if not self.is_leaf[at] and at not in self.fused]
        for at in self.steps:
            found: dict[int, None] = {}
            for argument in tape.ops[at].args:
                for part in tape.ops[argument].args if self.fused.get(argument) == at else (argument,):
                    if not self.is_leaf[part]:
                        found[part] = None
            self.needs[at] = tuple(found)
            for part in found:
                self.users[part].append(at)
        self.cycles = [cycles(op) for op in tape.ops]
        self.path = [0] * count
        for at in reversed(self.steps):
            self.path[at] = self.cycles[at] + max((self.path[user] for user in self.users[at]), default=0)
        self.missing = [len(needs) for needs in self.needs]
        self.uses = [len(users) for users in self.users]
        # By how many fewer values wait after a step: last-used operands, less its own result if that is used.
        self.gain = [
            sum(self.uses[part] == 1 for part in needs) - bool(users)
            for needs, users in zip(self.needs, self.users, strict=True)
        ]
        self.rank = {at: rank for rank, at in enumerate(self.steps)}
        self.first = 0
        self.offered = 0
        self.done = [0] * count
        self.taken = bytearray(count)
        self.later: list[tuple[int, int]] = []
        self.is_ready = bytearray(count)
        self.ready: list[tuple[int, int]] = []
        self.freeing: list[tuple[int, int, int]] = []
        self.freeing_ready: list[tuple[int, int, int]] = []

    def order(self) -> list[int]:
        """Positions in their new order."""
        found: list[int] = []
        cycle = begun = waiting = 0
        for _ in self.steps:
            self._look_ahead()
            self._ripen(cycle)
            at = self._freeing() if waiting >= _WAITING else -1
            while at < 0:
                while self.ready and self.taken[self.ready[0][1]]:
                    heapq.heappop(self.ready)
                if self.ready:
                    at = heapq.heappop(self.ready)[1]
                else:
                    cycle, begun = max(cycle + 1, self.later[0][0]), 0
                    self._ripen(cycle)
            self.taken[at] = 1
            found.append(at)
            start = max([cycle, *(self.done[part] for part in self.needs[at])])
            self.done[at] = start + self.cycles[at]
            waiting -= self.gain[at]
            begun += self.cycles[at] > 0
            if begun >= _WIDTH:
                cycle, begun = cycle + 1, 0
            self._release(at)
        return self._with_leaves(found)

    def _look_ahead(self) -> None:
        """Offer the steps that have come within reach of the first that is left."""
        while self.taken[self.steps[self.first]]:
            self.first += 1
        reach = min(self.first + _AHEAD, len(self.steps))
        for rank in range(self.offered, reach):
            if not self.missing[self.steps[rank]]:
                self._offer(self.steps[rank])
        self.offered = reach

    def _offer(self, at: int) -> None:
        start = max((self.done[part] for part in self.needs[at]), default=0)
        heapq.heappush(self.later, (start, at))
        heapq.heappush(self.freeing, (-self.gain[at], -self.path[at], at))

    def _ripen(self, cycle: int) -> None:
        """Steps whose operands are there by now can begin."""
        while self.later and self.later[0][0] <= cycle:
            _, at = heapq.heappop(self.later)
            self.is_ready[at] = 1
            heapq.heappush(self.ready, (-self.path[at], at))
            heapq.heappush(self.freeing_ready, (-self.gain[at], -self.path[at], at))

    def _freeing(self) -> int:
        """The step after which the fewest values wait; of such, one that can begin."""
        heaps = (self.freeing_ready, self.freeing)
        for heap in heaps:  # entries of steps that were taken, or whose gain has changed since, are stale
            while heap and (self.taken[heap[0][2]] or -heap[0][0] != self.gain[heap[0][2]]):
                heapq.heappop(heap)
        return min((heap[0][0], late, heap[0][2]) for late, heap in enumerate(heaps) if heap)[2]

    def _release(self, at: int) -> None:
        for part in self.needs[at]:
            self.uses[part] -= 1
            if self.uses[part] == 1:  # the one user that is left will be the last
                (last,) = [user for user in self.users[part] if not self.taken[user]]
                self.gain[last] += 1
                entry = (-self.gain[last], -self.path[last], last)
                if not self.missing[last] and self.rank[last] < self.offered:
                    heapq.heappush(self.freeing, entry)
                if self.is_ready[last]:
                    heapq.heappush(self.freeing_ready, entry)
        for user in self.users[at]:
            self.missing[user] -= 1
            if not self.missing[user] and self.rank[user] < self.offered:
                self._offer(user)

    def _with_leaves(self, steps: list[int]) -> list[int]:
        order: list[int] = []
        placed = bytearray(len(self.tape.ops))

        def place(at: int) -> None:
            for argument in self.tape.ops[at].args:
                if not placed[argument]:  # a leaf or a fused product
                    place(argument)
            placed[at] = 1
            order.append(at)

        for at in steps:
            place(at)
        for at in range(len(placed)):
            if not placed[at]:
                place(at)
        return order
