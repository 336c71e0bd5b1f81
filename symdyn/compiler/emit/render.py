"""The one Jinja environment. Templates hold layout; Python has already formed every statement."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jinja2


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # what was rendered before is loaded without it

    return jinja2.Environment(
        loader=jinja2.PackageLoader("symdyn.templates", ""),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, context: dict[str, Any]) -> str:
    """Text of a template (path below ``templates/``, such as ``c/FUNCTION.c.jinja``) in a context."""
    return _environment().get_template(template).render(context)
