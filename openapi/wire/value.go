package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/openapi/spec"
)

// maxDigits is how long an integer may be that is written out where its text
// has an exponent. Longer ones stay as they are.
const maxDigits = 400

// value is what a style writes: a text, the items of a list, or the members of
// an object (OpenAPI's primitive, array and object).
type value struct {
	kind    kind
	text    string
	items   []string
	members []member
}

type member struct{ name, text string }

type kind uint8

const (
	absent kind = iota // also null and an empty list or object (RFC 6570 section 2.3)
	primitive
	list
	object
)

// valueOf takes an argument apart, an object in the order that is listed. Null items and members are left out, and what
// stands deeper than items and members do is JSON text.
func valueOf(arg any, listed []string) (value, error) {
	arg, err := plain(arg)
	if err != nil {
		return value{}, err
	}
	var v value
	switch arg := arg.(type) {
	case nil:
	case []any:
		for _, item := range arg {
			if item == nil {
				continue
			}
			text, err := textOf(item)
			if err != nil {
				return value{}, err
			}
			v.kind, v.items = list, append(v.items, text)
		}
	case map[string]any:
		for _, name := range inOrder(arg, listed) {
			if arg[name] == nil {
				continue
			}
			text, err := textOf(arg[name])
			if err != nil {
				return value{}, err
			}
			v.kind, v.members = object, append(v.members, member{name, text})
		}
	default:
		v.kind = primitive
		v.text, err = textOf(arg)
	}
	return v, err
}

// plain gives a value that is made of the types that arguments have. Anything
// else is taken the way it is written in JSON.
func plain(arg any) (any, error) {
	switch arg.(type) {
	case nil, bool, string, json.Number, float64, int, int64, []any, map[string]any:
		return arg, nil
	}
	data, err := marshal(arg)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out any
	if err := d.Decode(&out); err != nil {
		return nil, err
	}
	return out, nil
}

// textOf is the text of a value: a string as it is, a number in its digits, and
// an object or a list as JSON. Null has the text of JSON too, where it has to be
// sent at all.
func textOf(arg any) (string, error) {
	arg, err := plain(arg)
	if err != nil {
		return "", err
	}
	switch arg := arg.(type) {
	case string:
		return arg, nil
	case bool:
		return strconv.FormatBool(arg), nil
	case json.Number:
		return digits(arg.String()), nil
	case int:
		return strconv.Itoa(arg), nil
	case int64:
		return strconv.FormatInt(arg, 10), nil
	case float64:
		if arg == math.Trunc(arg) && !math.IsInf(arg, 0) {
			return strconv.FormatFloat(arg, 'f', -1, 64), nil
		}
	}
	data, err := marshal(arg)
	return string(data), err
}

// digits writes an integer without an exponent, which is nothing that people
// write or servers read in an address. Every other number is as it was written.
func digits(number string) string {
	mantissa, exponent, found := strings.Cut(strings.ToLower(number), "e")
	if !found {
		return number
	}
	shift, err := strconv.Atoi(exponent)
	sign, magnitude := "", mantissa
	if rest, negative := strings.CutPrefix(mantissa, "-"); negative {
		sign, magnitude = "-", rest
	}
	whole, fraction, _ := strings.Cut(magnitude, ".")
	fraction = strings.TrimRight(fraction, "0")
	if err != nil || shift > maxDigits || shift < -maxDigits || len(number) > maxDigits {
		return number
	}
	all, point := whole+fraction, len(whole)+shift
	if point >= len(all) {
		all += strings.Repeat("0", point-len(all))
	} else if strings.Trim(all[max(point, 0):], "0") != "" {
		return number
	}
	all = strings.TrimLeft(all[:max(point, 0)], "0")
	if all == "" {
		return "0"
	}
	return sign + all
}

// marshal writes JSON without spaces and without the escapes that are only for
// HTML, members sorted and every digit kept.
func marshal(arg any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(arg); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// content writes a value in a media type (Parameter Object, content): JSON where
// it is one of JSON, and otherwise a string as it is. A null is absent, and so is
// no list and no object: their text can tell them.
func content(media string, arg any) (text string, present bool, err error) {
	if arg == nil {
		return "", false, nil
	}
	if spec.Essence(media) == spec.MediaForm {
		if members, ok := arg.(map[string]any); ok {
			data, err := formOf(propertiesOf(members), nil, nil)
			return string(data), true, err
		}
	}
	if spec.IsJSON(media) {
		data, err := marshal(arg)
		return string(data), true, err
	}
	text, err = textOf(arg)
	return text, true, err
}
