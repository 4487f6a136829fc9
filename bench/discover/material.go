package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolgate/toolgate/discovery"
)

// sets are the folders whose tools are real.
var sets = []string{"livemcp", "toolbench", "sealtools", "toollinkos", "acebench", "bfcl"}

// material are tools and queries: those in the folder, or made up ones.
func material(folder string, queries int) (docs []discovery.Document, asked []string, err error) {
	if folder == "" {
		return invented(queries)
	}
	for _, set := range sets {
		file := filepath.Join(folder, "discovery", set)
		if err := lines(filepath.Join(file, "tools.jsonl"), func(d discovery.Document) { docs = append(docs, d) }); err != nil {
			return nil, nil, err
		}
		if err := lines(filepath.Join(file, "queries.jsonl"), func(q struct{ Query string }) { asked = append(asked, q.Query) }); err != nil {
			return nil, nil, err
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
	return docs, asked[:min(queries, len(asked))], nil
}

func lines[T any](file string, take func(T)) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(raw) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		take(v)
	}
	return nil
}

// multiply gives n tools, the same ones again under other names where there are fewer.
func multiply(docs []discovery.Document, n int) []discovery.Document {
	out := make([]discovery.Document, n)
	for i := range out {
		out[i] = docs[i%len(docs)]
		out[i].Name = fmt.Sprintf("%s_%d", out[i].Name, i)
	}
	return out
}

// invented makes tools and queries of words that are as unevenly frequent as those of a
// language.
func invented(queries int) (docs []discovery.Document, asked []string, err error) {
	const words = 8000
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 8, words)
	text := func(n int, sep string) string {
		out := make([]string, n)
		for i := range out {
			k := zipf.Uint64()
			out[i] = string([]byte{'a' + byte(k%26), 'a' + byte(k/26%26), 'a' + byte(k/676%26), 'o'})
		}
		return strings.Join(out, sep)
	}
	for range 10000 {
		properties := map[string]any{}
		for range r.IntN(6) {
			properties[text(2, "_")] = map[string]string{"type": "string", "description": text(5+r.IntN(10), " ")}
		}
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
		if err != nil {
			return nil, nil, err
		}
		docs = append(docs, discovery.Document{
			Name: text(3, "_"), Description: text(10+r.IntN(40), " "), Tags: []string{text(1, "")}, Parameters: schema,
		})
	}
	for range queries {
		asked = append(asked, text(3+r.IntN(30), " "))
	}
	return docs, asked, nil
}
