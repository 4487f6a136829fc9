package discovery

// fieldCount is how many fields a document has; they are named and weighted in order.
const fieldCount = 6

// The fields of a document.
const (
	inName = iota
	inDescription
	inHint
	inTags
	inParameters
	inParameterTexts
)

// fieldNames are those in the index and in an [Explanation].
func fieldNames() [fieldCount]string {
	return [fieldCount]string{"name", "description", "hint", "tags", "parameters", "parameter_texts"}
}

// levers are the numbers of the ranking, each measured: see the test of ablation, which
// turns off one at a time. Those called no… are on in the zero value.
type levers struct {
	weight [fieldCount]float64 // what a word counts by field
	length [fieldCount]float64 // BM25's b: how much longer fields count less
	k1     float64             // BM25's: how soon repetition counts no more

	coverage float64 // for the share of a name that was asked for
	pairs    float64 // for words that stand beside each other in both
	hinted   float64 // for the share of a phrase of the hint that was asked for
	harm     float64 // share of a score that a tool loses that takes something away, unasked
	clause   float64 // share of the best clause of a query in the score
	synonym  float64 // weight of a word of the same meaning
	same     float64 // weight of a word written in another way
	halves   float64 // what the parts of a word count together at most, as a share of it
	verb     float64 // weight of a verb that another means before a thing
	joined   float64 // weight of two words written as one
	similar  float64 // weight of a word that looks like one that no tool has
	likeness float64 // least likeness of such a word, in (0, 1]
	surely   float64 // weight of a word that looks so much like it that it is mistyped
	whole    int     // most humps of an identifier that is a word as a whole too
	depth    int     // of schemas in each other that are read

	noStops, noStem, noSplit, noMistakes, noApart, noMethod, noAround, noKin bool
}

func defaults() *levers {
	return &levers{
		// No set has hints, so theirs is not measured: a word of one counts less than one
		// of the name, since what counts most is that a phrase of it was asked for.
		weight: [fieldCount]float64{2, 2, 1.5, 2.5, 1.5, 1.4},
		length: [fieldCount]float64{.75, .75, .75, .75, 0, .6},
		k1:     1.8,

		coverage: .5, pairs: .1, hinted: 1.5, harm: .1, clause: .3, synonym: .35, same: .9, halves: .5, verb: .7, joined: 1, similar: .5, likeness: .5, surely: .8,
		whole: 3, depth: 4,
	}
}
