package main

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/rehearsal"
)

// The elements of JUnit XML as the schema of the xUnit plugin of Jenkins has them
// (junit-10.xsd).
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Time     string       `xml:"time,attr"` // seconds
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		File     string      `xml:"file,attr,omitempty"`
		Cases    []junitCase `xml:"testcase"`
		took     time.Duration
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit is the outcome as JUnit XML: one suite for each kind of tests. What XML cannot
// hold is escaped.
func junit(verdicts []verdict) ([]byte, error) {
	all := junitSuites{Name: "gateway test"}
	var took time.Duration
	for _, kind := range []string{kindConfiguration, rehearsal.KindTool, rehearsal.KindHook, kindRule} {
		s := junitSuite{Name: kind}
		for i := range verdicts {
			if verdicts[i].kind == kind {
				s.add(&verdicts[i])
			}
		}
		if s.Tests == 0 {
			continue
		}
		s.Time = seconds(s.took)
		took += s.took
		all.Tests, all.Failures, all.Suites = all.Tests+s.Tests, all.Failures+s.Failures, append(all.Suites, s)
	}
	all.Time = seconds(took)
	data, err := xml.MarshalIndent(all, "", "  ")
	return append(append([]byte(xml.Header), data...), '\n'), err
}

func (s *junitSuite) add(v *verdict) {
	c := junitCase{Name: visible(v.name), Class: "gateway." + v.kind, Time: seconds(v.took)}
	if v.tool != "" {
		c.Class += "." + v.tool
	}
	if len(v.differences) > 0 {
		s.Failures++
		d := v.differences[0]
		c.Failure = &junitFailure{
			Message: visible(strings.TrimSpace(d.Field + " differs")), Type: "difference",
			Text: visible(v.place.String()+": "+v.title()) + "\n" + explained(v.differences),
		}
		if d.Want == "" {
			c.Failure.Message = visible(cutText(d.Got))
		}
	}
	if c.Failure != nil && v.kind == kindConfiguration {
		c.Failure.Type = v.kind
		c.Failure.Text = explained(v.differences)
	}
	if s.File == "" {
		s.File = v.place.File
	}
	s.Tests++
	s.took += v.took
	s.Cases = append(s.Cases, c)
}

// seconds is a time as the schema wants it.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
