// Package config reads a gateway's configuration, files and what lies above
// them, into one checked [Config] that remembers where everything stands.
//
// It goes through five steps, and every step reports all it finds:
//
//  1. parse: text to YAML nodes ([Load] refuses what is not UTF-8, is too
//     large or is not YAML, with a hint where an expression lacks quotes);
//  2. tree: nodes to a tree without aliases, merges, tags and duplicate keys;
//  3. layers: each file's tree goes on those of the files before it, then the
//     environment and --set; every node keeps its source, so that places are
//     right whatever layer a value is from;
//  4. check: the tree against the shape of the Config types, which reflection
//     reads from their koanf tags: unknown keys, wrong types, wrong words;
//  5. koanf: what passed becomes the Config, and rules that concern more than
//     one value (names, kinds, unique rules) are checked on it.
//
// Expressions, templates, JSON Schemas and globs are not read here: the
// packages that own a block do that with the cursors of [Config.At], which
// report to the same list.
package config
