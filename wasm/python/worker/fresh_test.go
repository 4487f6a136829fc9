package worker

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolgate/toolgate/wasm/python/wire"
)

// TestFresh runs what must differ from job to job twice, each time from the same
// memory.
func TestFresh(t *testing.T) {
	g := startGuest(t, driverSettings{Heap: guestLimit})
	for _, code := range []string{
		"import random\nrandom.random()",
		"import random\nrandom.Random().random()",
		"import random\nrandom.SystemRandom().random()",
		"import random\nrandom.sample(range(10 ** 9), 3)",
		"import os\nos.urandom(8)",
		"import secrets\nsecrets.token_hex()",
		"import uuid\nstr(uuid.uuid1())",
		"import uuid\nuuid.getnode()",
		"import uuid\nstr(uuid.uuid4())",
		"import tempfile\ntempfile.mktemp()",
		"import tempfile\nf = tempfile.NamedTemporaryFile()\nf.name",
		"import tempfile\nwith tempfile.TemporaryDirectory() as d: pass\nd",
		"import time\ntime.time_ns()",
		"import time\ntime.perf_counter_ns()",
		"import datetime\ndatetime.datetime.now()",
		"import logging\nlogging._startTime",
		"import email.generator, email.mime.multipart\nm = email.mime.multipart.MIMEMultipart()\nm.attach(email.mime.multipart.MIMEMultipart())\nm.as_string()",
	} {
		var got [2]string
		for i := range got {
			_, _, reply := g.run(wire.Job{Code: code})
			if reply.Value == nil {
				t.Fatalf("%s: %+v", code, reply.Failure)
			}
			got[i] = reply.Value.Repr
		}
		if got[0] == got[1] {
			t.Errorf("twice %s of\n%s", got[0], code)
		}
	}
}

// TestLeft runs programs that leave something behind, and one that looks for it.
func TestLeft(t *testing.T) {
	g := startGuest(t, driverSettings{Heap: guestLimit})
	for _, code := range []string{
		"x = 1\nimport json\njson.y = 2",
		"import builtins, sys\nbuiltins.z = 3\nsys.modules['w'] = builtins\nsys.path.append('/q')",
		"import os\nos.environ['A'] = 'b'\nos.chdir('/tmp')",
		"import atexit\natexit.register(print, 'left')",
		"import sys\nsys._getframe(1).f_globals['HINTS'] = sys._getframe(1).f_globals['quoted'] = None\nNone",
	} {
		g.run(wire.Job{Code: code})
	}
	stdout, _, reply := g.run(wire.Job{Code: `
import builtins, json, os, sys
["x" in globals(), hasattr(json, "y"), hasattr(builtins, "z"), "w" in sys.modules, "/q" in sys.path, dict(os.environ), os.getcwd()]`})
	want := `[false,false,false,false,false,{},"/out"]`
	if reply.Value == nil || string(reply.Value.JSON) != want || stdout != "" {
		t.Errorf("got %+v, %q, want %s", reply.Value, stdout, want)
	}
}

// TestFiles has a program's files written though it closes none.
func TestFiles(t *testing.T) {
	g := startGuest(t, driverSettings{Heap: guestLimit})
	for code, want := range map[string]string{
		"f = open('/out/a', 'w')\nf.write('open')\nNone":                                      "open",
		"class A: pass\na = A()\na.a = a\na.f = open('/out/a', 'w')\na.f.write('cycle')":      "cycle",
		"def f():\n    h = open('/out/a', 'w')\n    h.write('raised')\n    1/0\nf()":          "raised",
		"import csv\nw = csv.writer(open('/out/a', 'w', newline=''))\nw.writerow([1, 2])":     "1,2\r\n",
		"import sys\nf = open('/out/a', 'w')\nprint('left', file=f)\nsys.exit(1)":             "left\n",
		"import atexit\nf = open('/out/a', 'w')\natexit.register(lambda: f.write('at exit'))": "at exit",
	} {
		path := filepath.Join(g.dir, "out", "a")
		_, _, reply := g.run(wire.Job{Code: code})
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q of\n%s\n%+v", got, err, want, code, reply.Failure)
		}
		_ = os.Remove(path)
	}
}

// TestGivenFiles has the files of a job named where a program looks for another.
func TestGivenFiles(t *testing.T) {
	g := startGuest(t, driverSettings{Heap: guestLimit})
	for _, name := range []string{"a.csv", "sub/b.csv", "own.py"} {
		path := filepath.Join(g.dir, "files", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x = 3\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const own = " The program's own files go to /out, which comes back."
	for code, want := range map[string]string{
		"open('a.csv')":                                 "It is at /files/a.csv." + own,
		"open('/data/b.csv')":                           "It is at /files/sub/b.csv." + own,
		"open('/files/c.csv')":                          "Under /files there are: a.csv, own.py, sub/b.csv." + own,
		"import pathlib\npathlib.Path('x').read_text()": "Under /files there are: a.csv, own.py, sub/b.csv." + own,
	} {
		_, _, reply := g.run(wire.Job{Code: code})
		if reply.Failure == nil || reply.Failure.Hint != want {
			t.Errorf("got %+v, want the hint %q of %s", reply.Failure, want, code)
		}
	}
	_, _, reply := g.run(wire.Job{Code: "import own\nown.x"})
	if reply.Value == nil || reply.Value.Repr != "3" {
		t.Errorf("a file's module: %+v", reply.Failure)
	}
}
