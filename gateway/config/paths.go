package config

import "strings"

// Dir is the folder of the first file, absolute where that can be told: where
// commands run, and what relative paths belong to that stand in no file.
func (c *Config) Dir() string { return absolute(c.dir, ".") }

// File is the path of the file of the store.
func (s Store) File() string { return strings.TrimPrefix(s.URL, StorePrefix) }

// Journal is the folder of the record of calls, beside the store's file.
func (s Store) Journal() string { return strings.TrimPrefix(s.URL, StorePrefix) + ".journal" }

// Results is the folder of results that were too large to show, beside the
// store's file.
func (s Store) Results() string { return strings.TrimPrefix(s.URL, StorePrefix) + ".results" }
