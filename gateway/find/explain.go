package find

import "github.com/toolgate/toolgate/discovery"

// explanation is how a score came about, as programs read it.
type explanation struct {
	Terms   []termScore `json:"terms"`
	Bonuses []bonus     `json:"bonuses,omitempty"`
}

type termScore struct {
	Term   string             `json:"term"`
	For    string             `json:"for,omitempty"`
	Why    string             `json:"why,omitempty"`
	IDF    float64            `json:"idf"`
	Fields map[string]float64 `json:"fields"`
	Score  float64            `json:"score"`
}

type bonus struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

func explained(x *discovery.Explanation) *explanation {
	if x == nil {
		return nil
	}
	out := &explanation{Terms: []termScore{}}
	for _, t := range x.Terms {
		out.Terms = append(out.Terms, termScore(t))
	}
	for _, b := range x.Bonuses {
		out.Bonuses = append(out.Bonuses, bonus(b))
	}
	return out
}
