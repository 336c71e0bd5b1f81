"""C files that work on blocks of states, one state per lane, and the workspace that they and their callers need.

Element ``e`` of the states of block ``b`` lies side by side, from ``array[LANES * (size * b + e)]`` on.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.compiler.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.compiler.emit.c.arrays import lanes_suffix
from symdyn.compiler.emit.c.dialect import DIALECTS, LIBRARY_FUNCTIONS
from symdyn.compiler.emit.c.lanes_body import LanesUnit, lane_count
from symdyn.compiler.emit.contents import C_SCOPE, Contents, Function, text_hash
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.tape.program import BufferKind
from symdyn.interface import sine_cosine
from symdyn.interface.signature import PARAMETERS

SUFFIX = "_lanes.c"

_LANE_BY_LANE = (*LIBRARY_FUNCTIONS, "abs", "sign", "atan2", "pow")
_SINE_COSINE = "sine_cosine"
"""It needs others where lanes are vectors, and the library elsewhere."""
_NEEDS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("min", "max"), frozenset({"select"})),
    **dict.fromkeys(("fms", "fnma"), frozenset({"fma"})),
    _SINE_COSINE: frozenset({"fma", "spread"}),
}
_KINDS: Mapping[str, Mapping[str, object]] = {
    "double": {
        "integer": "long long",
        "integer_max": "0x7fffffffffffffff",
        "scalar_bytes": 8,
        "sign_shift": 62,
        "farthest": "1e5",
    },
    "float": {
        "integer": "int",
        "integer_max": "0x7fffffff",
        "scalar_bytes": 4,
        "sign_shift": 30,
        "farthest": "1e5f",
    },
}
"""Of each scalar: the integer of its size and what else the functions of lanes need to know."""


def lanes_macro(contents: Contents) -> str:
    """Name of the macro for the states of a block."""
    return f"{contents.identifier.upper()}_LANES"


def lanes_work(unit: LanesUnit, scalar: str) -> int:
    """Scalars of workspace for ``_batch_lanes``: one block's, and what it takes to begin at a cache line."""
    return unit.work_size + lane_count(scalar) - 1 if unit.work_size else 0


def batch_work(function: Function, work_size: int, scalar: str) -> int:
    """Scalars of workspace for ``_batch``: its arguments as one block, then a block's workspace; or one state's."""
    count = lane_count(scalar)
    elements = sum(argument.size for argument in function.arguments if argument.name != PARAMETERS)
    return max(function.program.work_size, count - 1 + count * elements + work_size)


def emit_lanes(
    function: Function, unit: LanesUnit, contents: Contents, scalar: str, parameters: list[str], plain: list[str]
) -> SourceFile:
    """The file of one function; ``parameters`` are those of its C function, ``plain`` the same for a declaration."""
    macro = lanes_macro(contents)
    names = [C_SCOPE.name(argument.name) for argument in function.arguments]
    context = {
        "header": f"{contents.identifier}.h",
        "robot": comment(contents.robot),
        "version": contents.version,
        "name": function.c_name,
        "layout": function.program.layout,
        "hash": text_hash(unit.lines),
        **lane_context(unit.lane_functions, scalar, lane_count(scalar)),
        "macro": macro,
        "unit": unit,
        "parameters": parameters,
        "plain_parameters": plain,
        "lane_parameters": wrap_items(_lane_parameters(function, unit, scalar), WIDTH - 4),
        "lane_call": call_lines(f"{function.c_name}_lanes", _lane_arguments(function, unit, macro), ";"),
        "all_arguments": ", ".join([*names, "work"]),
        "unused": _unused(function, unit),
    }
    return SourceFile(f"{function.c_name}{SUFFIX}", render("c/LANES.c.jinja", context))


def lane_context(functions: frozenset[str], scalar: str, whole: int, counts: tuple[int, ...] = ()) -> dict[str, object]:
    """What the template of the functions of lanes asks for.

    Vectors have ``whole`` lanes at most; ``counts`` are those of loops over lanes of one state. Two floats are half of
    the shortest vectors of most processors, and are in there twice.
    """
    everywhere = functions.union(*(_NEEDS[name] for name in functions - {_SINE_COSINE} if name in _NEEDS))
    functions = functions.union(*(_NEEDS[name] for name in functions if name in _NEEDS))
    operations = DIALECTS[scalar].operations
    by_lane = [(code, operations[code]) for code in _LANE_BY_LANE if code in functions]
    return {
        "scalar": scalar,
        **_KINDS[scalar],
        "circle": sine_cosine,
        "lane_counts": [(count, lanes_suffix(count, counts)) for count in counts],
        "lane_count": whole,
        "half_filled": scalar == "float" and whole == 2,
        "functions": functions,
        "in_vectors_alone": functions - everywhere,
        "lane_by_lane": by_lane,
        "uses_memory": bool(by_lane) or _SINE_COSINE in functions,
    }


def batch_lines(function: Function, contents: Contents, scalar: str) -> dict[str, object]:
    """What ``_batch`` does with a block: pointers to its parts, transpositions, and the call in between."""
    macro = lanes_macro(contents)
    pointers = [
        f"{scalar} *const block = work + ((0 - (uintptr_t)work) / sizeof(*work) & ({macro} - 1)); /* a cache line */"
    ]
    to_blocks, from_blocks, actual, start = [], [], [], 0
    for number, argument in enumerate(function.arguments):
        name = C_SCOPE.name(argument.name)
        if argument.name == PARAMETERS or not argument.size:
            actual.append(name)
            continue
        pointers.append(f"{scalar} *const x{number} = block + {macro} * {start}; /* {name} */")
        place = f"{argument.size}, count, {name} + {argument.size} * state, x{number}"
        if number < len(function.signature.inputs):
            to_blocks.append(f"to_block({place});")
        else:
            place = f"{argument.size}, count, x{number}, {name} + {argument.size} * state"
            from_blocks.append(f"from_block({place});")
        actual.append(f"x{number}")
        start += argument.size
    call = call_lines(f"{function.c_name}_batch_lanes", ["count", *actual, f"block + {macro} * {start}"], ";")
    return {
        "macro": macro,
        "block_pointers": pointers,
        "to_blocks": to_blocks,
        "block_call": call,
        "from_blocks": from_blocks,
    }


def _lane_parameters(function: Function, unit: LanesUnit, scalar: str) -> list[str]:
    texts = []
    for number, argument in enumerate(function.arguments):
        const = "const " if number < len(function.signature.inputs) else ""
        texts.append(f"{const}{scalar} *restrict {C_SCOPE.name(argument.name)}")
    texts += [f"{scalar} *restrict work"] if unit.lane_work else []
    return texts + ([f"{scalar} *restrict shared"] if unit.shared_work else [])


def _lane_arguments(function: Function, unit: LanesUnit, macro: str) -> list[str]:
    texts = []
    for argument in function.arguments:
        name = C_SCOPE.name(argument.name)
        if argument.name == PARAMETERS:
            texts.append(name)
            continue
        texts.append(f"{name} + {macro} * {argument.size} * block + lane" if argument.size else name)
    texts += ["work"] if unit.lane_work else []
    return texts + ([f"work + {unit.lane_work}" if unit.lane_work else "work"] if unit.shared_work else [])


def _unused(function: Function, unit: LanesUnit) -> list[str]:
    names = [C_SCOPE.name(argument.name) for argument in function.arguments if argument.name not in unit.buffers_used]
    used = {
        buffer.name in unit.varying
        for buffer in function.program.buffers_of(BufferKind.WORKSPACE)
        if buffer.name in unit.buffers_used
    }
    names += ["work"] if unit.lane_work and True not in used else []
    return names + (["shared"] if unit.shared_work and False not in used else [])
