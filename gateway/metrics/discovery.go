package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/toolgate/toolgate/gateway/tool"
)

// searchTool is the gateway's own tool that models find others with.
const searchTool = "discover_tools"

// The outcomes of searches for tools.
const (
	searchFound   = "found"   // tools that fit
	searchExact   = "exact"   // the tool of which the query is the name
	searchNothing = "nothing" // no tool
	searchRefused = "refused" // the search was refused, or failed
)

// searches counts searches for tools.
type searches struct {
	ended  *prometheus.CounterVec
	spared prometheus.Counter
}

func newSearches() searches {
	s := searches{
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "discovery_searches_total",
			Help: "Searches for tools that have ended, by outcome (found, exact, nothing, refused).",
		}, []string{"outcome"}),
		spared: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "discovery_spared_schema_tokens_total",
			Help: "About how many tokens of schemas of deferred tools were not sent, of each search those of all that its caller may call less those that it was answered with.",
		}),
	}
	for _, outcome := range []string{searchFound, searchExact, searchNothing, searchRefused} {
		s.ended.WithLabelValues(outcome)
	}
	return s
}

// count counts a call that has ended, if it is a search.
func (s *searches) count(n *tool.Notice) {
	if !n.Known || n.Call.Tool != searchTool {
		return
	}
	done, outcome := n.Result.Output.Search, searchFound
	switch {
	case n.Result.Error != nil:
		outcome = searchRefused
	case n.Result.Status == tool.StatusNoop:
		outcome = searchNothing
	case done != nil && done.Exact:
		outcome = searchExact
	}
	s.ended.WithLabelValues(outcome).Inc()
	if done != nil { // there is none of a search that failed
		s.spared.Add(float64(max(done.Spared, 0))) // a counter that is given less than nothing panics
	}
}
