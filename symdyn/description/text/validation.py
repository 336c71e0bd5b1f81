"""pydantic's findings in this project's words."""

from __future__ import annotations

from typing import Any

from symdyn.description.text.position import shown

Path = tuple[int | str, ...]
"""Where a value stands in a document: keys and indices from the top."""


def refusal(text: str) -> Exception:
    """A finding in this project's words, for pydantic to collect; :func:`problem` adds the place."""
    from pydantic_core import PydanticCustomError

    return PydanticCustomError("description", "{problem}", {"problem": text})


def misplaced(key: str, words: str) -> Exception:
    """The same about a key of a mapping, with words that follow its name; it stands where the key does."""
    from pydantic_core import PydanticCustomError

    return PydanticCustomError("misplaced", "{problem}", {"problem": words, "key": key})


def problem(error: Any) -> tuple[Path, str]:
    """Path of one entry of ``ValidationError.errors()``, and what to say after naming the place."""
    path: Path = error["loc"]
    kind: str = error["type"]
    context: dict[str, Any] = error.get("ctx", {})
    if kind == "missing":
        return path, " is missing"
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        return path, f": expected a mapping (key: value), got {kind_of(error['input'])}"
    if kind == "misplaced":
        return (*path, context["key"]), context["problem"]
    if kind == "list_type":
        return path, f": expected a list, got {kind_of(error['input'])}"
    if kind == "too_short":
        return path, f" is an empty {kind_of(error['input']).split()[-1]}; expected at least one entry"
    if kind == "string_type":
        return path, f": expected text, got {kind_of(error['input'])}"
    return (*path, context["key"]) if "key" in context else path, f": {context.get('orig', error['msg'])}"


def kind_of(value: object) -> str:
    """What was found, for a message: its kind where it is no text."""
    match value:
        case None:
            return "nothing"
        case list():
            return "a list"
        case dict():
            return "a mapping"
    return shown(value)
