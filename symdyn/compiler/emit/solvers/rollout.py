"""Rollouts as C: one step after another, and from the last step back the gradient of a sum of costs of states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, argument_lines, call_lines, wrap_items
from symdyn.compiler.emit.contents import SCALARS, Function
from symdyn.compiler.emit.solvers.solver import RobotSolver, code_lines
from symdyn.compiler.emit.steppers.contact_partials import OF, directions_of, partials_entry, partials_name, slopes_of
from symdyn.compiler.emit.steppers.contacts import contact_codes, report_name, sets_of
from symdyn.compiler.emit.steppers.contents import Stepper, call_of, held_name
from symdyn.compiler.emit.steppers.emit import steppers_of, work_size
from symdyn.compiler.emit.steppers.spelling import number
from symdyn.interface.derivatives import WEIGHTS
from symdyn.interface.rollout_calls import RolloutRows
from symdyn.interface.rollouts import MOVES, ROLLOUT, TOLERANCE, RolloutCode
from symdyn.interface.stepping import CONTACTS

_OWN = {"q": "q", "v": "v", "tau": "u", "u": "u", "h": "&h", "a": "memory", "a_guess": "memory", WEIGHTS: "x"}
"""What rollouts call the inputs that they make themselves."""
_MEANINGS = {
    RolloutCode.DONE: "all steps were taken",
    RolloutCode.NO_CONVERGENCE: "a step did not converge, or its impulses were not solved",
    RolloutCode.NOT_FINITE: "an infinity or NaN, or derivatives that there are not",
    RolloutCode.BAD_SETTINGS: "h is not above 0",
}


@dataclass(frozen=True, slots=True)
class RolloutSolver(RobotSolver):
    """Steps of one method for one robot; the other function has ``_gradient`` after the name."""

    kind = ROLLOUT
    template = "c/ROLLOUT.c.jinja"
    title = "steps one after another, and gradients of what is made of their states."

    @property
    def contact(self) -> Stepper | None:
        """The stepper of rigid contacts, where rollouts take its steps."""
        if self.solving.rollout != CONTACTS:
            return None
        return next(own for own in steppers_of(self.contents) if own.method == CONTACTS)

    @property
    def stepped(self) -> Function:
        """The function that moves the robot by a step."""
        return self.contact.moved_by if self.contact else self.function("step")

    @property
    def rows(self) -> RolloutRows:
        """What a rollout takes, and what a row of its states holds."""
        return RolloutRows.of_step(self.stepped.signature, self.contact is not None)

    @property
    def by_length(self) -> bool:
        """Whether there is a gradient by the length of steps."""
        if self.contact:
            return False
        return any(item.name == "g_h" for item in self.function("step_adjoint").signature.outputs)

    @property
    def impulses(self) -> int:
        """Rows of impulses of contacts."""
        return sets_of(self.contact).rows if self.contact else 0

    @property
    def work_size(self) -> int:
        """Scalars of workspace."""
        own = 2 * 2 * self.rows.v.size + self.rows.count + self.by_length
        if not self.contact:
            within = max(self.stepped.program.work_size, self.function("step_adjoint").program.work_size)
            return own + self.rows.memory + within
        slopes = sum(size for _, size in self._partials(self.contact))
        within = max(work_size(self.contact), slopes + partials_entry(self.contact)[1])
        return own + within

    def _partials(self, contact: Stepper) -> Iterator[tuple[str, int]]:
        """Derivatives of a step with contacts, and their sizes, in order."""
        slopes = slopes_of(contact)
        assert slopes is not None, "asked for with rollouts"
        for of in OF:
            rows = self.impulses if of == OF[-1] else self.rows.v.size
            for by, _, count in directions_of(slopes):
                yield f"{of}_d{by}", rows * count

    def parameters(self, scalar: str) -> dict[str, list[str]]:
        """Those of its functions, on lines."""
        held = [f"const {scalar} *{held_name(item)}" for item in self.rows.given]
        out, work = [f"{scalar} *g_x0", f"{scalar} *g_u"], f"{scalar} *work"
        out += [f"{scalar} *g_p"] if self.rows.count else []
        out += [f"{scalar} *g_h"] if self.by_length else []
        u, h = f"const {scalar} *u", f"{scalar} h"
        texts = {
            "": ["size_t n", f"const {scalar} *q", f"const {scalar} *v", u, h, *held, f"{scalar} *X", work],
            "_gradient": [
                *("size_t n", f"const {scalar} *X", u, h),
                *held,
                *(f"const {scalar} *lx", f"const {scalar} *lu"),
                *(*out, work),
            ],
        }
        return {name: wrap_items(items, WIDTH - 4) for name, items in texts.items()}

    @property
    def preamble(self) -> list[str]:
        """The codes, and the length of a row of states."""
        return [
            *code_lines(self.c_name, _MEANINGS, "How a rollout ended. Rows of states that were not reached are NaN."),
            f"#define {self.c_name.upper()}_STATE {self.rows.row} /* scalars of a row of states */",
        ]

    @property
    def declared(self) -> list[dict[str, Any]]:
        """Its functions in the header."""
        texts = self.parameters(SCALARS[self.contents.dtype])
        titles = {"": "states after one step, two steps, and so on.", "_gradient": "the gradient of a sum of costs."}
        return [
            {
                "name": f"{self.c_name}{name}",
                "result": f"enum {self.c_name}_code",
                "parameters": texts[name],
                "title": titles[name],
                "documentation": own,
            }
            for name, own in zip(texts, self._documentation(), strict=True)
        ]

    def _documentation(self) -> tuple[list[str], list[str]]:
        rows, impulses = self.rows, self.impulses
        nq, nv, nu = rows.q.size, rows.v.size, rows.driving.size
        method = self.solving.rollout.replace("_", " ")
        kept = (
            [f"    then impulses [{impulses}] and states [{rows.memory - impulses}] of contacts of the step"]
            if self.contact
            else [f"    then accelerations [{rows.memory}] of the step"]
        )
        held = [line for item in rows.given for line in argument_lines(item, "in", held_name(item))]
        work = f"work[{self.work_size}]: scratch, contents undefined before and after"
        inputs = [f"in  u[n][{nu}]: inputs of each step", "in  h: length of a step [s], above 0", *held]
        first = [
            f"Steps of the method {method}.",
            f"in  q[{nq}], v[{nv}]: the state before the first step",
            *inputs,
            f"out X[n + 1][{rows.row}]: states (q, v) from the first on" + (";" if rows.memory else ""),
            *((*kept, "    that begins there, 0 in the last row") if rows.memory else ()),
            work,
        ]
        more = [f"g_p[{rows.count}] by p"] if rows.count else []
        more += ["g_h[1] by the length of all steps"] if self.by_length else []
        by_p = [f"    and {', '.join(more)}"] if more else []
        second = [
            "J = sum over k of l_k(x_k, u_k). It walks back from the last step and forms no matrix of all steps.",
            f"in  X[n + 1][{rows.row}]: states of a rollout with these inputs",
            *inputs,
            f"in  lx[n + 1][{2 * nv}]: derivatives of J by moves (dq, dv) of each state, dq along rows of v",
            f"in  lu[n][{nu}]: those by inputs that costs have by themselves; may be NULL",
            f"out g_x0[{2 * nv}], g_u[n][{nu}]: derivatives of J by moves of the first state and by inputs"
            + ("," if by_p else ""),
            *by_p,
            work,
        ]
        return first, second

    def context(self, _: dict[str, Any]) -> dict[str, Any]:
        """What the template needs."""
        scalar = SCALARS[self.contents.dtype]
        return {
            **self.head,
            "code": f"{self.c_name}_code",
            "codes": {code.name.lower(): f"{self.c_name.upper()}_{code.name}" for code in RolloutCode},
            "nq": self.rows.q.size,
            "nv": self.rows.v.size,
            "nu": self.rows.driving.size,
            "np": self.rows.count,
            "by_length": self.by_length,
            "memory": self.rows.memory,
            "held": list(map(held_name, self.rows.given)),
            "parameters": self.parameters(scalar),
            "tolerance": number(TOLERANCE[self.contents.dtype], scalar),
            "moves": MOVES,
            "contact": self._contact() if self.contact else None,
            "calls": {} if self.contact else self._calls(),
        }

    def _calls(self) -> dict[str, list[str]]:
        ahead = ["ahead", f"ahead + {self.rows.q.size}", *(["corrected"] if self.rows.memory else [])]
        gradients = ["g", f"g + {self.rows.v.size}", "g_u", *(["by_p"] if self.rows.count else [])]
        gradients += [f"by_p + {self.rows.count}"] if self.by_length else []
        return {
            "step": call_of(self.stepped, ahead, "rest", _OWN),
            "back": call_of(self.function("step_adjoint"), gradients, "rest", _OWN),
        }

    def _contact(self) -> dict[str, Any]:
        contact = self.contact
        slopes = slopes_of(contact) if contact else None
        assert contact is not None
        assert slopes is not None
        inputs = [
            "q",
            "v",
            *("u" if item.name in ("tau", "u") else f"held->{held_name(item)}" for item in contact.held),
        ]
        results = ["ahead", f"ahead + {self.rows.q.size}", "memory", "state", "&report", "rest"]
        places, at = {}, 0
        for name, size in self._partials(contact):
            places[name] = f"rest + {at}"
            at += size
        stem = self.contents.identifier
        return {
            "step": call_lines(contact.c_name, [*inputs, "h", *results], ";"),
            "slopes": call_lines(
                partials_name(contact), [*inputs, "h", "memory", "state", *places.values(), f"rest + {at}"], ";"
            ),
            "products": [
                {"matrix": [places[f"{of}_d{by}"] for of in OF[:2]], "count": count, "to": to}
                for by, to, count in self._targets(contact, slopes)
            ],
            "impulses": self.impulses,
            "states": self.rows.memory - self.impulses,
            "report": report_name(contact),
            "done": f"{stem.upper()}_STEP_DONE",
            "not_finite": f"{stem.upper()}_STEP_NOT_FINITE",
            "code": f"{stem}_step_code",
            "solved": contact_codes(contact)["solved"],
        }

    def _targets(self, contact: Stepper, slopes: Function) -> Iterator[tuple[str, str, int]]:
        """What a product with transposed derivatives by each input is; by the length of a step there is none."""
        to = {"q": "g", "v": f"g + {self.rows.v.size}", "tau": "g_u", "u": "g_u", "p": "by_p"}
        yield from ((by, to[by], count) for by, _, count in directions_of(slopes) if by in to)
