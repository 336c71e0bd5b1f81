"""Markup that is not quite XML: what is read with a warning, and what stays refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symdyn.description.robot import Joint
from symdyn.description.urdf.read import parse_urdf
from symdyn.errors import DescriptionError

ROBOT = """<robot name="arm">
  <link name="base"/>
  <link name="hand"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="hand"/>
    <limit effort="1" velocity="2" lower="-1" upper="1"/>
  </joint>
</robot>
"""
DRAKE = ROBOT.replace('<limit effort="1"', '<limit drake:acceleration="3" effort="1"').replace(
    "</robot>", "  <drake:collision_filter_group ignore='x'/>\n  <tool:note/>\n</robot>"
)


def with_acceleration(joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    assert joints[0].limits is not None
    return (replace(joints[0], limits=replace(joints[0].limits, acceleration=3.0, deceleration=3.0)), *joints[1:])


def test_undeclared_prefixes_are_read_with_a_warning() -> None:
    plain, found = parse_urdf(ROBOT.encode(), "arm.urdf"), parse_urdf(DRAKE.encode(), "arm.urdf")
    assert found.links == plain.links
    assert found.joints == with_acceleration(plain.joints)
    assert [warning for warning in found.warnings if "declared nowhere" in warning] == [
        "line 5: the namespace prefix 'drake' is declared nowhere; what it marks is none of URDF's own",
        "line 8: the namespace prefix 'tool' is declared nowhere; what it marks is none of URDF's own",
    ]
    assert any("<collision_filter_group>" in warning for warning in found.warnings)


def test_a_declared_prefix_gives_no_such_warning() -> None:
    declared = DRAKE.replace('name="arm"', 'name="arm" xmlns:drake="d" xmlns:tool="t"')
    found = parse_urdf(declared.encode(), "arm.urdf")
    assert not any("declared nowhere" in warning for warning in found.warnings)
    assert found.joints == with_acceleration(parse_urdf(ROBOT.encode(), "arm.urdf").joints)


def test_an_attribute_of_another_namespace_is_named_with_its_prefix() -> None:
    declared = ROBOT.replace('name="arm"', 'name="arm" xmlns:p="d"').replace("<link ", "<link p:name='b' ", 1)
    for text in (declared, ROBOT.replace("<link ", "<link q:name='b' ", 1)):
        with pytest.raises(DescriptionError, match=r"unknown attribute '[pq]:name' of <link>; did you mean 'name'\?"):
            parse_urdf(text.encode(), "arm.urdf")


def test_three_hundred_prefixes_are_found_although_the_parser_tells_of_a_hundred_at_a_time() -> None:
    many = ROBOT.replace("</robot>", "".join(f"<p{k}:note/>\n" for k in range(300)) + "</robot>")
    warnings = parse_urdf(many.encode(), "arm.urdf").warnings
    assert sum("declared nowhere" in warning for warning in warnings) == 300


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("prolog", ["", "<!-- a <robot> of ours -->\n", '<?xml version="1.0"?>\n<?note?>\n'])
def test_the_root_is_found_behind_any_prolog(prolog: str, encoding: str) -> None:
    found = parse_urdf((prolog + DRAKE).encode(encoding), "arm.urdf")
    assert found.joints[0].line == 4 + prolog.count("\n")


def test_a_version_that_does_not_exist_is_read_as_the_first() -> None:
    found = parse_urdf(b'<?xml version="0.0" ?>\n' + ROBOT.encode(), "arm.urdf")
    assert "line 1: XML has no version '0.0'; the file is read as version 1.0" in found.warnings
    assert found.joints[0].line == 5
    assert not any("version" in text for text in parse_urdf(b'<?xml version="1.1"?>' + ROBOT.encode(), "a").warnings)


def test_blank_lines_may_stand_before_the_declaration() -> None:
    found = parse_urdf(b'\n \n<?xml version="1.0"?>\n' + DRAKE.encode(), "arm.urdf")
    assert found.joints[0].line == 7


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        (
            DRAKE.replace("</joint>", "</Joint>"),
            r"arm\.urdf:6: not well-formed XML at column \d+: Opening and ending tag",
        ),
        (DRAKE.replace("<limit", "<!-- a -- b\n <limit"), "not well-formed XML .*comment"),
        (DRAKE.replace("</robot>", ""), r"arm\.urdf:\d+: not well-formed XML"),
        (DRAKE.replace("tool:note", "tool:note:more"), "not well-formed XML at column .* QName 'tool:note:more'"),
        ('<!DOCTYPE robot [<!ENTITY x "1">]>' + DRAKE, "a DOCTYPE declaration is refused"),
        ('<?xml version="0.0"?><!DOCTYPE robot>' + DRAKE, "a DOCTYPE declaration is refused"),
        (DRAKE.replace("'x'", "'&x;'"), "not well-formed XML .*Entity 'x' not defined"),
        (DRAKE.replace("tool:", "xacro:"), r"arm\.urdf:8: the prefix 'xacro:' is xacro"),
        (DRAKE.replace("tool:note", "tool:joint"), "unknown element <tool:joint> in <robot>"),
        ("".join(f"<p{k}:a>" for k in range(900)), "not well-formed XML|Excessive depth"),
        (ROBOT.replace("</robot>", "".join(f"<p{k}:a/>" for k in range(2000)) + "</robot>"), "more than 800 namespace"),
    ],
)
def test_the_rest_stays_refused_in_one_line(markup: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=words) as refused:
        parse_urdf(markup.encode(), "arm.urdf")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("rest", ["</robot>", "\n </joint> <!-- a > b -->\n</robot>\n"])
def test_end_tags_behind_the_end_are_left_out_with_a_warning(rest: str) -> None:
    found = parse_urdf((DRAKE.rstrip() + rest).encode(), "arm.urdf")
    assert found.joints == parse_urdf(DRAKE.encode(), "arm.urdf").joints
    assert [text for text in found.warnings if "behind the end of the root" in text and text.startswith("line 9: ")]


@pytest.mark.parametrize("rest", ["<robot/>", "</robot> text", "</robot><link/></robot>"])
def test_more_than_end_tags_behind_the_end_stays_refused(rest: str) -> None:
    with pytest.raises(DescriptionError, match=r"not well-formed XML .*Extra content"):
        parse_urdf((ROBOT + rest).encode(), "arm.urdf")
