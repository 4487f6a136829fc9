// Command parse reads a YAML file and has the library parse it into nodes: the
// least that a program can do which reads such a configuration. bench/start runs
// it beside the gateway.
package main

import (
	"log"
	"os"

	"go.yaml.in/yaml/v4"
)

func main() {
	log.SetFlags(0)
	data, err := os.ReadFile(os.Args[len(os.Args)-1])
	if err != nil {
		log.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		log.Fatal(err)
	}
}
