"""Our own C for a task: as ``symdyn generate`` writes it, or of a program that was made otherwise."""

from __future__ import annotations

from symdyn.analysis.compare.measurement import Code, generated_code
from symdyn.analysis.compare.task import Task
from symdyn.compiler.emit.module import emit_module
from symdyn.compiler.tape.program import Program
from symdyn.description.yaml.write import write_yaml
from symdyn.generation import pipeline
from symdyn.interface.options import RequestOptions
from symdyn.version import VERSION


def symdyn_code(task: Task, layout: str = "auto") -> Code:
    """The function of the catalogue in a layout."""
    options = task.subject.options(task.order)
    return _catalogue_code(task, layout, options)


def spatial_code(task: Task) -> Code:
    """The paper's spatial recursion of all orders, through our passes and our C."""
    options: RequestOptions = {"order": task.order, "formulation": "spatial"}
    return _catalogue_code(task, "auto", options)


def program_code(task: Task, program: Program) -> Code:
    """The C of a program with the signature of the task."""
    files = emit_module(
        (program,),
        robot=task.robot.name,
        version=VERSION,
        target="c",
        load_options=task.robot.load_options(),
        robot_yaml=write_yaml(task.robot.description),
    )
    return generated_code(files, program.signature.function)


def _catalogue_code(task: Task, layout: str, options: RequestOptions) -> Code:
    files = pipeline.sources(task.robot, [task.subject.function], layout=layout, **options)
    return generated_code(files, task.subject.function)
