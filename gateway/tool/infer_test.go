package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"math/big"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

// parametersOf are those of a tool that takes a struct.
func parametersOf[In any]() (json.RawMessage, error) {
	t := tool.Func("t", "T.", func(context.Context, In) (string, error) { return "", nil })
	return t.Spec.Parameters, t.Err
}

type (
	address struct {
		Street string `json:"street" jsonschema:"street and <number>, as on a letter & no more"`
		Zip    string `json:"zip,omitempty" pattern:"^[0-9]{5}$" example:"10115"`
	}
	tree struct {
		Label    string  `json:"label"`
		Children []*tree `json:"children,omitempty"`
	}
	chain struct {
		Next *link `json:"next,omitempty"`
	}
	link struct {
		Value int   `json:"value"`
		Next  *link `json:"next,omitempty"`
	}
	page struct {
		Limit  int `json:"limit,omitempty" default:"20" minimum:"1" maximum:"100"`
		Offset int `json:"offset,omitempty" minimum:"0"`
	}
	Named struct {
		Name string `json:"name"`
	}
	box[T any] struct {
		Value T       `json:"value"`
		Next  *box[T] `json:"next"`
	}
	nested []nested
	lookup map[string]lookup
	level  string // a text with a name
	colour struct{ name string }
	either struct{ raw string }
	panics struct{}
)

func (c *colour) UnmarshalText(text []byte) error { c.name = string(text); return nil }
func (p *panics) UnmarshalText([]byte) error      { panic("boo") }
func (e *either) UnmarshalJSON(data []byte) error { e.raw = string(data); return nil }

// schemas are Go types and the golden files with what models are shown of them.
var schemas = []struct {
	name  string
	infer func() (json.RawMessage, error)
}{
	{"nothing", parametersOf[struct{}]},
	{"pointer", parametersOf[*page]},
	{"plain", parametersOf[struct {
		Text     string
		Yes      bool
		Int      int
		Int8     int8
		Int16    int16
		Int32    int32
		Int64    int64
		Uint     uint
		Uint8    uint8
		Uint16   uint16
		Uint32   uint32
		Uint64   uint64
		Float32  float32
		Float64  float64
		Level    level
		Any      any
		hidden   int
		LeftOut  int `json:"-"`
		Renamed  int `json:"re named"`
		Optional int `json:",omitempty"`
		Zero     int `json:"zero,omitzero"`
		Pointer  *int
		Twice    **string
	}]},
	{"containers", parametersOf[struct {
		Texts    []string            `json:"texts"`
		Pair     [2]float64          `json:"pair"`
		Bytes    []byte              `json:"bytes"`
		Matrix   [][]int             `json:"matrix"`
		Counts   map[string]int      `json:"counts"`
		ByID     map[int64]address   `json:"by_id"`
		ByNumber map[uint8]string    `json:"by_number"`
		ByAddr   map[netip.Addr]bool `json:"by_addr"`
		Deep     map[string][]address
		Ptrs     []*address
	}]},
	{"known", parametersOf[struct {
		At       time.Time       `json:"at" jsonschema:"when it starts"`
		Until    *time.Time      `json:"until"`
		For      time.Duration   `json:"for"`
		Raw      json.RawMessage `json:"raw"`
		Number   json.Number     `json:"number"`
		Big      *big.Int        `json:"big"`
		Addr     netip.Addr      `json:"addr" format:"ipv4"`
		Colour   colour          `json:"colour" example:"red"`
		Colours  []*colour       `json:"colours"`
		Either   either          `json:"either" jsonschema:"a number or a text"`
		Anything map[string]any  `json:"anything"`
	}]},
	{"nested", parametersOf[struct {
		Home address  `json:"home" jsonschema:"where the parcel goes"`
		Work *address `json:"work" jsonschema:"where else"`
	}]},
	{"embedded", parametersOf[struct {
		address
		*Named
		page `json:"page"`
		Zip  int `json:"zip"` // hides that of the address
		Last bool
	}]},
	{"exported pointer", parametersOf[struct {
		*Named `json:"named"`
		Own    int
	}]},
	{"tags", parametersOf[struct {
		Status  string         `json:"status" enum:"open, closed" default:"open"`
		Level   level          `json:"level" enum:"low,high"`
		Stars   int            `json:"stars" enum:"1,2,3"`
		Half    *float64       `json:"half" enum:"0.5,1" default:"0.5"`
		Share   float64        `json:"share" minimum:"0" maximum:"0.95" example:"0.2"`
		Small   int8           `json:"small" minimum:"-3" maximum:"9"`
		Code    string         `json:"code" minLength:"2" maxLength:"8" pattern:"^[A-Z]+$" format:"upper"`
		Labels  []string       `json:"labels" enum:"a,b" minItems:"1" maxItems:"2" default:"[\"a\"]"`
		Scores  map[string]int `json:"scores" minimum:"0" example:"{\"a\": 1}"`
		Grid    [][]*int       `json:"grid" maximum:"9"`
		Ids     []string       `json:"ids" format:"uuid" minLength:"36"`
		Sure    bool           `json:"sure" default:"false"`
		At      time.Time      `json:"at" default:"2026-01-02T03:04:05Z"`
		Big     int64          `json:"big" default:"9007199254740993"`
		Address address        `json:"address" default:"{\"street\": \"A 1\"}"`
		Digits  string         `json:"digits" default:"5" enum:"5,6" jsonschema:"either of two"`
		Any     any            `json:"any" default:"x y"`
		Empty   string         `json:"empty" default:""`
	}]},
	{"recursive", parametersOf[tree]},
	{"recursive inside", parametersOf[struct {
		First  chain           `json:"first"`
		Second map[string]link `json:"second" jsonschema:"more of them"`
		Third  *link           `json:"third"`
		Fourth nested          `json:"fourth"`
		Fifth  lookup          `json:"fifth"`
		Sixth  box[int8]       `json:"sixth" jsonschema:"a \\ and a \\u003c, as they are"`
		Last   box[link]       `json:"last"`
	}]},
	{"recursive of one name", func() (json.RawMessage, error) {
		type other struct{ A *link }
		type link struct{ B *link }
		return parametersOf[struct {
			First  other
			Second link
		}]()
	}},
}

// TestSchemas compares what is inferred with the golden files. Each is one that the
// gateway takes, that finds no fault with its defaults, and that providers can be shown.
func TestSchemas(t *testing.T) {
	for _, test := range schemas {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.infer()
			if err != nil {
				t.Fatal(err)
			}
			s, err := schema.Compile(got)
			if err != nil {
				t.Fatal(err)
			}
			if m := s.DefaultMistake(); m != nil {
				t.Error(m)
			}
			if _, err := schema.Portable(got); err != nil {
				t.Error(err)
			}
			golden(t, test.name, got)
		})
	}
}

func golden(t *testing.T, name string, got json.RawMessage) {
	t.Helper()
	var text bytes.Buffer
	if err := json.Indent(&text, got, "", "  "); err != nil {
		t.Fatal(err)
	}
	text.WriteByte('\n')
	file := filepath.Join("testdata", "schemas", name+".json")
	if *update {
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

type (
	stringer interface{ String() string }
	self     *self
	either1  struct{ A int }
	either2  struct{ A int }
)

// TestMistakesOfTypes has all that can be wrong with a type, and what is said.
func TestMistakesOfTypes(t *testing.T) {
	tests := []struct {
		name  string
		infer func() (json.RawMessage, error)
		want  string
	}{
		{"no struct", parametersOf[int], "the arguments are of type int, and have to be a struct with a field for each (struct{} for none)"},
		{"a map", parametersOf[map[string]any], "the arguments are of type map[string]interface {}, and have to be a struct with a field for each (struct{} for none)"},
		{"one that decodes itself", parametersOf[time.Time], "the arguments are of type time.Time, and have to be a struct with a field for each (struct{} for none)"},
		{"pointer to pointer", parametersOf[**page], "the arguments are of type **tool_test.page, and have to be a struct with a field for each (struct{} for none)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { said(t, test.infer, test.want) })
	}
}

// TestFields: the properties are what encoding/json has for fields, however they are
// embedded, named and hidden.
func TestFields(t *testing.T) {
	type (
		Deepest struct {
			A, B, C int
			D       int `json:"d"`
		}
		Deep struct {
			Deepest
			B int
		}
		Wide struct {
			C int `json:"C"`
			E int `json:"-"`
		}
		Texts []string
	)
	tests := []struct {
		value any
		infer func() (json.RawMessage, error)
	}{
		{Deep{}, parametersOf[Deep]},
		{struct {
			Deep
			C string
		}{}, parametersOf[struct {
			Deep
			C string
		}]},
		{struct {
			*Deep
			*Wide `json:"wide"`
			Texts
		}{Deep: &Deep{}}, parametersOf[struct {
			*Deep
			*Wide `json:"wide"`
			Texts
		}]},
		{struct {
			Deepest
			Wide
		}{}, parametersOf[struct {
			Deepest
			Wide
		}]},
	}
	for _, test := range tests {
		data, err := json.Marshal(test.value)
		if err != nil {
			t.Fatal(err)
		}
		parameters, err := test.infer()
		if err != nil {
			t.Fatal(err)
		}
		var s struct{ Properties map[string]any }
		if err := json.Unmarshal(parameters, &s); err != nil {
			t.Fatal(err)
		}
		want := slices.Sorted(maps.Keys(decoded(t, string(data))))
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(s.Properties))); diff != "" {
			t.Errorf("%T: (-want +got)\n%s", test.value, diff)
		}
	}
}

// said compares what is wrong with a type with what is to be said of it.
func said(t *testing.T, infer func() (json.RawMessage, error), want string) {
	t.Helper()
	_, err := infer()
	if err == nil {
		t.Fatal("nothing is wrong with it")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestMistakesOfFields has what is wrong with the field F of a struct, and what is said
// behind its place.
func TestMistakesOfFields(t *testing.T) {
	const at = "tool_test.in.F"
	tests := []struct {
		name  string
		infer func() (json.RawMessage, error)
		want  string
	}{
		{"function", func() (json.RawMessage, error) {
			type in struct{ F func() }
			return parametersOf[in]()
		}, at + ": the type func() has no form in JSON (leave the field out with the tag `json:\"-\"`)"},
		{"channel inside", func() (json.RawMessage, error) {
			type in struct{ F []map[string]chan int }
			return parametersOf[in]()
		}, at + "[][]: the type chan int has no form in JSON (leave the field out with the tag `json:\"-\"`)"},
		{"interface", func() (json.RawMessage, error) {
			type in struct{ F stringer }
			return parametersOf[in]()
		}, at + ": nothing can be decoded into the interface tool_test.stringer (use a type that it is implemented by, or any)"},
		{"pointer to itself", func() (json.RawMessage, error) {
			type in struct{ F self }
			return parametersOf[in]()
		}, at + ": the type tool_test.self is a pointer with a name (use the type that it points to)"},
		{"keys", func() (json.RawMessage, error) {
			type in struct{ F map[float64]int }
			return parametersOf[in]()
		}, at + ": a map with keys of type float64 has no form in JSON (use strings or integers)"},
		{"string option", func() (json.RawMessage, error) {
			type in struct {
				F int `json:",string"`
			}
			return parametersOf[in]()
		}, "tool_test.in: the option string of the json tag of F is not supported (leave it out: numbers keep every digit)"},
		{"odd name", func() (json.RawMessage, error) {
			type in struct {
				F int `json:"a€"`
			}
			return parametersOf[in]()
		}, `tool_test.in: encoding/json does not take "a€", the name in the json tag of F (use letters, digits and underscores)`},
		{"a type that panics", func() (json.RawMessage, error) {
			type in struct {
				F panics `default:"x"`
			}
			return parametersOf[in]()
		}, "the tags of tool_test.in cannot be read: one of its types panics when it decodes a value: boo"},
		{"same name embedded", func() (json.RawMessage, error) {
			type in struct {
				either1
				either2
			}
			return parametersOf[in]()
		}, `tool_test.in: the fields either1.A and either2.A are both "A" in JSON, and so neither is (rename one with a json tag)`},
		{"unexported pointer", func() (json.RawMessage, error) {
			type in struct{ *page }
			return parametersOf[in]()
		}, "tool_test.in: the embedded pointer page cannot be set, since its type is not exported (embed the struct itself)"},
		{"enum of another type", func() (json.RawMessage, error) {
			type in struct {
				F int `enum:"1,two"`
			}
			return parametersOf[in]()
		}, at + `: tag enum:"1,two": two is not a value of type int (write texts as they are, all else as JSON)`},
		{"enum twice", func() (json.RawMessage, error) {
			type in struct {
				F string `enum:"a,b,a"`
			}
			return parametersOf[in]()
		}, at + `: tag enum:"a,b,a": "a" stands in it twice`},
		{"default of another type", func() (json.RawMessage, error) {
			type in struct {
				F []string `default:"a"`
			}
			return parametersOf[in]()
		}, at + `: tag default:"a": a is not a value of type []string (write texts as they are, all else as JSON)`},
		{"default too large", func() (json.RawMessage, error) {
			type in struct {
				F int8 `default:"300"`
			}
			return parametersOf[in]()
		}, at + `: tag default:"300": 300 is not a value of type int8 (write texts as they are, all else as JSON)`},
		{"default of a struct", func() (json.RawMessage, error) {
			type in struct {
				F address `default:"{\"road\": 1}"`
			}
			return parametersOf[in]()
		}, at + `: tag default:"{\"road\": 1}": {"road": 1} is not a value of type tool_test.address (write texts as they are, all else as JSON)`},
		{"default null", func() (json.RawMessage, error) {
			type in struct {
				F *int `default:"null"`
			}
			return parametersOf[in]()
		}, at + `: tag default:"null": null is not a value of type *int (write texts as they are, all else as JSON)`},
		{"default that is refused", func() (json.RawMessage, error) {
			type in struct {
				F int `default:"5" maximum:"4"`
			}
			return parametersOf[in]()
		}, at + `: tag default:"5": the other tags refuse it (change it, or them)`},
		{"example that is refused", func() (json.RawMessage, error) {
			type in struct {
				F []string `example:"[\"c\"]" enum:"a,b"`
			}
			return parametersOf[in]()
		}, at + `: tag example:"[\"c\"]": the other tags refuse it (change it, or them)`},
		{"minimum of a text", func() (json.RawMessage, error) {
			type in struct {
				F string `minimum:"1"`
			}
			return parametersOf[in]()
		}, at + `: tag minimum:"1": it is for numbers, and this is of type string`},
		{"minimum below the type", func() (json.RawMessage, error) {
			type in struct {
				F uint `minimum:"-1"`
			}
			return parametersOf[in]()
		}, at + `: tag minimum:"-1": -1 is not a value of type uint (write texts as they are, all else as JSON)`},
		{"fraction", func() (json.RawMessage, error) {
			type in struct {
				F int `minimum:"1.5"`
			}
			return parametersOf[in]()
		}, at + `: tag minimum:"1.5": 1.5 is not a value of type int (write texts as they are, all else as JSON)`},
		{"long bound", func() (json.RawMessage, error) {
			type in struct {
				F int64 `minimum:"9007199254740993"`
			}
			return parametersOf[in]()
		}, at + `: tag minimum:"9007199254740993": it has more digits than a bound can have (take one of at most 15)`},
		{"bounds crossed", func() (json.RawMessage, error) {
			type in struct {
				F int `minimum:"2" maximum:"1"`
			}
			return parametersOf[in]()
		}, at + `: tag maximum:"1": the minimum is more than the maximum, and so nothing fits`},
		{"lengths crossed", func() (json.RawMessage, error) {
			type in struct {
				F string `minLength:"2" maxLength:"1"`
			}
			return parametersOf[in]()
		}, at + `: tag maxLength:"1": the least is more than the most, and so nothing fits`},
		{"length of a number", func() (json.RawMessage, error) {
			type in struct {
				F int `minLength:"2"`
			}
			return parametersOf[in]()
		}, at + `: tag minLength:"2": it is for values that are a JSON string, and this is of type int`},
		{"items of a text", func() (json.RawMessage, error) {
			type in struct {
				F string `minItems:"2"`
			}
			return parametersOf[in]()
		}, at + `: tag minItems:"2": it is for values that are a JSON array, and this is of type string`},
		{"no count", func() (json.RawMessage, error) {
			type in struct {
				F []string `minItems:"some"`
			}
			return parametersOf[in]()
		}, at + `: tag minItems:"some": it is not a whole number from 0`},
		{"bad pattern", func() (json.RawMessage, error) {
			type in struct {
				F string `pattern:"(a"`
			}
			return parametersOf[in]()
		}, at + `: tag pattern:"(a": it is not a regular expression of Go's: error parsing regexp: missing closing ): ` + "`(a`"},
		{"pattern of a number", func() (json.RawMessage, error) {
			type in struct {
				F int `pattern:"a"`
			}
			return parametersOf[in]()
		}, at + `: tag pattern:"a": it is for texts, and this is of type int`},
		{"format of a number", func() (json.RawMessage, error) {
			type in struct {
				F int `format:"uri"`
			}
			return parametersOf[in]()
		}, at + `: tag format:"uri": it is for texts, and this is of type int`},
		{"no format", func() (json.RawMessage, error) {
			type in struct {
				F string `format:""`
			}
			return parametersOf[in]()
		}, at + `: tag format:"": it is empty (write one of JSON Schema's, such as email or uri)`},
		{"example", func() (json.RawMessage, error) {
			type in struct {
				F bool `example:"maybe"`
			}
			return parametersOf[in]()
		}, at + `: tag example:"maybe": maybe is not a value of type bool (write texts as they are, all else as JSON)`},
		{"no description", func() (json.RawMessage, error) {
			type in struct {
				F bool `jsonschema:""`
			}
			return parametersOf[in]()
		}, at + `: tag jsonschema:"": it is the description, and empty (say what the argument is)`},
		{"description of another package", func() (json.RawMessage, error) {
			type in struct {
				F bool `jsonschema:"title=Yes,required"`
			}
			return parametersOf[in]()
		}, at + `: tag jsonschema:"title=Yes,required": it is the description and nothing else (for the rest there are tags such as enum:"a,b" and minimum:"1")`},
		{"all at once", func() (json.RawMessage, error) {
			type in struct {
				F func()
				G int `minimum:"x"`
			}
			return parametersOf[in]()
		}, at + ": the type func() has no form in JSON (leave the field out with the tag `json:\"-\"`)\n" +
			`tool_test.in.G: tag minimum:"x": x is not a value of type int (write texts as they are, all else as JSON)`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { said(t, test.infer, test.want) })
	}
}
