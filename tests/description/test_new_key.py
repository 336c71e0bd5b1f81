"""A new optional key of the YAML format is one line of its record: all else follows, on a copy of the package."""

from __future__ import annotations

from pathlib import Path

from support.trial import Trial

LINE = '    play: Annotated[Number, Key(FOLDED, "how far it gives [m]", (LoopKind.DISTANCE.value,), unit="m")] = 0.0\n'
ANCHOR = '    close: Annotated[bool, Key(FLAG, "'

USE = """
from symdyn.description.loops import Loop
from symdyn.description.pfaffian import LOOPS
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError

ROBOT = '''
name: r
parameters: {slack: {value: 0.01, runtime: true}, half: 0.5}
links:
  base:
  rod: {mass: 1, com: [0, 0, -0.3], inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  turn: {type: spherical, parent: base, child: rod}
loops:
  rope: {between: [{link: rod, point: [0, 0, -1]}, {world: [1, 0, -1]}], %s}
'''
def read(text):
    return parse_yaml((ROBOT % text).encode(), "r.yaml").acting[0]

# reading, with expressions folded, and its default
assert read("kind: distance, distance: 1, play: 2*half").play == 1.0
assert read("kind: distance, distance: 1").play == 0.0
own = read("kind: distance, distance: 1, play: slack")

# run-time numbers with their units
assert own.numbers["play"].text == "slack" and own.units(False) == {"distance": "m", "play": "m"}
assert list(read("kind: spherical").numbers) == []

# the writer, for kinds that have it, where it differs from its default
written = write_yaml(parse_yaml((ROBOT % "kind: distance, distance: 1, play: slack").encode(), "r.yaml"))
assert 'kind: distance, distance: 1.0, play: "slack"}' in written
assert parse_yaml(written.encode(), "r.yaml").acting[0] == own
assert "play" not in write_yaml(parse_yaml((ROBOT % "kind: distance, distance: 1").encode(), "r.yaml"))

# completion: offered for its kind alone, with what it means
kinds = {word: variant["properties"] for variant in yaml_schema()["$defs"]["LoopYaml"]["anyOf"]
         for word in variant["properties"]["kind"]["enum"]}
assert [word for word, properties in kinds.items() if "play" in properties] == ["distance"]
assert kinds["distance"]["play"]["description"] == "how far it gives [m]"
assert kinds["distance"]["play"]["type"] == ["number", "string"]

# the manual's table
(row,) = (row for row in LOOPS.table() if row.startswith("| `play` |"))
assert row == "| `play` | how far it gives [m]; of `distance` | `0` |", row

# refusals
REFUSALS = {
    "kind: spherical, play: 1": "loop 'rope': play is for kind: distance; leave it out of a spherical loop",
    "kind: distance, distance: 1, play: [1]": "loop 'rope': play: expected a number or an expression, got a list",
    "kind: distance, distance: 1, play: wide": "loop 'rope': play: expression 'wide': unknown name 'wide'",
    "kind: distance, distance: 1, play: null": "loop 'rope': play: expected a number or an expression, got nothing",
    "kind: distance, distance: 1, pley: 1": "loop 'rope': pley: unknown key; did you mean 'play'?",
}
for text, words in REFUSALS.items():
    try:
        read(text)
    except DescriptionError as refused:
        assert words in str(refused), refused
    else:
        raise AssertionError(text)
"""


def test_a_new_key_is_one_line(tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    trial.put("description/loops.py", ANCHOR, LINE)
    trial.run(USE)
    assert trial.touched == {"description/loops.py"}
