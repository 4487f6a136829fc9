package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// baseline are the ratios to compare with.
type baseline []known

// known is one of them. From says where it comes from.
type known struct {
	Bench string  `json:"bench"`
	What  string  `json:"what"`
	Ratio float64 `json:"ratio"`
	From  string  `json:"from"`
}

// worse is a ratio that is worse than it was.
type worse struct {
	what, from string
	was, now   float64
}

// readBaseline reads a file; one that is not there is empty.
func readBaseline(path string) (baseline, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var b baseline
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// find finds what is known of a row; nil when nothing is.
func (b baseline) find(r *row.Row) *known {
	i := slices.IndexFunc(b, func(k known) bool { return k.Bench == r.Bench && k.What == r.What })
	if i < 0 {
		return nil
	}
	return &b[i]
}

// worse finds the rows whose ratio is worse than the known one by more than a part of it.
func (b baseline) worse(rows []row.Row, tolerance float64) []worse {
	var out []worse
	for i := range rows {
		r := &rows[i]
		k := b.find(r)
		if k == nil || r.Ratio == 0 || k.Ratio == 0 {
			continue
		}
		if (moreIsBetter(r.Unit) && r.Ratio*(1+tolerance) < k.Ratio) || (!moreIsBetter(r.Unit) && r.Ratio > k.Ratio*(1+tolerance)) {
			out = append(out, worse{r.What, k.From, k.Ratio, r.Ratio})
		}
	}
	return out
}

// moreIsBetter reports whether a figure of the unit is the better the higher it is: what is
// done in a second is, what something takes of time or memory is not.
func moreIsBetter(unit string) bool {
	what, _, _ := strings.Cut(unit, " ")
	return strings.HasSuffix(what, "/s")
}

// keep writes the ratios of a run over those that were known. What was not measured stays.
func (b baseline) keep(path string, results []result) error {
	for _, r := range results {
		from := "measured on " + r.began.Format(time.DateOnly)
		for i := range r.rows {
			own := &r.rows[i]
			if own.Ratio == 0 {
				continue
			}
			if k := b.find(own); k != nil {
				k.Ratio, k.From = own.Ratio, from
			} else {
				b = append(b, known{own.Bench, own.What, own.Ratio, from})
			}
		}
	}
	text, err := b.lines()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// lines are the JSON of the ratios, one in a line.
func (b baseline) lines() ([]byte, error) {
	out := []byte("[\n")
	for i, k := range b {
		k.Ratio = rounded(k.Ratio)
		line, err := json.Marshal(k)
		if err != nil {
			return nil, err
		}
		out = append(append(out, "  "...), line...)
		if i < len(b)-1 {
			out = append(out, ',')
		}
		out = append(out, '\n')
	}
	return append(out, "]\n"...), nil
}
