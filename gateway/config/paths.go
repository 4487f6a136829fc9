package config

import "strings"

// Dir is the folder of the file, absolute where that can be told: what relative
// paths in the file belong to.
func (c *Config) Dir() string { return c.absolute(".") }

// Journal is the folder of the record of calls, beside the store's file.
func (s Store) Journal() string { return strings.TrimPrefix(s.URL, StorePrefix) + ".journal" }
