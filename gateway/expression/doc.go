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
// A number is the decimal it is written as, in arguments and in an expression:
// 0.1, 0.10 and 1e-1 are equal, and a digit that no float64 could hold still
// counts, in comparisons, in lists and ranges, in min, max, sort and uniq, and
// in int, round, floor and ceil. A number of more than 1000 digits or of a
// size beyond 10^2000 is an error.
//
// Integers that fit 64 bits add, subtract and multiply to such integers, and a
// result that does not fit is an error, as is any arithmetic with a longer
// integer. Sums, differences and products of decimals are exact. Division that
// leaves a rest, powers of decimals, mean, median and float give a float64,
// and what is computed with a float64 is one. An operand of these must have no
// more digits than a float64 keeps, else it is an error: rounded, it could be on
// the other side of a limit. A float64 stands for the shortest decimal that reads
// back as it, which is what a tool gets: 1 / 10 == 0.1. No result is infinite.
//
// # Absent values
//
// Absent and null are the same, nil. A comparison with nil, "in", the string
// tests and "any" are false, "all" is true, "len" is 0, "!x" is true, and a
// path through nil is nil; "== nil" and "!= nil" ask. A function of one text
// or number gives nil for nil, a list function takes nil for an empty list.
// Arithmetic with nil is an error, as is every operand of the wrong kind.
package expression
