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
	clause   float64 // share of the best clause of a query in the score
	synonym  float64 // weight of a word of the same meaning
	joined   float64 // weight of two words written as one
	similar  float64 // weight of a word that looks like one that no tool has
	likeness float64 // least likeness of such a word, in (0, 1]
	surely   float64 // weight of a word that looks so much like it that it is mistyped
	whole    int     // most humps of an identifier that is a word as a whole too
	depth    int     // of schemas in each other that are read

	noStops, noStem, noSplit, noMistakes, noApart, noMethod, noAround bool
}

func defaults() *levers {
	return &levers{
		// No set has hints, so theirs is not measured: who writes one for a tool means
		// it to be found by that, as by its tags.
		weight: [fieldCount]float64{2, 2, 2.5, 2.5, 1.5, 1.4},
		length: [fieldCount]float64{.75, .75, .75, .75, 0, .6},
		k1:     1.8,

		coverage: .5, pairs: .1, clause: .3, synonym: .35, joined: 1, similar: .5, likeness: .5, surely: .8,
		whole: 3, depth: 4,
	}
}
