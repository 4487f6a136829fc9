package config

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"github.com/toolgate/toolgate/gateway/tool"
)

// decode puts the checked values into the Config, whose fields hold the
// defaults. The values fit, so an error is a fault of this package. The tools go
// past koanf, which copies and flattens what it is given, and past its decoder: of
// all there is in a file they are nearly all, and they are one layer by now.
func decode(values map[string]any, into *Config) error {
	tools, ok := values["tools"]
	delete(values, "tools")
	k := koanf.New(pathSeparator)
	// No separator for the provider: the values are nested already.
	if err := k.Load(confmap.Provider(values, ""), nil); err != nil {
		return err
	}
	if err := k.UnmarshalWithConf("", into, koanf.UnmarshalConf{DecoderConfig: decoder(into)}); err != nil || !ok {
		return err
	}
	return newFiller().fill(reflect.ValueOf(&into.Tools).Elem(), tools)
}

// decoder says how values become fields: by their names as they are written, and
// every one of them.
func decoder(into any) *mapstructure.DecoderConfig {
	return &mapstructure.DecoderConfig{
		Result:      into,
		TagName:     tagName,
		DecodeHook:  mapstructure.DecodeHookFuncValue(decodeText),
		ErrorUnused: true,
		MatchName:   func(key, field string) bool { return key == field },
	}
}

// decodeText sets what a file writes as text and Go does not keep as one. It
// then returns nil, which tells the decoder that nothing is left to do: left to
// itself it would take parameters over byte by byte.
func decodeText(from, to reflect.Value) (any, error) {
	s, ok := from.Interface().(string)
	if !ok {
		return from.Interface(), nil
	}
	if done, err := setText(to, s); done || err != nil {
		return nil, err
	}
	return s, nil
}

// setText sets what a file writes as text and Go does not keep as one; done is
// false for everything else.
func setText(to reflect.Value, s string) (done bool, err error) {
	switch into := to.Addr().Interface().(type) {
	case *time.Duration:
		*into, err = anyDuration(s) // what may not be 0 was refused before
	case *tool.Size:
		*into, err = tool.ParseSize(s)
	case *netip.Prefix:
		*into, err = parsePrefix(s)
	case *json.RawMessage:
		*into = json.RawMessage(s)
	default:
		return false, nil
	}
	return true, err
}
