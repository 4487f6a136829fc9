package schema

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestPortableLimits: references that multiply, and schemas inside schemas, end.
func TestPortableLimits(t *testing.T) {
	t.Parallel()
	var defs []string
	for i := range 30 {
		next := `{"$ref":"#/$defs/d` + strings.Repeat("x", i+1) + `"}`
		defs = append(defs, `"d`+strings.Repeat("x", i)+`":{"type":"object","properties":{"a":`+next+`,"b":`+next+`}}`)
	}
	defs = append(defs, `"d`+strings.Repeat("x", 30)+`":{"type":"string"}`)
	for name, raw := range map[string]string{
		"multiplied": `{"type":"object","properties":{"r":{"$ref":"#/$defs/d"}},"$defs":{` + strings.Join(defs, ",") + `}}`,
		"deep":       `{"type":"object","properties":{"a":` + strings.Repeat(`{"items":`, 90) + `{"const":1}` + strings.Repeat(`}`, 90) + `}}`,
	} {
		out, err := Portable(json.RawMessage(raw))
		if err != nil {
			t.Fatal(err)
		}
		holdsPortable(t, json.RawMessage(raw), out)
		if len(out) > 200_000 {
			t.Errorf("%s: %d bytes", name, len(out))
		}
	}
}

// TestPortableMuch: a schema at the limits of what compiles takes a moment, and
// what becomes of it is not many times its size.
func TestPortableMuch(t *testing.T) {
	t.Parallel()
	const each, patience = 900, 10 * time.Second
	much := func(format string) string {
		var parts []string
		for i := range each {
			parts = append(parts, strings.ReplaceAll(strings.ReplaceAll(format, "N", strconv.Itoa(i)), "LONG", strings.Repeat("x", 400)))
		}
		return strings.Join(parts, ",")
	}
	for name, raw := range map[string]string{
		"by pointer":   `{"properties":{` + much(`"pN":{"$ref":"#/$defs/dN"}`) + `},"$defs":{` + much(`"dN":{"description":"LONG"}`) + `}}`,
		"by position":  `{"properties":{` + much(`"pN":{"$ref":"#/$defs/d/anyOf/N"}`) + `},"$defs":{"d":{"anyOf":[` + much(`{"description":"LONG"}`) + `]}}}`,
		"by name":      `{"properties":{` + much(`"pN":{"$ref":"#dN"}`) + `},"$defs":{` + much(`"dN":{"$anchor":"dN","description":"LONG"}`) + `}}`,
		"one large":    `{"properties":{` + much(`"pN":{"$ref":"#/$defs/d"}`) + `},"$defs":{"d":{"description":"` + strings.Repeat("LONG", 100_000) + `"}}}`,
		"itself":       `{"description":"` + strings.Repeat("LONG", 100_000) + `","properties":{` + much(`"pN":{"$ref":"#"}`) + `}}`,
		"alternatives": `{"anyOf":[` + much(`{"properties":{"aN":{},"bN":{},"cN":{},"dN":{},"eN":{}}}`) + `]}`,
	} {
		if _, err := Compile(json.RawMessage(raw)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		began := time.Now()
		out, err := Portable(json.RawMessage(raw))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if took := time.Since(began); took > patience || len(out) > len(raw)+2*maxCopied {
			t.Errorf("%s: %d bytes became %d in %v", name, len(raw), len(out), took)
		}
		holdsPortable(t, json.RawMessage(raw), out)
	}
}
