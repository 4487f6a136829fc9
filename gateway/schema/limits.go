package schema

import "time"

// Limits on what is compiled. A schema may come from a document of somebody
// else's.
const (
	maxSchemaSize   = 1 << 20 // bytes
	maxSchemaDepth  = 100     // levels of nesting
	maxSchemaValues = 20_000  // JSON values in all
	maxPatternSize  = 16 << 10
)

// Limits on a schema that is made from a document of many operations, which is
// compiled only when one of them is called.
const (
	maxLaterSize   = 16 << 20 // bytes
	maxLaterDepth  = 256      // levels of nesting
	maxLaterValues = 1 << 20  // JSON values in all
)

// Limits on arguments. They come from a model.
const (
	maxArgsSize   = 4 << 20 // bytes
	maxArgsDepth  = 64      // levels of nesting
	maxArgsValues = 100_000 // JSON values in all
)

// Limits on one number, in a schema or in arguments. The validator counts with
// exact fractions, so that a short text such as 1e999999 would cost it
// milliseconds a keyword and a longer exponent would make it panic.
const (
	maxNumberDigits   = 1_000
	maxNumberExponent = 1_000
)

// maxIntegerDigits is the longest integer that may be written with a fraction
// or an exponent where an integer is asked for. It is written out for the tool,
// so that without a limit a few bytes would become a thousand.
const maxIntegerDigits = 100

// Limits on the work of one Validate, Cast or Defaults. A recursive union can
// cost exponentially much in the depth of the arguments, and a pattern that
// backtracks in the length of a text.
const (
	maxSteps       = 1_000_000 // subschemas met
	maxCheckTime   = 2 * time.Second
	stepsPerClock  = 128 // steps between two looks at the clock
	maxMatchTime   = 100 * time.Millisecond
	maxPatternTime = 500 * time.Millisecond // of all backtracking matches together
	maxWalkDepth   = 500                    // subschemas inside each other, references followed
	maxIdle        = 4                      // compiled copies kept for concurrent use
)

// Limits on what the validator keeps of what it found wrong, in one use. The
// sizes are about what it takes for one fault and for one step of its path.
const (
	maxFaults = 32 << 20 // bytes
	faultSize = 320
	stepSize  = 16
)

// Limits on the portable form of a schema. A reference that is replaced where it
// stands can make a schema exponentially larger.
const (
	maxPortable      = 2_000     // schemas in all
	maxPortableDepth = 20        // schemas inside each other
	maxPortableText  = 600       // bytes of a schema in a description
	maxCopied        = 256 << 10 // bytes of what references are replaced by
)

// Limits on messages.
const (
	maxProblems   = 20  // the rest is counted
	maxShown      = 60  // characters of one value or key
	maxPath       = 240 // bytes of one path
	maxMeant      = 100 // bytes of a word that "did you mean" is tried for
	maxListed     = 20  // allowed values or known names
	maxSuggested  = 3   // example names in a hint
	contextBefore = 10  // characters shown around a syntax error
	contextAfter  = 20
)
