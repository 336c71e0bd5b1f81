"""JSON Schema of symdyn's YAML, for editors."""

from __future__ import annotations

from typing import Any

FILE_NAME = "symdyn.schema.json"
"""The name under which robot files expect their schema beside them."""
HEADER = f"# yaml-language-server: $schema={FILE_NAME}\n"
"""The first line of a robot file that names its schema to editors."""


def yaml_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) that completes and checks robot files in an editor.

    It knows keys and shapes; expressions, references between links and physics are checked on reading.
    """
    from symdyn.description.yaml.schema import RobotYaml

    schema = RobotYaml.model_json_schema()
    definitions = schema["$defs"]
    # The two short forms are accepted before validation, where pydantic does not see them.
    short = {"anyOf": [{"$ref": "#/$defs/ParameterYaml"}, {"type": ["number", "string"]}]}
    schema["properties"]["parameters"]["additionalProperties"] = short
    empty_link = {"anyOf": [{"$ref": "#/$defs/LinkYaml"}, {"type": "null"}]}
    schema["properties"]["links"]["additionalProperties"] = empty_link
    assert "ParameterYaml" in definitions and "LinkYaml" in definitions
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
