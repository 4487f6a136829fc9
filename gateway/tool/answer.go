package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// checkOut says why no value of a type can be answered with. Of an interface only the
// values tell.
func checkOut(out reflect.Type) error {
	for _, t := range []reflect.Type{out, base(out)} {
		switch t.Kind() {
		case reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
			return fmt.Errorf("the answer is of type %s, which has no form in JSON (return a text, a struct, a list, bytes, content or an Output)", out)
		}
	}
	if out.Implements(reflect.TypeFor[error]()) {
		return fmt.Errorf("the answer is of type %s, an error (return it as the error, and struct{} as the answer)", out)
	}
	return nil
}

// answer turns what a function returned into an answer.
func answer(value any) (Output, error) {
	switch v := value.(type) {
	case nil:
		return Output{}, nil
	case error:
		return Output{}, v
	case Output:
		return v, nil
	case Content:
		return Output{Content: []Content{v}}, nil
	case []Content:
		return Output{Content: v}, nil
	case string:
		return RenderText([]byte(v), OutputAuto)
	case json.RawMessage:
		return answerJSON(v, nil)
	case []byte:
		return RenderBytes(v, "", OutputAuto)
	}
	return answerOther(value)
}

// answerOther answers with a value of a type that is none of this package's.
func answerOther(value any) (Output, error) {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return Output{}, nil
		}
		switch p := value.(type) {
		case *Output:
			return *p, nil
		case *Content:
			return answer(*p)
		}
	case reflect.Struct:
		if v.NumField() == 0 && !implements[json.Marshaler](v.Type()) {
			return Output{}, nil
		}
	case reflect.Slice:
		if v.IsNil() && !implements[json.Marshaler](v.Type()) && !isBytes(v.Type()) {
			return answerJSON([]byte("[]"), nil) // no items, and a model is to read it so
		}
	case reflect.Map:
		if v.IsNil() && !implements[json.Marshaler](v.Type()) {
			return answerJSON([]byte("{}"), nil)
		}
	}
	return answerJSON(EncodeJSON(value))
}

// answerJSON answers with a JSON text: with what it says, where that is a text.
func answerJSON(data []byte, err error) (Output, error) {
	data = bytes.TrimSpace(data)
	switch {
	case err == nil && len(data) == 0:
		return Output{}, nil
	case err != nil || !json.Valid(data):
		return Output{}, Errorf(UpstreamError, "the tool's result has no JSON form").Because(err).
			WithHint("Nothing is wrong with the arguments; the tool itself is at fault.")
	case data[0] == '"':
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return Output{}, err
		}
		return RenderText([]byte(text), OutputAuto)
	case string(data) == "null":
		return Output{}, nil
	}
	return RenderJSON(data, OutputAuto)
}

// fits reports an answer that is larger than the tool's may be.
func fits(out *Output, spec *Spec) error {
	if spec == nil || spec.MaxOutput <= 0 {
		return nil
	}
	size := 0
	for i := range out.Content {
		c := &out.Content[i]
		size += len(c.Text) + len(c.Data) + len(c.MIMEType) + len(c.URI) + len(c.Name) + len(c.Title) + len(c.Description)
	}
	if size = max(size, len(out.Structured)); int64(size) > spec.MaxOutput {
		return Errorf(TooLarge, "the result has %d bytes, more than the %d this tool may answer", size, spec.MaxOutput).
			WithHint("Ask for less.")
	}
	return nil
}
