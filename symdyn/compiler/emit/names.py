"""The one mangler: the only way in which a user's name reaches generated text, as an identifier or as a comment.

Words that a generated name may not be: they already mean something to C, C++, Python, CMake or a file system.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from symdyn.errors import RequestError
from symdyn.interface.targets import TARGETS

_C_KEYWORDS = """
    auto bool break case char const continue default do double else enum extern false float for goto if inline int long
    nullptr register restrict return short signed sizeof static struct switch true typedef typeof union unsigned void
    volatile while asm fortran alignas alignof constexpr static_assert thread_local
"""

_CPP_KEYWORDS = """
    and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept const_cast
    consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq
    operator or or_eq private protected public reinterpret_cast requires static_cast template this throw try typeid
    typename using virtual wchar_t xor xor_eq
"""

_C_LIBRARY = """
    abort abs acos acosh asin asinh atan atan2 atanh atexit atof atoi atol bsearch calloc cbrt ceil clock copysign cos
    cosh difftime div environ erf erfc errno exit exp exp10 exp2 expm1 fabs fclose fdim floor fma fmax fmin fmod fopen
    fpclassify fprintf fputs free frexp fscanf fwrite gamma getenv hypot ilogb index isfinite isinf isnan isnormal j0 j1
    jn labs ldexp lgamma llrint log log10 log1p log2 logb longjmp lrint lround main malloc memchr memcmp memcpy memmove
    memset modf nan nearbyint nextafter pow pow10 printf puts qsort raise rand read realloc remainder remquo rename rint
    rindex round scalb scalbln scalbn scanf setjmp sign signbit signgam significand sin sincos sinh size_t sprintf sqrt
    srand sscanf stderr stdin stdout strcat strchr strcmp strcpy strlen strncmp strtod system tan tanh tgamma time
    time_t trunc unix linux write y0 y1 yn double_t float_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t
    uint64_t ptrdiff_t va_list I NULL EOF NAN INFINITY HUGE_VAL HUGE_VALF RAND_MAX BUFSIZ CLOCKS_PER_SEC FLT_EPSILON
    DBL_EPSILON M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2
"""

# What headers of C and POSIX declare besides. In C it does no harm, but a namespace in C++ may not have such a name.
# Names that differ in an ending of C alone are left out: see GLOBAL_ENDINGS.
_C_GLOBALS = """
    a64l accept access ACTION addrinfo alarm alphasort arc4random arc4random_buf arc4random_uniform asctime asprintf
    at_quick_exit bind brk btowc c16rtomb c32rtomb cabs cacos cacosh canonicalize canonicalize_file_name carg casin
    casinh catan catanh ccos ccosh cexp cfgetispeed cfgetospeed cfsetispeed cfsetospeed chdir chmod chown cimag
    clearenv clearerr clog clone close closedir closelog cmsghdr confstr conj connect cpow cproj creal creat csin
    csinh csqrt ctan ctanh ctermid ctime cuserid daemon daylight DIR dirent dirfd dlclose dlerror dlopen dlsym
    dprintf drand48 drand48_data drem dup dup2 dup3 duplocale dysize ecvt endgrent endhostent endnetent endprotoent
    endpwent endservent ENTRY erand48 execl execle execlp execv execve execvp explicit_bzero faccessat fchdir fchmod
    fchmodat fchown fchownat fcloseall fcvt fd_set fdatasync fdopen fdopendir feclearexcept fegetenv fegetexceptflag
    fegetround feholdexcept feof feraiseexcept ferror fesetenv fesetexceptflag fesetround fetestexcept feupdateenv
    fexecve fflush ffs fgetc fgetpos fgets fgetwc fgetws FILE fileno finite flock flockfile fmaximum fmaximum_mag
    fmaximum_mag_num fmaximum_num fmaxmag fmemopen fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag
    fopencookie fork fpathconf fputc fputwc fputws fread freeaddrinfo freelocale freopen fromfp fromfpx fseek fseeko
    fsetpos fstat fstatat fsync ftell ftello ftruncate ftrylockfile FTW ftw funlockfile futimens fwide fwprintf
    fwscanf gcvt getaddrinfo getc getchar getcpu getcwd getdate getdate_err getdelim getegid geteuid getgid getgrent
    getgrgid getgrnam getgroups gethostbyaddr gethostbyname gethostent gethostid gethostname getitimer getline
    getloadavg getlogin getnameinfo getnetbyaddr getnetbyname getnetent getpayload getpeername getpgid getpgrp
    getpid getppid getpriority getprotobyname getprotobynumber getprotoent getpt getpwent getpwnam getpwuid
    getrlimit getrusage getservbyname getservbyport getservent getsid getsockname getsockopt getsubopt gettimeofday
    getuid getw getwc getwchar globfree gmtime grantpt group hcreate hdestroy hostent hsearch htonl htons imaxabs
    imaxdiv initstate insque ioctl iovec ipv6_mreq isalnum isalpha isascii isatty isblank iscntrl isctype isdigit
    isgraph islower isprint ispunct isspace isupper iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph
    iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit itimerspec itimerval jmp_buf jrand48 kill killpg
    l64a lchown lcong48 lconv ldiv lfind linger link linkat listen llabs lldiv llogb llround localeconv localtime
    lockf lrand48 lsearch lseek lstat mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs
    mbtowc memccpy memfrob memmem mempcpy mkdir mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkostemp mkostemps
    mkstemp mkstemps mktemp mktime mlock mlockall mprotect mrand48 msghdr msync munlock munlockall munmap nanosleep
    newlocale nextdown nexttoward nextup nftw nice nrand48 ntohl ntohs obstack obstack_printf obstack_vprintf
    on_exit open_memstream open_wmemstream openat opendir openlog optarg opterr optind option optopt pathconf pause
    pclose perror pipe pipe2 poll pollfd popen pread program_invocation_name program_invocation_short_name protoent
    pselect psiginfo psignal ptsname putc putchar putenv putw putwc putwchar pwrite qecvt qfcvt qgcvt quick_exit
    random_data random_r readdir readlink readlinkat readv reallocarray realpath recv recvfrom recvmsg regcomp
    regerror regexec regfree remove remque renameat renameat2 rewind rewinddir rlimit rmdir roundeven rpmatch rusage
    scandir secure_getenv seed48 seekdir send sendmsg sendto servent setbuf setbuffer setegid setenv seteuid setgid
    setgrent sethostent setitimer setlinebuf setlocale setlogmask setnetent setns setpayload setpayloadsig setpgid
    setpgrp setpriority setprotoent setpwent setregid setreuid setrlimit setservent setsid setsockopt setstate
    setuid setvbuf shutdown sigabbrev_np sigaction sigaddset sigaltstack sigdelset sigdescr_np sigemptyset sigevent
    sigfillset sighold sigignore siginterrupt sigismember sigjmp_buf siglongjmp sigpause sigpending sigprocmask
    sigqueue sigrelse sigset sigsuspend sigtimedwait sigval sigwait sigwaitinfo sleep snprintf sockaddr sockaddr_in
    sockaddr_in6 sockaddr_storage sockatmark socketpair splice srand48 srandom stpcpy stpncpy strcasecmp strcoll
    strcspn strdup strerror strerrordesc_np strerrorname_np strfromd strfromf strfromf32 strfromf32x strfromf64x
    strfroml strfry strftime strncasecmp strncat strncpy strndup strnlen strpbrk strptime strrchr strsep strsignal
    strspn strstr strtof strtof32 strtof32x strtof64x strtoimax strtok strtol strtold strtoq strtoul strtoumax
    strtouq strverscmp strxfrm swab swprintf swscanf symlink symlinkat sync sysconf tcdrain tcflow tcflush tcgetattr
    tcgetpgrp tcgetsid tcsendbreak tcsetattr tcsetpgrp tdelete tee telldir tempnam termio tfind timegm timelocal
    timespec timespec_get timespec_getres timeval timex timezone tm tmpfile tmpnam toascii tolower totalorder
    totalordermag toupper towctrans towlower towupper truncate tsearch ttyname twalk tzname tzset ufromfp ufromfpx
    uint ulong umask ungetc ungetwc unlink unlinkat unlockpt unsetenv unshare uselocale ushort utimbuf utime
    utimensat utimes valloc vasprintf vdprintf vfprintf vfscanf vfwprintf vfwscanf VISIT vprintf vscanf vsnprintf
    vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wait wait3 wait4 waitid waitpid wcpcpy wcpncpy wcrtomb
    wcscasecmp wcscat wcschr wcschrnul wcscmp wcscoll wcscpy wcscspn wcsdup wcsftime wcslen wcsncasecmp wcsncat
    wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstof32 wcstof32x
    wcstof64x wcstoimax wcstok wcstol wcstold wcstombs wcstoq wcstoul wcstoumax wcstouq wcswcs wcswidth wcsxfrm
    wctob wctomb wctrans wctype_l wcwidth winsize wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset wprintf writev
    wscanf
"""

_C_HEADERS = """
    aligned_alloc assert complex ctype fenv float inttypes iso646 limits locale math memory setjmp signal stdalign
    stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time
    uchar wchar wctype unistd fcntl dlfcn pthread malloc alloca sched semaphore features values
"""

_PYTHON = """
    False None True and as assert async await break class continue def del elif else except finally for from global if
    import in is lambda match nonlocal not or pass raise return try type while with yield case self cls
    abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits
    delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex
    id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow
    print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple vars zip
    np numpy scipy symdyn
"""

# A folder of generated Python may stand first on a module path, where its file would hide the standard one.
_PYTHON_MODULES = """
    abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii
    bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall
    compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime
    dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
    fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac
    html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale
    logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis
    nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pip
    pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc
    pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors
    shelve shlex shutil signal site sitecustomize smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile
    sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog
    tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace
    traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib usercustomize uu uuid venv
    warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
    setuptools pkg_resources conftest manifest symdyn
"""

# CMake target names with a meaning of their own, and library names that -l or target_link_libraries would find first.
_CMAKE = """
    all test install help clean package package_source edit_cache rebuild_cache depend preinstall
    list_install_components ALL_BUILD RUN_TESTS INSTALL PACKAGE ZERO_CHECK m c dl rt pthread
"""

# Names that Windows keeps for devices, whatever the extension.
_DEVICES = "con prn aux nul " + " ".join(f"{port}{number}" for port in ("com", "lpt") for number in range(10))

_LANGUAGES = frozenset(" ".join((_C_KEYWORDS, _CPP_KEYWORDS, _C_LIBRARY, _PYTHON)).split())

WORDS: frozenset[str] = _LANGUAGES.union(*(target.words for target in TARGETS.values()))
"""No variable, function or module may be called so."""

GLOBALS: frozenset[str] = frozenset(f"{_C_LIBRARY} {_C_GLOBALS}".split())
"""No robot may be called so, with or without an ending: its namespace in C++ would clash with what headers declare."""

GLOBAL_ENDINGS = r"(?:f[0-9]+x?|f|l|64)?(?:_r|_l|_unlocked)?"
"""Of other forms of the same functions, such as ``ctime_r`` and ``sinf``."""

GLOBAL_KINDS = r"\w+_t|(?:pthread|sched|clock|timer|posix)_\w+"
"""Types, and families of functions."""

FILE_WORDS: frozenset[str] = frozenset(" ".join((_C_HEADERS, _PYTHON_MODULES, _CMAKE, _DEVICES)).lower().split())
"""No file, module or CMake target may be called so, in any case, because file names may ignore case."""


_GUARD = "id_"
_LIMIT = 48  # characters of a name before it is shortened; C99 promises 63 significant ones
_HASH_DIGITS = 24
_HEAD = _LIMIT - _HASH_DIGITS

# Every sign that no identifier holds, and an underscore that would read as the start of such an escape.
_ESCAPED = re.compile(r"[^A-Za-z0-9_]|_(?=x[0-9a-f]+[^A-Za-z0-9])")

# What back ends call their own variables, loop counters and file-scope objects.
_OWN = re.compile(r"[vscix][0-9]+|(?:kernel|table|index|loop|work)_.*")
_OWN_PREFIX = re.compile(r"(?:kernel|table|index|loop|work)(?:_.*)?")


_ENDINGS = re.compile(GLOBAL_ENDINGS, re.ASCII)
_KINDS = re.compile(GLOBAL_KINDS, re.ASCII)


def _is_global(plain: str) -> bool:
    """Whether headers of C declare such a name outside all namespaces."""
    known = (end for end in range(1, len(plain) + 1) if plain[:end] in GLOBALS)
    return _KINDS.fullmatch(plain) is not None or any(_ENDINGS.fullmatch(plain, end) for end in known)


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
        return plain.lower() in FILE_WORDS or _OWN_PREFIX.fullmatch(plain) is not None or _is_global(plain)


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
