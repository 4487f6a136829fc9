package python

import "slices"

// line is what waits for a process. The callers take turns, and of each caller's
// programs the one that came first is first.
type line struct {
	turns []string // callers with something that waits; the first is next
	of    map[string][]*task
	n     int
}

func (l *line) len() int { return l.n }

func (l *line) push(t *task) {
	l.enter(t.caller)
	l.of[t.caller] = append(l.of[t.caller], t)
}

// unshift puts back what was taken: it is its caller's first, and its caller is next.
func (l *line) unshift(t *task) {
	l.enter(t.caller)
	l.of[t.caller] = slices.Insert(l.of[t.caller], 0, t)
	l.move(slices.Index(l.turns, t.caller), 0)
}

func (l *line) enter(caller string) {
	if l.of == nil {
		l.of = map[string][]*task{}
	}
	if len(l.of[caller]) == 0 {
		l.turns = append(l.turns, caller)
	}
	l.n++
}

// remove takes a task out; false is that it is not there.
func (l *line) remove(t *task) bool {
	i := slices.Index(l.of[t.caller], t)
	if i < 0 {
		return false
	}
	l.of[t.caller] = slices.Delete(l.of[t.caller], i, i+1)
	l.n--
	if len(l.of[t.caller]) == 0 {
		delete(l.of, t.caller)
		l.turns = slices.DeleteFunc(l.turns, func(c string) bool { return c == t.caller })
	}
	return true
}

// next takes out the first task of the caller whose turn it is, of those that may; nil
// is that there is none.
func (l *line) next(may func(caller string) bool) *task {
	i := slices.IndexFunc(l.turns, may)
	if i < 0 {
		return nil
	}
	t := l.of[l.turns[i]][0]
	l.move(i, len(l.turns)-1)
	l.remove(t)
	return t
}

// move puts the i-th caller at a place of the turns.
func (l *line) move(i, to int) {
	caller := l.turns[i]
	l.turns = slices.Insert(slices.Delete(l.turns, i, i+1), to, caller)
}

// find gives the first task, in order of turns, that is as asked for; it stays.
func (l *line) find(is func(*task) bool) *task {
	for _, caller := range l.turns {
		if i := slices.IndexFunc(l.of[caller], is); i >= 0 {
			return l.of[caller][i]
		}
	}
	return nil
}

// yield takes out the last task of the caller with the most, where another has fewer: it
// is the other's that stays. Nil is that nobody has more.
func (l *line) yield(to string) *task {
	var most []*task
	for _, caller := range l.turns {
		if len(l.of[caller]) > len(most) {
			most = l.of[caller]
		}
	}
	if len(most) <= len(l.of[to]) {
		return nil
	}
	t := most[len(most)-1]
	l.remove(t)
	return t
}

// clear takes out everything.
func (l *line) clear() []*task {
	var all []*task
	for _, caller := range l.turns {
		all = append(all, l.of[caller]...)
	}
	*l = line{}
	return all
}
