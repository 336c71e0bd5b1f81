"""The one mangler: the only way in which a user's name reaches generated text, as an identifier or as a comment."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from symdyn.compiler.emit.reserved import FILE_WORDS, GLOBAL_ENDINGS, GLOBAL_KINDS, GLOBALS, WORDS
from symdyn.errors import RequestError

_GUARD = "id_"
_LIMIT = 48  # characters of a name before it is shortened; C99 promises 63 significant ones
_HASH_DIGITS = 24
_HEAD = _LIMIT - _HASH_DIGITS

# Every sign that no identifier holds, and an underscore that would read as the start of such an escape.
_ESCAPED = re.compile(r"[^A-Za-z0-9_]|_(?=x[0-9a-f]+[^A-Za-z0-9])")

# What back ends call their own variables, loop counters and file-scope objects.
_OWN = re.compile(r"[vscix][0-9]+|(?:kernel|table|index|loop|work)_.*")
_OWN_PREFIX = re.compile(r"(?:kernel|table|index|loop|work)(?:_.*)?")
# What headers of C declare outside all namespaces.
_GLOBAL = re.compile(f"(?:{'|'.join(sorted(GLOBALS))}){GLOBAL_ENDINGS}|{GLOBAL_KINDS}", re.ASCII)

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,:;()[]{}+=/@#!'^~")


@dataclass(frozen=True, slots=True)
class Mangler:
    """Identifiers of one scope, valid in C, C++ and Python: different texts get different names, always the same ones.

    ASCII letters, digits and underscores stay. Any other character becomes ``_x<hex>_``, and so does an underscore
    that would read as the start of such an escape, so that the original can be read back. A result that is empty,
    starts with a digit or an underscore, or is a word of C, C++, Python, CMake or of the generated file itself, gets
    ``id_`` in front (and so does one that starts with ``id_``). Longer results keep their head and end in 96 bits of
    SHA-256, at a length that no other has.

    ``prefix`` stands before every name, which then cannot be a reserved word. ``reserved`` holds further names taken in
    this scope. ``file_names`` says that the names are for files, modules, CMake targets and namespaces instead of
    variables.
    """

    prefix: str = ""
    reserved: frozenset[str] = frozenset()
    file_names: bool = False

    def name(self, text: str) -> str:
        """Identifier of a text."""
        plain = _ESCAPED.sub(lambda match: f"_x{ord(match[0]):x}_", text)
        if not self.prefix and self._needs_guard(plain):
            plain = _GUARD + plain
        if len(plain) > _LIMIT:
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            plain = f"{plain[:_HEAD]}_{digest[:_HASH_DIGITS]}"
        return self.prefix + plain

    def _needs_guard(self, plain: str) -> bool:
        return (
            not plain
            or plain[0] in "_0123456789"
            or plain.startswith(_GUARD)
            or plain in WORDS
            or plain in self.reserved
            or (self._is_taken_file(plain) if self.file_names else _OWN.fullmatch(plain) is not None)
        )

    def _is_taken_file(self, plain: str) -> bool:
        """Whether a file, a module, a CMake target or a namespace of C++ may not be called so."""
        return plain.lower() in FILE_WORDS or any(own.fullmatch(plain) for own in (_OWN_PREFIX, _GLOBAL))


_ROBOT = Mangler(file_names=True)


def identifier(text: str) -> str:
    """Identifier of a robot: prefix of its C functions, stem of its files, name of its Python module."""
    return _ROBOT.name(text)


def upper(text: str) -> str:
    """Macro name of a text: its identifier in capitals. Texts that differ in case only share it."""
    return identifier(text).upper()


def chosen_identifier(name: str) -> str:
    """A name that a user chose for what :func:`identifier` gives otherwise.

    Raises
    ------
    RequestError
        The mangler would change it.
    """
    if identifier(name) != name:
        raise RequestError(
            f"name {name!r} cannot begin the names of C functions and files; expected a name such as 'panda_arm': "
            f"ASCII letters, digits and underscores, a letter first, at most {_LIMIT} signs, and no word that C, C++, "
            "Python, CMake or generated files need"
        )
    return name


def macros(identifiers: Iterable[str]) -> dict[str, str]:
    """Capitals of identifiers of one scope; those that differ in case only are numbered from the second on."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for text in identifiers:
        name, number = text.upper(), 2
        while name in taken:
            name, number = f"{text.upper()}_{number}", number + 1
        taken.add(name)
        names[text] = name
    return names


def comment(text: str) -> str:
    """Text that is safe within a C or Python comment, a docstring and a Markdown table or code span.

    Letters, digits, blanks and harmless signs stay; every other character becomes ``%`` and two hexadecimal digits for
    each of its UTF-8 bytes. So there is no ``*/``, newline, trigraph, backslash, quote, pipe or angle bracket.
    """
    if _PLAIN.issuperset(text):
        return text
    return "".join(
        character
        if character in _PLAIN
        else "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
        for character in text
    )
