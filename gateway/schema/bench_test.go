package schema

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// order is a schema of ordinary size.
const order = `{"type":"object","properties":{
	"customer":{"type":"object","properties":{"id":{"type":"string","minLength":1},"email":{"type":"string","format":"email"}},"required":["id"]},
	"items":{"type":"array","minItems":1,"items":{"$ref":"#/$defs/item"}},
	"currency":{"enum":["EUR","USD","GBP"]},
	"note":{"anyOf":[{"type":"string","maxLength":200},{"type":"null"}],"default":null}},
	"required":["customer","items"],"additionalProperties":false,
	"$defs":{"item":{"type":"object","properties":{"sku":{"type":"string","pattern":"^[A-Z0-9-]+$"},"qty":{"type":"integer","minimum":1,"default":1},"price":{"type":"number","minimum":0}},"required":["sku"]}}}`

const (
	goodOrder = `{"customer":{"id":"7","email":"ann@example.org"},"items":[{"sku":"A-1","qty":2,"price":9.5},{"sku":"B-2","price":1}],"currency":"EUR"}`
	castOrder = `{"customer":{"id":7,"email":"ann@example.org"},"items":[{"sku":"A-1","qty":"2","price":"9.5"},{"sku":"B-2","price":1}],"currency":"EUR"}`
	badOrder  = `{"customer":{"email":"ann"},"items":[{"sku":"a","qty":0},{"price":-1}],"curency":"EUR"}`
)

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		mustCompile(b, order)
	}
}

func benchArgs(b *testing.B, s *Schema, raw string) map[string]any {
	b.Helper()
	args, err := s.Normalise(json.RawMessage(raw))
	if err != nil {
		b.Fatal(err)
	}
	return args
}

func BenchmarkNormalise(b *testing.B) {
	s := mustCompile(b, order)
	b.ReportAllocs()
	for b.Loop() {
		benchArgs(b, s, goodOrder)
	}
}

func BenchmarkDefaults(b *testing.B) {
	s := mustCompile(b, order)
	args := benchArgs(b, s, goodOrder)
	b.ReportAllocs()
	for b.Loop() {
		s.Defaults(args)
	}
}

func BenchmarkCast(b *testing.B) {
	s := mustCompile(b, order)
	for name, raw := range map[string]string{"valid": goodOrder, "repaired": castOrder} {
		b.Run(name, func(b *testing.B) {
			args := benchArgs(b, s, raw)
			b.ReportAllocs()
			for b.Loop() {
				s.Cast(args)
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	s := mustCompile(b, order)
	for name, raw := range map[string]string{"valid": goodOrder, "invalid": badOrder} {
		b.Run(name, func(b *testing.B) {
			args := benchArgs(b, s, raw)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Validate(args); (err == nil) != (raw == goodOrder) {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPath is what one call pays in all.
func BenchmarkPath(b *testing.B) {
	s := mustCompile(b, order)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Validate(s.Cast(s.Defaults(benchArgs(b, s, goodOrder)))); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLarge checks a list about as long as the limit allows.
func BenchmarkLarge(b *testing.B) {
	s := mustCompile(b, `{"properties":{"l":{"items":{"$ref":"#/$defs/n"}}},"$defs":{"n":{"type":"integer","minimum":0}}}`)
	numbers := make([]string, maxArgsValues-10)
	for i := range numbers {
		numbers[i] = strconv.Itoa(i)
	}
	raw := `{"l":[` + strings.Join(numbers, ",") + `]}`
	for b.Loop() {
		if err := s.Validate(s.Cast(benchArgs(b, s, raw))); err != nil {
			b.Fatal(err)
		}
	}
}
