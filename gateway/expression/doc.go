// Package expression compiles and runs the expressions and templates of a
// configuration. It is the only import of expr-lang: it declares what an
// expression may see, gives numbers their exact values, says what absent
// values mean, and words every mistake with its place.
//
// # How an expression is run
//
// expr-lang parses the source. What it parsed is checked here against the
// declared variables and rewritten so that every operator, path and function
// is one of this package; expr-lang's virtual machine runs the result. Values
// stay as they were decoded from JSON, numbers as [json.Number], until an
// operator needs one, so that what only passes through keeps every digit.
//
// # Numbers
//
// An integer that fits 64 bits is exact, a larger one is exact in comparisons
// and an error in arithmetic, any other number is a float64. Comparisons
// between all three are exact. An arithmetic result that overflows or is not
// finite is an error.
//
// # Absent values
//
// Absent and null are the same, nil. A comparison with nil, "in", the string
// tests and "any" are false, "all" is true, "len" is 0, "!x" is true, and a
// path through nil is nil; "== nil" and "!= nil" ask. A function of one text
// or number gives nil for nil, a list function takes nil for an empty list.
// Arithmetic with nil is an error, as is every operand of the wrong kind.
package expression
