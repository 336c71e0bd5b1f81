"""The catalogue of functions, and the reading of what a user asks of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Unpack

from symdyn.errors import RequestError
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request
from symdyn.interface.field_words import STEPS, field_word
from symdyn.interface.guesses import did_you_mean
from symdyn.interface.options import GenerateOptions, RequestOptions, refuse_unknown
from symdyn.model.model import Model

_RIGID_ONLY = ("lemma1", "spatial")

_MODULES = (
    "families",
    "inverse_dynamics",
    "mass_matrix",
    "kinematics",
    "centroidal",
    "regressor",
    "coriolis",
    "rate_terms",
    "control",
    "tasks",
    "costs",
    "elastic_joints",
    "actuation",
    "element_forces",
    "stations",
    "contacts",
    "loops",
    "solvers",
    "statics",
    "steps",
)
"""The files of this room that have entries, in the order in which functions are listed."""

_LAST = ("costs", "steps", "control", "tasks", "actuation", "contacts", "loops", "solvers", "statics")
"""Those that rest on the most: a function is looked for there last. Loading all takes longer than tracing an arm.

The families come first, because they load an algorithm only where its plan is asked for.
"""


@cache
def _entries(module: str) -> dict[str, CatalogueEntry]:
    """The entries of a file by name; loading one that is not of the families loads all its algorithms."""
    return {entry.name: entry for entry in import_module(f"symdyn.functions.{module}").ENTRIES}


class _Catalogue(Mapping[str, CatalogueEntry]):
    """All functions by name. Asked for one, it loads files until one has it; asked for all, every file."""

    def __getitem__(self, name: str) -> CatalogueEntry:
        for module in (*(own for own in _MODULES if own not in _LAST), *_LAST):
            if name in _entries(module):
                return _entries(module)[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for module in _MODULES for name in _entries(module))

    def __len__(self) -> int:
        return sum(len(_entries(module)) for module in _MODULES)


CATALOGUE: Mapping[str, CatalogueEntry] = _Catalogue()


def find_functions(names: Sequence[str]) -> tuple[CatalogueEntry, ...]:
    """The entries of some functions, in the order asked for.

    Raises
    ------
    RequestError
        An unknown name, or a repeated one.
    """
    for name in names:
        if name not in CATALOGUE:
            raise RequestError(f"function '{name}' is not in the catalogue; {_remedy(name)}")
    if len(set(names)) != len(names):
        raise RequestError(f"functions are named twice in {list(names)}; name each once")
    return tuple(CATALOGUE[name] for name in names)


def _remedy(name: object) -> str:
    """The function that was meant, or all that there are where none is close; steps are none."""
    if (stepper := STEPS.get(str(name).lower())) is not None:
        return f"steps are no functions: ask for steppers=['{stepper}'], on the command line --stepper {stepper}"
    close = field_word(name) or did_you_mean(name, CATALOGUE)
    if close is None:
        return f"'symdyn functions' lists all {len(CATALOGUE)}"
    return f"did you mean '{close}'? 'symdyn functions' lists all {len(CATALOGUE)}"


def requests(
    model: Model, names: Sequence[str], **asked: Unpack[RequestOptions]
) -> tuple[tuple[CatalogueEntry, Request], ...]:
    """The entries of some functions, each with the options that it takes; errors are those of :func:`chosen`.

    Only options that change what functions mean are known here.
    """
    refuse_unknown(asked, RequestOptions.__annotations__)
    return chosen(model, GenerateOptions.checked(names, **asked))


def chosen(model: Model, options: GenerateOptions) -> tuple[tuple[CatalogueEntry, Request], ...]:
    """The entries of the functions that are asked for, each with the options that it takes.

    Raises
    ------
    RequestError
        An unknown name or a repeated one; an option that none of the functions takes; ``hybrid_dynamics`` without
        ``prescribed``, or a form of it that knows no ``unknown`` inputs; what is of rigid links for a robot with links
        that bend.
    """
    entries = find_functions(options.functions)
    names = ", ".join(f"'{entry.name}'" for entry in entries)
    for entry in entries:
        if "prescribed" in entry.demands and options.prescribed is None:
            raise RequestError(
                f"function '{entry.name}' needs prescribed=[...], the names of the velocities whose acceleration is "
                f"given; '{model.name}' has {', '.join(model.velocity_names)}"
            )
        if "frames" in entry.demands and options.frames is None:
            raise RequestError(
                f"function '{entry.name}' needs frames=[...], the names of the frames of the task; '{model.name}' has "
                f"{', '.join(model.frame_names)}"
            )
        if options.unknown and "prescribed" in entry.takes and "unknown" not in entry.takes:
            raise RequestError(
                f"function '{entry.name}' has no form with inputs that are looked for, and would mean another motion "
                "than the others; ask for it apart, without unknown"
            )
        if options.unknown and options.formulation == "spatial" and {"unknown", "formulation"} <= set(entry.takes):
            raise RequestError(
                f"function '{entry.name}' has no form of formulation 'spatial' with inputs that are looked for; leave "
                "formulation out, or unknown"
            )
    for option, value in options.said.items():
        if not any(option in entry.takes for entry in entries) and not (option == "prescribed" and options.steppers):
            if option == "order":
                which = f"function {names} has" if len(entries) == 1 else f"functions {names} have"
                raise RequestError(f"{which} no time derivatives, so order must be 0, got {value}")
            raise RequestError(f"none of {', '.join(options.functions)} takes {option}; leave it out")
        if model.deforms and value in _RIGID_ONLY:
            raise RequestError(
                f"{option} '{value}' is of rigid links, and '{model.name}' has links that bend: "
                f"{', '.join(deformable_links(model))}; leave {option} out"
            )
        if model.has_moving_inertia and value in _RIGID_ONLY:
            raise RequestError(
                f"{option} '{value}' has no form in convention '{model.convention}'; leave {option} out, or load "
                "the robot in another convention"
            )
    said = options.said
    return tuple(
        (entry, Request.of(model, {name: value for name, value in said.items() if name in entry.takes}))
        for entry in entries
    )


def deformable_links(model: Model) -> tuple[str, ...]:
    """Names of the links that are not rigid."""
    return (*(model.bodies[tip].joint.label for tip in model.beams), *(rod.link for rod in model.rods))
