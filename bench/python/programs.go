package main

import "strings"

// work is a program that computes. Its last expression gives the seconds that it took
// within itself, so that no start of anything is in them.
type work struct{ name, code string }

// works are what the research measured the first of, and what programs of models spend
// their time with.
var works = []work{
	{"loop at module level, 1 M rounds", clocked(`
total = 0
for i in range(1_000_000):
    total += i`)},
	{"the same in a function", clocked(`
def work():
    total = 0
    for i in range(1_000_000):
        total += i
work()`)},
	{"fib(24)", clocked(`
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(24)`)},
	{"json, 5 times 5,000 objects there and back", clocked(`
import json
data = [{"id": i, "name": f"item {i}", "price": i / 7} for i in range(5000)]
for _ in range(5):
    json.loads(json.dumps(data))`)},
	{"sort 200,000 numbers", clocked(`
import random
numbers = random.Random(1).sample(range(10**9), 200_000)
numbers.sort()
sorted(numbers, key=lambda n: -n)`)},
	{"count words of 1 MB", clocked(`
import re, collections
text = " ".join(f"word{i % 977}" for i in range(125_000))
collections.Counter(re.findall(r"\w+", text)).most_common(10)`)},
	{"decimal, 1,000 digits of pi", clocked(`
from decimal import Decimal, getcontext
getcontext().prec = 1000
a, b, t, p = Decimal(1), 1 / Decimal(2).sqrt(), Decimal("0.25"), 1
for _ in range(10):
    an = (a + b) / 2
    b, t, a, p = (a * b).sqrt(), t - p * (a - an) ** 2, an, 2 * p
(a + b) ** 2 / (4 * t)`)},
	{"sha256 of 16 MB", clocked(`
import hashlib
hashlib.sha256(bytes(16 << 20)).hexdigest()`)},
	{"sqlite, 20,000 rows in and summed", clocked(`
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t(a integer, b text)")
db.executemany("insert into t values(?, ?)", ((i, str(i)) for i in range(20_000)))
db.execute("select sum(a), count(distinct b) from t").fetchone()`)},
}

// clocked is a program with its own clock around it.
func clocked(body string) string {
	return "import time\n_began = time.perf_counter()" + body + "\ntime.perf_counter() - _began"
}

// script is a program that prints its last expression.
func (w *work) script() string {
	lines := strings.Split(w.code, "\n")
	last := len(lines) - 1
	lines[last] = "print(" + lines[last] + ")"
	return strings.Join(lines, "\n")
}
