"""The program that lives in the guest: it makes the state that every job begins with,
and runs one job after the other from it.

It is started by boot.py with the host's settings, and talks to the host through
descriptor 0 (the present message, then the end), descriptor 1 (output, and behind the
reply mark the reply) and posix_fadvise. The host sets the memory back after each job,
so nothing here has to be put back by hand; only what must differ from job to job is
renewed, in renew().

A program can change every object that it can reach, those of this file too. That harms
its own reply and nothing else: the host trusts no reply, and the next job begins from
the state before.
"""

import ast
import asyncio
import atexit
import builtins
import errno
import gc
import importlib
import importlib.util
import io
import json
import linecache
import os
import random
import re
import select
import sys
import tempfile
import time
import traceback
import types
import warnings

MAGIC = 0x746F6F6C  # the offset that makes a call of posix_fadvise one to the host
SYNC, REPLY = 0, 1  # its length: which call

DRIVER = "<driver>"
SCRIPT = "main.py"  # the program's name, where the job has none
FILES, PACKAGES, ZONES, RESULTS = "/files", "/packages", "/zoneinfo", "/out"
LIBRARY = os.path.dirname(traceback.print_exc.__code__.co_filename) + "/"  # where it was compiled

CHUNK = 16 << 10  # bytes of a message that are read at once
PAGE = 64 << 10  # bytes by which the heap is grown
DEFAULT_VALUE = 64 << 10  # bytes of a value's form, where the job states no limit
MOST_TRACEBACK = 16 << 10  # characters of a traceback
MOST_MESSAGE = 4 << 10  # characters of an exception's message
MOST_LISTED = 12  # files named in a hint
HEAD, TAIL = 20, 20  # lines of a deep stack that are shown of its two ends
HINTS = settings.get("hints") or {}
NESTED = 100  # how deep a value's own containers are looked into

# What programs import. Importing it here costs every job nothing; importing it in a
# job costs that job 5 to 300 ms.
POPULAR = """
abc array base64 binascii bisect calendar cmath codecs collections collections.abc
concurrent.futures contextlib copy csv dataclasses datetime decimal difflib enum
fnmatch fractions functools glob graphlib hashlib heapq hmac html html.parser inspect
io itertools json keyword logging math numbers operator os.path pathlib pickle pprint
queue random re secrets shutil statistics string struct tempfile textwrap threading
time timeit tokenize traceback types typing unicodedata urllib.parse uuid weakref
xml.etree.ElementTree zipfile zlib zoneinfo sqlite3
""".split()


# The event loop.


def sleep(seconds):
    """time.sleep, which wants a clock's absolute time of the host, and gets ENOTSUP."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    select.select((), (), (), seconds)


def install_sleep():
    try:
        time.sleep(0)
    except OSError:
        time.sleep = sleep


class Waiting:
    """What an event loop asks for events. There are no sockets and no threads, so
    nothing ever happens but that time goes by."""

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("deadlock: every task waits for another, and nothing is left that could wake one")
        if timeout > 0:
            time.sleep(timeout)
        return ()

    def close(self):
        pass


class Loop(asyncio.base_events.BaseEventLoop):
    """An event loop for one thread without sockets."""

    def __init__(self):
        super().__init__()
        self._selector = Waiting()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, function, *args):
        """Runs the function at once: there is no thread that could."""
        future = self.create_future()
        try:
            future.set_result(function(*args))
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            future.set_exception(error)
        return future


def install_loop():
    """Makes Loop what asyncio.run and its like use. The policy's class is changed, not
    the policy: from 3.14 on setting one is deprecated, and the attribute is there in
    all versions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        policy = type(asyncio.get_event_loop_policy())
    policy._loop_factory = Loop
    for name in ("SelectorEventLoop", "EventLoop"):
        setattr(asyncio, name, Loop)


# The state that every job begins with.


def popular(names):
    """Imports what there is of the names: builds differ, and a package may be broken,
    which its program shall be told and not the host."""
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            pass


def import_packages(names):
    """Imports the modules of packages, and says so before: one that hangs or ends the
    process is the last that was named. What one raises its program is told."""
    for name in names:
        os.write(2, b"importing %s of code_interpreter.packages\n" % name.encode())
        try:
            importlib.import_module(name)
        except BaseException:
            pass


def rehearse():
    """Does once what is slow for the first time in a process: types of the syntax tree,
    tables of the compiler, formatting of tracebacks, an event loop."""
    for code in ("async def f(x: int = 1) -> None:\n  await f()\nf'{1:>5}'", "import json\n[1/0 for x in (1,)]", "x ="):
        run_job({"code": code, "check": code[0] == "a"}, discard)
    run_job({"code": "import asyncio\nawait asyncio.sleep(0)\n{'a': [1.5, 'é']}"}, discard)
    asyncio.events._event_loop_policy = None  # a program's has had no loop


def discard(reply):
    """Takes the reply of a rehearsal."""


def install_zones():
    """Has zoneinfo look where the host puts its files: this build has none."""
    zoneinfo = sys.modules.get("zoneinfo")
    if zoneinfo:
        zoneinfo.reset_tzpath((ZONES,))


def grow(limit):
    """Takes the heap to its limit and frees it again, so that the memory does not grow
    in a job, and MemoryError comes where the limit is. os.read allocates its buffer
    without touching it, so no page becomes a real one."""
    least, most = 0, limit // PAGE
    while least < most:
        middle = (least + most + 1) // 2
        try:
            os.read(0, middle * PAGE)
            least = middle
        except MemoryError:
            most = middle - 1


def replace_streams():
    """Gives sys.stdout and sys.stderr no buffer, so that nothing is lost when the
    process is ended, and lets them print everything, lone surrogates too."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        raw = open(number, "wb", buffering=0, closefd=False)
        raw.name = "<" + name + ">"
        stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace", newline="\n", write_through=True)
        stream.mode = "w"
        setattr(sys, name, stream)
        setattr(sys, "__" + name + "__", stream)


def prepare():
    install_sleep()
    popular(POPULAR)
    install_loop()
    install_zones()
    replace_streams()
    if settings.get("packages") or settings.get("modules"):
        sys.path.append(PACKAGES)
        import_packages(settings.get("modules", ()))
    sys.path.append(FILES)  # last: a file of a job hides no module
    tempfile.tempdir = "/tmp"  # or the first use looks for a folder that it can write to
    os.chdir(RESULTS)  # so that a file without a folder comes back
    rehearse()
    sys.modules.pop("__main__", None)
    grow(settings.get("heap", 0))
    linecache.clearcache()
    gc.collect()
    gc.freeze()


def renew():
    """Makes anew what was random or of this moment when the state was taken. os.urandom,
    secrets, uuid4 and random.SystemRandom ask the host each time. The seed of str's hash
    cannot be changed in a process: sets of strings have one order in all jobs of it."""
    random.seed()
    tempfile._name_sequence = None
    now = time.time()
    logging = sys.modules.get("logging")
    if logging:
        logging._startTime = time.time_ns() if isinstance(logging._startTime, int) else now
    uuid = sys.modules.get("uuid")
    if uuid:
        uuid._node = uuid._last_timestamp = None


# The program.


def run_job(job, send):
    """Runs one job, and sends the reply: a dict of texts that are JSON. What fails here
    fails by what the program has done to this interpreter; it gets an answer all the
    same."""
    program = Program(job)
    try:
        reply = program.compile() or missing(job.get("dependencies") or ()) or program.run_unless_check()
    except BaseException as error:
        reply = {"outcome": '"error"', "failure": encode({"type": type(error).__name__, "message": message_of(error), "traceback": ""})}
    quietly(program.end)
    unwatch()
    send(reply)


class Program:
    """A program, and how it ended."""

    def __init__(self, job):
        self.job = job
        self.name = job.get("name") or SCRIPT
        self.source = job["code"]
        self.limit = (job.get("limits") or {}).get("value") or DEFAULT_VALUE
        self.body = self.last = self.runner = self.module = None

    def compile(self):
        """Compiles the program and keeps its last expression apart. It returns a reply
        when it does not compile."""
        try:
            self.body, self.last = parts(self.source, self.name)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
            return self.failed("syntax", error)
        return None

    def run_unless_check(self):
        if self.job.get("check"):
            return {"outcome": '"ok"'}
        self.stage()
        try:
            try:
                value = self.run()
            finally:
                unwatch()
            if value is None:
                return {"outcome": '"ok"'}
            return {"outcome": '"ok"', "value": join(describe(value, self.limit))}
        except SystemExit as error:
            return self.exited(error.code)
        except BaseException as error:
            return self.failed("error", error)

    def stage(self):
        """Makes the module __main__, and the rest as a script finds it."""
        self.module = types.ModuleType("__main__")
        self.module.__file__ = self.name
        self.module.__builtins__ = builtins
        sys.modules["__main__"] = self.module
        sys.argv[:] = [self.name, *(self.job.get("argv") or ())]
        lines = self.source.splitlines(True)
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += "\n"  # as linecache has it; carets are misplaced otherwise
        linecache.cache[self.name] = (len(self.source), None, lines, self.name)

    def run(self):
        names = self.module.__dict__
        asynchronous = 0x80  # inspect.CO_COROUTINE
        if any(code.co_flags & asynchronous for code in (self.body, self.last) if code):
            self.runner = asyncio.Runner()
            return self.runner.run(self.steps(names))
        if self.body:
            exec(self.body, names)
        return eval(self.last, names) if self.last else None

    async def steps(self, names):
        """Runs both parts within one event loop: what the body started goes on in the
        last expression."""
        value = None
        for code in (self.body, self.last):
            value = eval(code, names) if code else None
            if code and code.co_flags & 0x80:
                value = await value
        return value

    def exited(self, code):
        if code is None:
            number = 0
        elif isinstance(code, int):
            number = int(code) if -(1 << 31) <= code < 1 << 31 else -1
        else:
            number = 1
            quietly(lambda: print(code, file=sys.stderr))
        return {"outcome": '"exit"', "exit_code": str(number)}

    def failed(self, outcome, error):
        return {"outcome": encode(outcome), "failure": encode(failure(error, self))}

    def end(self):
        """Ends the program as the interpreter does: tasks are cancelled, exit handlers
        run, and what it left behind is finalised, so that its files are written."""
        quietly(self.runner.close) if self.runner else None
        quietly(atexit._run_exitfuncs)
        flush()
        if self.module:
            flush_files()
            self.module.__dict__.clear()
            gc.collect()
            flush()


def unwatch(settrace=sys.settrace, setprofile=sys.setprofile):
    """Ends a trace that the program has left on: it would trace the driver, and what it
    prints behind the reply mark would make nonsense of the reply."""
    settrace(None)
    setprofile(None)


def quietly(function):
    """Calls it, and shows what it raises as Python does at its end."""
    try:
        function()
    except BaseException:
        try:
            traceback.print_exc()
        except BaseException:
            pass


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def flush_files():
    """Writes what open files hold back. Those in a cycle of references would lose it: the
    collector closes a file's inner half first."""
    for found in gc.get_objects():  # not the frozen ones, so they are few
        if type(found) in (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom):
            try:
                found.flush()
            except (OSError, ValueError):  # closed, or its limit is reached
                pass


def parts(source, name):
    """Compiles the source into its body and its last expression; either may be None."""
    tree = compile(source, name, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    last = None
    if tree.body and type(tree.body[-1]) is ast.Expr:
        last = compile(ast.Expression(tree.body.pop().value), name, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    body = compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True) if tree.body else None
    return body, last


# The value of the last expression.


def describe(value, limit):
    """Gives the forms of a value: a dict of texts that are JSON."""
    found = {}
    try:
        picture = image(value)
    except BaseException:
        picture = None
    if picture:
        media, data = picture
        found["repr"] = encode("<%s, %d bytes>" % (media, len(data)))
        if len(data) > limit:
            found["cut"] = "true"
            return found
        import base64
        found["media"], found["data"] = encode(media), encode(base64.b64encode(data).decode())
        return found
    try:
        plain = weigh(value, limit)
    except BaseException:  # of a class with ways of its own
        plain = False
    text, cut = represent(value, limit, plain is None)
    data = text.encode("utf-8", "replace")
    if len(data) > limit:
        text, cut = data[:limit].decode("utf-8", "ignore"), True
    found["repr"] = encode(text)
    if cut:
        found["cut"] = "true"
    if plain:
        try:
            form = STRICT.encode(value)
        except BaseException:
            form = None
        if form is not None and len(form) <= limit:
            found["json"] = form
    return found


STRICT = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
PLAIN = {int, float, bool, type(None)}


def weigh(value, limit):
    """Tells whether a value is one of JSON's: True, False, or None when it is larger
    than the limit in any form. Flat containers are looked at by their types as a whole,
    which costs a program in this interpreter a tenth of a loop."""
    plain, size, rest, depth = True, 0, [value], 0
    while rest:
        item = rest.pop()
        kind = type(item)
        if issubclass(kind, (str, bytes, bytearray)):
            size += len(item)
            plain = plain and issubclass(kind, str)
        elif issubclass(kind, dict):
            plain = plain and set(map(type, dict.keys(item))) <= {str}
            size += 4 * dict.__len__(item)
            rest.extend(dict.values(item)) if size <= limit else None
        elif issubclass(kind, (list, tuple)):
            size += 2 * len(item)
            if size <= limit and not set(map(type, item)) <= PLAIN:
                rest.extend(item)
        elif issubclass(kind, (set, frozenset)):
            plain = False
            size += 2 * len(item)
        elif not issubclass(kind, (int, float, type(None))):
            plain = False
        if size > limit:
            return None
    return plain


def represent(value, limit, large):
    """Gives repr(value), of a large value the beginning, and whether it is only that."""
    try:
        if not large:
            return str.__str__(repr(value)), False
        budget = [limit]
        return clipped(value, budget, ()), budget[0] <= 0
    except BaseException as error:
        return "<%s object, of which repr() raised %s>" % (type(value).__name__, outline(error)), False


def clipped(value, budget, within):
    """Gives the beginning of repr(value) without making all of it. within are the
    containers that the value is in."""
    kind = type(value)
    if kind in BRACKETS and value:
        if any(outer is value for outer in within):
            text = "...".join(BRACKETS[kind])
        elif len(within) < NESTED:
            return clipped_items(value, budget, (*within, value))
        else:
            text = repr(value)
    elif kind in (str, bytes, bytearray):
        text = repr(value[: budget[0] + 1])
    else:
        text = str.__str__(repr(value))
    budget[0] -= len(text)
    return text


BRACKETS = {list: "[]", tuple: "()", set: "{}", dict: "{}"}


def clipped_items(value, budget, within):
    opening, closing = BRACKETS[type(value)]
    found = []
    for item in value.items() if type(value) is dict else value:
        if budget[0] <= 0:
            return opening + ", ".join(found) + ", "
        if type(value) is dict:
            found.append(clipped(item[0], budget, within) + ": " + clipped(item[1], budget, within))
        else:
            found.append(clipped(item, budget, within))
        budget[0] -= 2
    if type(value) is tuple and len(found) == 1:
        found.append("")
    return opening + ", ".join(found) + closing


def image(value):
    """Gives the media type and the bytes of the picture that a value is, or None."""
    if type(value) in (bytes, bytearray):
        return signed(bytes(value[:16])) and (signed(bytes(value[:16])), bytes(value))
    for name, media in (("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"), ("_repr_svg_", "image/svg+xml")):
        method = getattr(type(value), name, None)
        data = method(value) if method else None
        if isinstance(data, str):
            data = data.encode()
        if isinstance(data, (bytes, bytearray)):
            return media, bytes(data)
    return None


def signed(head):
    """Gives the media type that the first bytes of a picture say, or None."""
    for mark, media in ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF87a", "image/gif"), (b"GIF89a", "image/gif")):
        if head.startswith(mark):
            return media
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None


# Why a program failed.


def failure(error, program):
    """Gives a wire.Failure as a dict."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "." + kind.__qualname__
    syntax = program.module is None
    if syntax:
        complete(error, program.source)
    text, line = traced(error, program)
    found = {"type": name, "message": message_of(error), "traceback": text, "line": line}
    try:
        found["hint"] = hint(error, text)
    except BaseException:
        pass
    return found


def complete(error, source):
    """Gives a syntax error that the second pass found its line's text, which the
    compiler looks for in a file."""
    if isinstance(error, SyntaxError) and error.text is None and error.lineno:
        lines = source.splitlines()
        error.text = lines[error.lineno - 1] if error.lineno <= len(lines) else None


def message_of(error):
    try:
        if isinstance(error, SyntaxError):
            return str.__str__(str(error.msg))[:MOST_MESSAGE]
        return str.__str__(str(error))[:MOST_MESSAGE]
    except BaseException as other:
        return "<str() of it raised %s>" % type(other).__name__


def outline(error):
    return type(error).__name__ + ": " + message_of(error)


def traced(error, program):
    """Gives the traceback of the program's own lines, and the last such line."""
    line = 0
    if isinstance(error, SyntaxError) and program.module is None:
        line = error.lineno or 0
    try:
        shown = traceback.TracebackException(type(error), error, error.__traceback__, compact=True)
        line = line or last_line(shown.stack, program.name)
        shorten(shown, set())
        text = "".join(shown.format())
    except BaseException:
        text = outline(error) + "\n"
    if len(text) > MOST_TRACEBACK:
        text = text[: MOST_TRACEBACK // 2] + "\n  ...\n" + text[-MOST_TRACEBACK // 2 :]
    return text, line


def last_line(stack, name):
    return next((frame.lineno or 0 for frame in reversed(stack) if frame.filename == name), 0)


class Lines(list):
    """A stack that is formatted already."""

    def format(self, **options):
        return self


def shorten(shown, seen):
    """Leaves the program's lines in a traceback, in those of its causes, and in those
    of a group's members."""
    if shown is None or id(shown) in seen:
        return
    seen.add(id(shown))
    if shown.stack is not None:
        shown.stack = lines_of(shown.stack)
    shorten(shown.__cause__, seen)
    shorten(shown.__context__, seen)
    for member in shown.exceptions or ():
        shorten(member, seen)


def lines_of(stack):
    """Formats the program's frames of a stack; a run of the library's becomes a line,
    those before the program's first frame nothing."""
    shown, inner = [], []
    for frame in stack:
        if frame.filename == DRIVER:
            inner = []
        elif frame.filename.startswith((LIBRARY, "<frozen ")):
            inner.append(frame)
        else:
            if shown:
                shown.extend(library(inner))
            inner = []
            shown.append(frame)
    return Lines(texts(shown + library(inner)))


def library(frames):
    if not frames:
        return []
    last = frames[-1]
    name = last.filename.removeprefix(LIBRARY)
    return ["  ... in the standard library: %s, line %s, in %s\n" % (name, last.lineno, last.name)]


def texts(shown):
    """Formats frames as Python does, repeated ones and the middle of many as a line."""
    found, frames = [], []
    if len(shown) > HEAD + TAIL:
        middle = len(shown) - HEAD - TAIL
        shown = shown[:HEAD] + ["  ... %d more calls ...\n" % middle] + shown[-TAIL:]
    for frame in shown:
        if isinstance(frame, str):
            found.extend(traceback.StackSummary.from_list(frames).format())
            found.append(frame)
            frames = []
        else:
            frames.append(frame)
    return found + traceback.StackSummary.from_list(frames).format()


# What to do instead. The texts are data of the host: hints.json.


def hint(error, trace):
    """Gives what to do instead, or nothing. The name of a class is compared with those
    of its bases, too."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "ModuleNotFoundError" in kinds:
        return module_hint(error.name or "")
    if "OSError" in kinds and getattr(error, "filename", None) is not None:
        found = path_hint(error)
        if found:
            return found
    message = message_of(error)
    for known in HINTS.get("errors", ()):
        if known["type"] in kinds and known["text"] in message and known.get("trace", "") in trace:
            if "names" not in known or getattr(error, "name", None) in known["names"]:
                return known["hint"]
    return ""


def module_hint(name):
    """Says what to use in place of a module that is not there."""
    top = name.partition(".")[0]
    known = HINTS.get("modules", {}).get(top) or HINTS.get("modules", {}).get(top.lstrip("_"))
    if known:
        return known
    import difflib
    close = difflib.get_close_matches(top, [*sys.stdlib_module_names, *settings.get("modules", ())], 1, 0.75)
    if close and close[0] != top:
        return "There is no module %s: do you mean %s?" % (top, close[0])
    return "There is no module %s, and nothing can be installed: there is %s." % (top, present())


def present():
    packages = sorted(settings.get("packages") or ())
    more = " and " + ", ".join(packages) if packages else " and nothing else"
    return "the standard library" + more


READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS, getattr(errno, "ENOTCAPABLE", 76)}


def path_hint(error):
    """Says what files there are, for one that is not, and where files can be written."""
    path = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else str(error.filename)
    if error.errno == errno.ENOENT:
        return "%s The program's own files go to /out, which comes back." % files_hint(path)
    if error.errno in READ_ONLY:
        return "Only /out, which comes back, and /tmp can be written to."
    return ""


def files_hint(path):
    names = sorted(names_under(FILES))
    if not names:
        return "No files were given to the program: /files is empty."
    wanted = os.path.basename(path)
    same = [name for name in names if os.path.basename(name) == wanted]
    if same and path != FILES + "/" + same[0]:
        return "It is at %s/%s." % (FILES, same[0])
    return "Under /files there %s: %s." % ("is" if len(names) == 1 else "are", listed(names))


def names_under(folder):
    return [os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names]


def listed(names):
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (" and %d more" % more if more > 0 else "")


# What a program depends on.

REQUIREMENT = re.compile(r"\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^]]*\])?\s*\(?([^;()@]*)\)?\s*(?:;.*)?\Z")
CLAUSE = re.compile(r"\s*(===|==|~=|!=|<=|>=|<|>)\s*([\w.!+*-]+)\s*\Z")
VERSION = re.compile(
    r"v?(?:(\d+)!)?(\d+(?:\.\d+)*)"
    r"(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*))?"
    r"(?:-(\d+)|[-_.]?(?:post|rev|r)[-_.]?(\d*))?"
    r"(?:[-_.]?dev[-_.]?(\d*))?(?:\+[a-z0-9._-]+)?\Z"
)
STAGES = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}
HALVES = ("ssl", "ctypes", "lzma", "tkinter", "curses", "multiprocessing", "dbm.gnu")  # useless without _NAME


def missing(wanted):
    """Gives the reply when something that a program depends on is not there, and None
    when all is."""
    lacks = [lack for lack in map(lacking, wanted) if lack]
    if not lacks:
        return None
    message = "; ".join(what for what, _ in lacks)
    advice = " ".join(dict.fromkeys(how for _, how in lacks))
    found = {"type": "DependencyError", "message": message, "traceback": "", "hint": advice}
    return {"outcome": '"dependencies"', "failure": encode(found)}


def lacking(wanted):
    """Gives what is wrong with a requirement and what to use instead, or None."""
    match = REQUIREMENT.match(wanted)
    if not match:
        return "%s: not a name with versions, as attrs or pyyaml>=6" % wanted, "There is %s." % present()
    name, clauses = match[1], [clause for clause in match[2].split(",") if clause.strip()]
    version = installed(name)
    if version is None:
        return "%s: not there" % name, advice_for(name)
    for clause in clauses if version else ():
        held = satisfies(version, clause)
        if held is None:
            return "%s: not a version that can be compared: %s" % (name, clause.strip()), "Write it as %s>=1.2." % name
        if not held:
            return "%s: there is %s, which is not %s" % (name, version, clause.strip()), "Use %s %s." % (name, version)
    return None


def advice_for(name):
    module = HINTS.get("distributions", {}).get(normal(name), name)
    return module_hint(module)


def normal(name):
    """Gives a name as PEP 503 compares them."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(name):
    """Gives the version of a distribution or module, "" where it has none, and None
    where it is not there."""
    key = normal(name)
    if key == "python":
        return "%d.%d.%d" % sys.version_info[:3]
    versions = {normal(known): version for known, version in (settings.get("packages") or {}).items()}
    if key in versions:
        return versions[key]
    for distribution, module in HINTS.get("distributions", {}).items():
        if module == name and distribution in versions:
            return versions[distribution]
    if name in settings.get("modules", ()) or name in sys.builtin_module_names:
        return ""
    return "" if name.partition(".")[0] in sys.stdlib_module_names and whole_module(name) else None


def whole_module(name):
    """Tells whether a module of the standard library is there, with its native half."""
    try:
        half = name not in HALVES or importlib.util.find_spec("_" + name)
        return bool(half and importlib.util.find_spec(name))
    except ImportError:
        return False


def satisfies(version, clause):
    """Compares versions as PEP 440 does; None is that one of them is none."""
    match = CLAUSE.match(clause)
    if not match:
        return None
    operator, bound = match[1], match[2]
    if operator == "===":
        return version == bound
    if bound.endswith(".*") and operator in ("==", "!="):
        return begins(version, bound[:-2]) == (operator == "==")
    have, want = order(version), order(bound)
    if have is None or want is None:
        return None
    if operator == "~=":
        return have >= want and begins(version, bound.rpartition(".")[0])
    return {"==": have == want, "!=": have != want, "<=": have <= want, ">=": have >= want, "<": have < want, ">": have > want}[operator]


def begins(version, bound):
    """Tells whether a version's release begins with that of the other."""
    have, want = VERSION.match(version.lower()), VERSION.match(bound.lower())
    if not have or not want:
        return False
    want = [int(part) for part in want[2].split(".")]
    have = [int(part) for part in have[2].split(".")]
    return (have + [0] * len(want))[: len(want)] == want


def order(version):
    """Gives what sorts versions as PEP 440 says, or None for none."""
    match = VERSION.match(version.lower())
    if not match:
        return None
    epoch, release, stage, stage_number, implicit, post, dev = match.groups()
    numbers = [int(part) for part in release.split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    after = (implicit or post) is not None
    early = dev is not None and stage is None and not after
    return (
        int(epoch or 0),
        numbers,
        ("", 0) if early else (STAGES.get(stage, stage), int(stage_number or 0)) if stage else ("z", 0),
        int(implicit or post or 0) if after else -1,
        int(dev or 0) if dev is not None else sys.maxsize,
    )


# The talk with the host.


def encode(value):
    """Gives the JSON of a text, a number, or a dict of such."""
    if isinstance(value, dict):
        return join({name: encode(item) for name, item in value.items()})
    return quoted(value) if isinstance(value, str) else "%d" % value


quoted = json.encoder.encode_basestring_ascii


def join(fields):
    """Gives the JSON object of fields whose values are JSON already."""
    return "{" + ",".join('"%s":%s' % field for field in fields.items()) + "}"


def read_message(read=os.read):
    found = []
    while data := read(0, CHUNK):
        found.append(data)
    return b"".join(found)


def send(reply, advise=os.posix_fadvise, write=os.write):
    """Writes the reply behind the reply mark."""
    data = memoryview(join(reply).encode("ascii", "replace"))
    advise(1, MAGIC, REPLY, 0)
    while data:
        data = data[write(1, data) :]


def wait(advise=os.posix_fadvise):
    """Returns when there is a job. A guest that was set back is answered by an error, and
    comes again: nothing of a program has run then."""
    while True:
        try:
            return advise(1, MAGIC, SYNC, 0)
        except OSError:
            pass


def main():
    prepare()
    while True:
        wait()
        renew()
        run_job(json.loads(read_message()), send)
