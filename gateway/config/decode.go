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
// defaults. The values fit, so an error is a fault of this package.
func decode(values map[string]any, into *Config) error {
	k := koanf.New(pathSeparator)
	// No separator for the provider: the values are nested already.
	if err := k.Load(confmap.Provider(values, ""), nil); err != nil {
		return err
	}
	return k.UnmarshalWithConf("", into, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		TagName:     tagName,
		DecodeHook:  mapstructure.DecodeHookFuncType(decodeText),
		ErrorUnused: true,
		MatchName:   func(key, field string) bool { return key == field },
	}})
}

// decodeText turns a text into the types that a file writes as text.
func decodeText(from, to reflect.Type, data any) (any, error) {
	s, ok := data.(string)
	if !ok || from.Kind() != reflect.String {
		return data, nil
	}
	switch to {
	case reflect.TypeFor[time.Duration]():
		return parseDuration(s)
	case reflect.TypeFor[tool.Size]():
		return tool.ParseSize(s)
	case reflect.TypeFor[netip.Prefix]():
		return parsePrefix(s)
	case reflect.TypeFor[json.RawMessage]():
		return json.RawMessage(s), nil
	}
	return data, nil
}
