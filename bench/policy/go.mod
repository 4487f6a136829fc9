module github.com/toolgate/toolgate/bench/policy

go 1.26.0

require (
	github.com/cedar-policy/cedar-go v1.9.2
	github.com/expr-lang/expr v1.17.8
	github.com/toolgate/toolgate v0.0.0
)

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	golang.org/x/exp v0.0.0-20220921023135-46d9e7742f1e // indirect
)

replace github.com/toolgate/toolgate => ../..
