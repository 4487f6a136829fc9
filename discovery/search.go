package discovery

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Search finds tools in the scope. The error is that of the context, or [ErrClosed].
func (s *Scope) Search(ctx context.Context, q Query) (Results, error) {
	x := s.index
	x.store.mu.RLock()
	defer x.store.mu.RUnlock()
	if err := ctx.Err(); err != nil {
		return Results{}, err
	}
	if x.store.closed {
		return Results{}, ErrClosed
	}
	allowed, err := s.allowed(ctx, &q)
	if err != nil {
		return Results{}, err
	}
	text := strings.TrimSpace(cut(q.Text, MaxQuery))
	if exact, err := x.named(ctx, byName, text, allowed); err != nil {
		return Results{}, err
	} else if len(exact) > 0 {
		i := exact[0]
		return Results{Hits: []Hit{{Index: int(i), Name: x.docs[i].name, Score: 1, Explained: exactly(q.Explain)}}, Exact: true}, nil
	}
	r, err := s.rank(ctx, &q, text, allowed)
	if err == nil && len(r.Hits) == 0 {
		r.Near = s.near(text, allowed)
	}
	return r, err
}

// rank finds what has something in common with the text.
func (s *Scope) rank(ctx context.Context, q *Query, text string, allowed bits) (Results, error) {
	x := s.index
	room := x.spare.Get().(*scratch)
	defer x.spare.Put(room)
	defer room.reset()
	run := &search{scope: s, query: s.parse(text), allowed: allowed, scratch: room, levers: x.levers}
	if q.Hints != nil {
		past, err := q.Hints.past(ctx, s)
		if err != nil {
			return Results{}, err
		}
		run.echo = q.Hints.listen(run, past, nil)
		defer run.echo.end()
	}
	if err := run.score(ctx); err != nil {
		return Results{}, err
	}
	if run.echo != nil {
		if err := run.echo.gather(ctx); err != nil {
			return Results{}, err
		}
		run.echo.add()
	}
	limit := min(cmp.Or(max(q.Limit, 0), DefaultLimit), MaxLimit)
	run.addPairs(limit)
	folded, err := x.named(ctx, byFolded, foldName(text), allowed)
	if err != nil {
		return Results{}, err
	}
	run.prefer(folded)
	best := run.best(limit)
	r := Results{More: len(run.touched) - len(best)}
	for _, i := range best {
		hit := Hit{Index: int(i), Name: x.docs[i].name, Score: run.total[i]}
		if q.Explain {
			if hit.Explained, err = run.explain(ctx, i); err != nil {
				return Results{}, err
			}
		}
		r.Hits = append(r.Hits, hit)
	}
	return r, nil
}

// allowed are the documents of the scope that the query's filters let through.
func (s *Scope) allowed(ctx context.Context, q *Query) (bits, error) {
	if q.Namespace == "" && len(q.Tags) == 0 {
		return s.in, nil
	}
	out := slices.Clone(s.in)
	keep := func(field, value string) error {
		docs, err := s.index.store.pick(ctx, field, value)
		if err != nil {
			return err
		}
		has := newBits(len(s.index.docs))
		for _, i := range docs {
			has.add(i)
		}
		for i := range out {
			out[i] &= has[i]
		}
		return nil
	}
	if q.Namespace != "" {
		if err := keep(byNamespace, q.Namespace); err != nil {
			return nil, err
		}
	}
	for _, tag := range q.Tags {
		if err := keep(byTag, tag); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// named are the allowed documents with a name, in the order of names.
func (x *Index) named(ctx context.Context, field, name string, allowed bits) ([]uint32, error) {
	if name == "" {
		return nil, nil
	}
	docs, err := x.store.pick(ctx, field, name)
	docs = slices.DeleteFunc(docs, func(i uint32) bool { return !allowed.has(i) })
	slices.SortFunc(docs, x.byRank)
	return docs, err
}

func (x *Index) byRank(a, b uint32) int { return cmp.Compare(x.docs[a].rank, x.docs[b].rank) }
