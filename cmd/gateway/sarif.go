package main

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
)

// The types are the part of SARIF 2.1.0 (OASIS standard, 2020) that lint
// writes; the numbers are those of its sections.

// sarifLog is a log file (3.13).
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

// sarifRun is one run of one tool (3.14).
type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

// sarifDriver is the program that found the problems (3.19).
type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

// sarifRule is a kind of problem (3.49).
type sarifRule struct {
	ID          string       `json:"id"`
	Description sarifMessage `json:"shortDescription"`
	Help        sarifMessage `json:"help"`
	HelpURI     string       `json:"helpUri,omitempty"`
	Defaults    struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

// sarifMessage is a text (3.11).
type sarifMessage struct {
	Text string `json:"text"`
}

// sarifResult is one problem (3.27).
type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

// sarifLocation is where a problem is (3.28): a place in a file, and a key.
type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

// sarifPhysical is a place in a file (3.29).
type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"` // nil: the whole file
}

// sarifRegion is where something starts, both counted from 1 (3.30).
type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

// sarifLogical names a place by its path of keys (3.33).
type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

const (
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifVersion = "2.1.0"
	projectURI   = "https://github.com/toolgate/toolgate"
	// fileSection is the section of problems that lie in none.
	fileSection = "file"
)

// newSARIF makes a log of the problems. Paths are relative to the folder dir
// where they lie in it: that is how a program that shows the log next to the
// code finds them.
func newSARIF(problems diag.Problems, dir string) sarifLog {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{
		Name: "gateway", Version: currentVersion(), InformationURI: projectURI, Rules: sarifRules(problems),
	}
	for _, p := range problems {
		id := ruleID(p)
		run.Results = append(run.Results, sarifResult{
			RuleID:    id,
			RuleIndex: slices.IndexFunc(run.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == id }),
			Level:     severity(p), Message: sarifMessage{sarifText(p)},
			Locations: []sarifLocation{newLocation(p, dir)},
		})
	}
	return sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{run}}
}

// ruleID names the kind of a problem by what cannot change with its wording: the class
// of a warning; else the section of the file that it lies in, and how bad it is.
func ruleID(p diag.Problem) string {
	return cmp.Or(string(p.Class), sectionOf(p)+"/"+severity(p))
}

func sectionOf(p diag.Problem) string {
	section, _, _ := strings.Cut(p.Key, ".")
	if slices.Contains(config.Sections(), section) {
		return section
	}
	return fileSection
}

// sarifRules are the kinds of the problems, sorted.
func sarifRules(problems diag.Problems) []sarifRule {
	rules := []sarifRule{}
	for _, p := range problems {
		r := sarifRule{ID: ruleID(p), Description: sarifMessage{descriptionOf(p)}}
		r.Help = r.Description
		if p.Class != "" {
			r.HelpURI = projectURI + "/blob/main/docs/lint.md#" + string(p.Class)
			r.Help.Text += " The page says why that matters, how to mend it, and how to silence it: " + r.HelpURI
		}
		if r.Defaults.Level = severity(p); !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	slices.SortFunc(rules, func(a, b sarifRule) int { return strings.Compare(a.ID, b.ID) })
	return rules
}

// descriptionOf says what the problems of a kind are.
func descriptionOf(p diag.Problem) string {
	for _, c := range diag.Classes() {
		if c.Class == p.Class {
			return c.Text
		}
	}
	if sectionOf(p) == fileSection {
		return "A problem of the configuration as a whole."
	}
	return "A problem in the section " + sectionOf(p) + " of the configuration."
}

// sarifText is what a person reads: the key, what is wrong with it, and what to
// do.
func sarifText(p diag.Problem) string {
	text := p.Text
	if p.Key != "" {
		text = p.Key + ": " + text
	}
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	if p.Place.File != "" && !inFile(p) {
		text = p.Place.File + ": " + text
	}
	return text
}

// inFile reports whether a problem lies in a file: a setting of the environment
// or of the command line lies in none.
func inFile(p diag.Problem) bool {
	return p.Place.File != "" && !strings.HasPrefix(p.Place.File, "env ") && !strings.HasPrefix(p.Place.File, "--set ")
}

func newLocation(p diag.Problem, dir string) sarifLocation {
	var out sarifLocation
	if p.Key != "" {
		out.Logical = []sarifLogical{{p.Key}}
	}
	if !inFile(p) {
		return out
	}
	out.Physical = &sarifPhysical{}
	out.Physical.Artifact.URI = artifactURI(p.Place.File, dir)
	if p.Place.Line > 0 {
		out.Physical.Region = &sarifRegion{p.Place.Line, p.Place.Column}
	}
	return out
}

// artifactURI is the path of a file as a URI reference (RFC 3986): relative
// where the file lies in the folder, else with the scheme file.
func artifactURI(path, dir string) string {
	if filepath.IsAbs(path) {
		rest, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(rest) {
			return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
		}
		path = rest
	}
	return (&url.URL{Path: filepath.ToSlash(filepath.Clean(path))}).String()
}
