package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// needsData starts the message of a test that skips for want of what a variable of the
// environment names: TG_TESTDATA, test data; TG_PYTHON, an interpreter.
const needsData = "needs TG_"

// event is a line of "go test -json" (go doc test2json, go help buildjson).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64 // seconds
}

// test is a test that has not ended.
type test struct {
	output    strings.Builder
	needsData bool
}

// tests are the tests of one package that have not ended, and how many failed.
type tests struct {
	running map[string]*test
	failed  int
}

// count is the state of a run.
type count struct {
	out      io.Writer
	packages map[string]*tests
	passed   int
	failed   int
	skipped  []string // names, also of the tests in noData
	noData   int
}

func newCount(out io.Writer) *count {
	return &count{out: out, packages: map[string]*tests{}}
}

// line takes one line; what is no event is shown as it is.
func (c *count) line(data []byte) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil || e.Action == "" {
		c.print(string(data))
		return
	}
	switch {
	case e.Action == "build-output":
		c.print(e.Output)
	case e.Package == "":
	case e.Test == "":
		c.packageEvent(&e)
	default:
		c.testEvent(&e)
	}
}

func (c *count) print(text string) { _, _ = io.WriteString(c.out, text) }

func (c *count) of(name string) *tests {
	if c.packages[name] == nil {
		c.packages[name] = &tests{running: map[string]*test{}}
	}
	return c.packages[name]
}

func (c *count) packageEvent(e *event) {
	p := c.of(e.Package)
	switch e.Action {
	case "output":
		if e.Output != "PASS\n" {
			c.print(e.Output)
		}
	case "pass", "skip", "fail":
		delete(c.packages, e.Package)
		c.unended(e.Package, p)
		if e.Action == "fail" && p.failed == 0 {
			c.failed++ // it did not build, or its TestMain failed
			c.print("FAILED  " + e.Package + "\n")
		}
	}
}

// unended counts tests that started and never told their end as failed.
func (c *count) unended(name string, p *tests) {
	for _, t := range slices.Sorted(maps.Keys(p.running)) {
		c.fail(name, t, p)
	}
}

func (c *count) testEvent(e *event) {
	p := c.of(e.Package)
	t := p.running[e.Test]
	if t == nil {
		t = &test{}
		p.running[e.Test] = t
	}
	switch e.Action {
	case "output":
		t.output.WriteString(e.Output)
		t.needsData = t.needsData || strings.Contains(e.Output, ": "+needsData)
	case "pass":
		c.passed++
		delete(p.running, e.Test)
	case "skip":
		c.skip(e, t)
		delete(p.running, e.Test)
	case "fail":
		c.fail(e.Package, e.Test, p)
	}
}

func (c *count) fail(pkg, name string, p *tests) {
	c.failed++
	p.failed++
	c.print(p.running[name].output.String())
	c.print("FAILED  " + pkg + " " + name + "\n")
	delete(p.running, name)
}

func (c *count) skip(e *event, t *test) {
	c.skipped = append(c.skipped, e.Package+" "+e.Test)
	if t.needsData {
		c.noData++
	}
}

// end closes the count when the events are over: packages that told no end
// failed, and so did a run that failed without saying where.
func (c *count) end(err error) {
	for _, name := range slices.Sorted(maps.Keys(c.packages)) {
		c.packageEvent(&event{Action: "fail", Package: name})
	}
	if err != nil && c.failed == 0 {
		c.failed++
		c.print(fmt.Sprintf("FAILED  go test: %v\n", err))
	}
	if c.passed+c.failed+len(c.skipped) == 0 {
		c.failed++
		c.print("FAILED  no test was found\n")
	}
}

// summary prints the last lines and reports whether the run is good. In a
// complete run every skipped test counts as failed.
func (c *count) summary(complete bool) bool {
	skipped := len(c.skipped) - c.noData
	if complete {
		for _, name := range c.skipped {
			c.print("FAILED  " + name + ": skipped, and nothing may be\n")
		}
		c.failed += len(c.skipped)
		skipped = 0
	} else if c.noData > 0 {
		c.print(fmt.Sprintf("not run without what TG_ variables name: %d\n", c.noData))
	}
	c.print(fmt.Sprintf("%d passed, %d failed, %d skipped\n", c.passed, c.failed, skipped))
	return c.failed == 0
}
