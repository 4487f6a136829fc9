package discovery

import (
	"strings"
	"sync"
)

// stopWords say nothing about a tool: the little words of English, and those with which
// people ask for something.
var stopWords = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(littleWords + questionWords + requestWords) {
		out[w] = true
	}
	return out
})

// mute are the stop words that say nothing either where there are no other words: rare
// as they are in what is told of tools, I and am would lead to any that has them.
var mute = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(littleWords) {
		out[w] = true
	}
	return out
})

// Apostrophes are taken out before words are looked up here.
const littleWords = `
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
am is are was were be been being do does did doing done have has had having
will would shall should can could may might must ought
and or but nor if then else so because as until while although though unless whether
of at by for with about against between into through during before after above below
to from up down in out on off over under upon within without toward towards via per
again further once here there all any both each few more most other others some such
no not only own same than too very just also ever even still yet
s t d ll m re ve
im ive id ill youre youve youd youll hes shes theyre theyve weve were theres thats whats wheres hows whos lets
isnt arent wasnt werent dont doesnt didnt havent hasnt hadnt wont wouldnt shouldnt cant cannot couldnt mustnt
`

const questionWords = `
who whom whose what which when where why how
`

const requestWords = `
please kindly thanks thank hi hello hey dear
need needs needed want wants wanted wanna like liked would love wish hope
help helps helping assist able possible possibly
tell give gives giving let know known
looking trying going gonna wondering curious interested
tool tools using use used uses
something anything someone anyone everything thing things
lot bit kind sort way ways
also additionally furthermore moreover well really actually currently
could would should
`
