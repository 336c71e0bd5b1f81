"""The mangler is injective, its names are valid everywhere, and comments cannot break out of anything."""

from __future__ import annotations

import keyword
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdyn.compiler.emit.names import FILE_WORDS, WORDS, Mangler, comment, identifier, macros, upper

VALID = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z", re.ASCII)
LOCALS = re.compile(r"[vscix][0-9]+\Z")
TRICKY = st.text(alphabet=st.sampled_from("abxX_-0257f é*/\\\n\0"), max_size=12)
TEXTS = st.one_of(
    st.text(max_size=80), TRICKY, st.sampled_from(sorted(WORDS | FILE_WORDS)), st.from_regex(r"[vsci]\d+")
)


def read_back(name: str) -> str:
    """Inverse of the mangler for names that were not shortened."""
    name = name.removeprefix("id_")
    return re.sub(r"_x([0-9a-f]+)_", lambda match: chr(int(match[1], 16)), name)


@given(TEXTS)
def test_identifiers_are_valid_and_taken_by_nobody(text: str) -> None:
    for name in (identifier(text), Mangler().name(text)):
        assert VALID.match(name) and len(name) <= 49
        assert not keyword.iskeyword(name) and name not in WORDS
    assert identifier(text).lower() not in FILE_WORDS
    assert not LOCALS.match(Mangler().name(text))
    assert identifier(text) == identifier(text)


@given(TEXTS)
def test_short_names_can_be_read_back(text: str) -> None:
    for mangler in (Mangler(), Mangler(file_names=True), Mangler(reserved=frozenset({"arm", "work"}))):
        name = mangler.name(text)
        if len(name) < 49:
            assert read_back(name) == text


@given(st.lists(st.one_of(TRICKY, st.text(min_size=45, max_size=60)), min_size=2, max_size=8, unique=True))
def test_different_texts_get_different_names(texts: list[str]) -> None:
    for mangler in (Mangler(), Mangler(prefix="table_"), Mangler(file_names=True)):
        assert len({mangler.name(text) for text in texts}) == len(texts)


def test_long_names_keep_their_head_and_stay_apart() -> None:
    first, second = "forearm_" * 12, "forearm_" * 11 + "elbow"
    names = {identifier(first), identifier(second), identifier(identifier(first))}
    assert len(names) == 3
    assert identifier(first).startswith("forearm_forearm_") and len(identifier(first)) == 49


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("panda", "panda"),
        ("UR5e", "UR5e"),
        ("a-b", "a_x2d_b"),
        ("a_b", "a_b"),
        ("a_x2d_b", "a_x5f_x2d_b"),
        ("axis_x", "axis_x"),
        ("_x2-", "id__x5f_x2_x2d_"),
        ("", "id_"),
        ("2link", "id_2link"),
        ("_arm", "id__arm"),
        ("id_arm", "id_id_arm"),
        ("main", "id_main"),
        ("sin", "id_sin"),
        ("M_PI", "id_M_PI"),
        ("numpy", "id_numpy"),
        ("String", "id_String"),
        ("kernel_arm", "id_kernel_arm"),
        ("lambda", "id_lambda"),
        ("bras_é", "bras__xe9_"),
        ("link", "id_link"),
        ("div_t", "id_div_t"),
        ("sinf", "id_sinf"),
        ("ctime_r", "id_ctime_r"),
        ("torso", "torso"),
        ("arm_l", "arm_l"),
    ],
)
def test_robot_identifiers(text: str, name: str) -> None:
    assert identifier(text) == name


def test_scopes() -> None:
    scope = Mangler(reserved=frozenset({"work"}))
    assert [scope.name(text) for text in ("q", "C", "M", "work", "v12", "s3", "table_x")] == [
        *("q", "C", "M", "id_work", "id_v12", "id_s3", "id_table_x")
    ]
    assert Mangler(prefix="table_").name("sin") == "table_sin"
    assert upper("panda") == "PANDA"
    assert macros(["q", "V", "v", "V_2"]) == {"q": "Q", "V": "V", "v": "V_2", "V_2": "V_2_2"}


@given(st.text(max_size=60))
def test_comments_hold_no_sign_with_a_meaning(text: str) -> None:
    safe = comment(text)
    assert safe.isascii() and safe.isprintable()
    assert not set(safe) & set('*\\"`|<>?$&\n\r')
    unescaped = re.sub(r"%([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), safe)
    assert unescaped.encode("latin-1").decode("utf-8", "surrogatepass") == text


def test_comments_leave_units_and_plain_names_alone() -> None:
    for text in ("elbow [rad]", "kg m^2", "N m s/rad", "forearm.mass", "root.qx, 1/s"):
        assert comment(text) == text
    assert comment("*/ end") == "%2A/ end"
