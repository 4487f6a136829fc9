package wasm

import (
	"maps"
	"slices"
)

// Imports names the functions and memories that the module needs of its host, as
// "module.name", sorted.
func (c *Compiled) Imports() []string {
	var names []string
	for _, f := range c.module.ImportedFunctions() {
		module, name, _ := f.Import()
		names = append(names, module+"."+name)
	}
	for _, m := range c.module.ImportedMemories() {
		module, name, _ := m.Import()
		names = append(names, module+"."+name)
	}
	slices.Sort(names)
	return names
}

// Exports names the functions and memories that the module offers, sorted.
func (c *Compiled) Exports() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.module.ExportedFunctions())), maps.Keys(c.module.ExportedMemories()))
	slices.Sort(names)
	return names
}
