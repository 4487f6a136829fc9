package discovery

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// past is what the notes of a scope are together.
type past struct {
	count  int       // of notes
	length float64   // mean number of different words of its tools
	usual  []float64 // by term of the index: the share of the notes whose tool has it
	having []int     // by word of notes: how many have it
	weight evidence
}

// maxPasts is for how many scopes hints keep what they have learned.
const maxPasts = 16

// past is what was learned for a scope; it is learned when it is first needed.
func (h *Hints) past(ctx context.Context, s *Scope) (*past, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.pasts[s]; p != nil {
		return p, nil
	}
	p := h.together(s)
	lessons, err := h.lessons(ctx, s, p)
	if err != nil {
		return nil, err
	}
	p.weight = h.with.learn(lessons)
	if len(h.pasts) >= maxPasts {
		clear(h.pasts)
	}
	h.pasts[s] = p
	return p, nil
}

// together counts the notes of a scope.
func (h *Hints) together(s *Scope) *past {
	x := h.index
	p := &past{usual: make([]float64, len(x.names)), having: make([]int, len(h.of)), weight: h.with.weight}
	words, sum := 0, 0.0
	for i := range x.docs {
		if s.in.has(uint32(i)) {
			words += len(x.docs[i].all)
		}
	}
	p.length = float64(words) / float64(max(1, s.size))
	for i := range h.notes {
		n := &h.notes[i]
		if !s.in.has(n.doc) {
			continue
		}
		p.count++
		sum += n.weight
		for _, w := range n.words {
			p.having[w]++
		}
		for _, w := range x.docs[n.doc].all {
			p.usual[w] += n.weight
		}
	}
	for w := range p.usual {
		p.usual[w] /= max(sum, 1e-300)
	}
	return p
}

// lesson is a past search, asked as if it had left no notes: the tools that it finds.
type lesson struct {
	score []float64 // by tool, without the evidence
	found []evidence
	right []bool // whether it was called
	calls int

	chance, value []float64 // by tool, for slope
}

// lessons asks past searches anew, evenly chosen.
func (h *Hints) lessons(ctx context.Context, s *Scope, p *past) ([]lesson, error) {
	var queries []string
	of := map[string][]uint32{}
	for i := range h.notes {
		if n := &h.notes[i]; s.in.has(n.doc) {
			if of[n.query] == nil {
				queries = append(queries, n.query)
			}
			of[n.query] = append(of[n.query], uint32(i))
		}
	}
	var out []lesson
	n := min(len(queries), h.with.lessons)
	for k := range n {
		query := queries[k*len(queries)/n]
		l, err := h.lesson(ctx, s, p, query, of[query])
		if err != nil {
			return nil, err
		}
		if l.calls > 0 && len(l.score) > 1 {
			out = append(out, l)
		}
	}
	return out, nil
}

func (h *Hints) lesson(ctx context.Context, s *Scope, p *past, text string, notes []uint32) (lesson, error) {
	room := s.index.spare.Get().(*scratch)
	defer s.index.spare.Put(room)
	defer room.reset()
	run := &search{scope: s, query: s.parse(cut(text, MaxQuery)), allowed: s.in, scratch: room, levers: s.index.levers}
	run.echo = h.listen(run, p, notes)
	defer run.echo.end()
	if err := run.score(ctx); err != nil {
		return lesson{}, err
	}
	if err := run.echo.gather(ctx); err != nil {
		return lesson{}, err
	}
	run.addPairs(MaxLimit)
	run.echo.add()
	return run.lesson(h.with.against), nil
}

// lesson is what has the highest scores, and the tools of the notes that were left out.
func (s *search) lesson(against int) lesson {
	order := slices.Clone(s.touched)
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.total[b], s.total[a]), s.scope.index.byRank(a, b))
	})
	var l lesson
	for k, i := range order {
		right := slices.ContainsFunc(s.echo.without, func(n uint32) bool { return s.echo.notes[n].doc == i })
		if k >= against && !right {
			continue
		}
		if right {
			l.calls++
		}
		l.score = append(l.score, s.total[i]-s.echo.learned[i])
		l.found = append(l.found, s.echo.found[i])
		l.right = append(l.right, right)
	}
	l.chance, l.value = make([]float64, len(l.score)), make([]float64, len(l.score))
	return l
}

// learn gives the weights of evidence by which the tools that past searches led to are
// the likeliest, if a tool is called with a chance that is proportional to
// exp(heat * score): a conditional logit (McFadden 1974) whose weights are normally
// distributed around those of the memory, so that few notes change little. It takes
// Newton's steps for one weight after the other.
func (m *memory) learn(lessons []lesson) evidence {
	w, heat := m.weight, m.heat
	for range m.steps {
		first, second := m.stiff*(heat/m.heat-1)/m.heat, m.stiff/square(m.heat)
		for i := range lessons {
			a, b := lessons[i].slope(heat, &w, -1)
			first, second = first+a, second+b
		}
		heat = max(m.heat/4, heat-first/second)
		for k := range w {
			keep := m.stiff / square(m.give[k])
			first, second := keep*(w[k]-m.weight[k]), keep
			for i := range lessons {
				a, b := lessons[i].slope(heat, &w, k)
				first, second = first+a, second+b
			}
			w[k] = min(m.high[k], max(m.low[k], w[k]-first/second))
		}
	}
	return w
}

// slope is how steeply the surprise at the calls rises with a weight, and how much that
// changes; with heat where kind is less than 0.
func (l *lesson) slope(heat float64, w *evidence, kind int) (first, second float64) {
	most := math.Inf(-1)
	for i := range l.score {
		score := l.score[i] + l.found[i].sum(w)
		l.chance[i], l.value[i] = heat*score, score
		if kind >= 0 {
			l.value[i] = heat * l.found[i][kind]
		}
		most = max(most, l.chance[i])
	}
	var all, mean, spread float64 // of the tools that were not called
	for i, v := range l.value {
		l.chance[i] = math.Exp(l.chance[i] - most)
		if !l.right[i] {
			all += l.chance[i]
			mean += l.chance[i] * v
			spread += l.chance[i] * square(v)
		}
	}
	for i, v := range l.value {
		if l.right[i] {
			c := l.chance[i]
			m := (mean + c*v) / (all + c)
			first += (m - v) / float64(l.calls)
			second += ((spread+c*square(v))/(all+c) - square(m)) / float64(l.calls)
		}
	}
	return first, second
}
