package approval

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// Memory is a [Store] in memory, for programs that need nothing to outlive them.
// The zero value is ready.
type Memory struct {
	mu     sync.Mutex           // guards what follows
	all    map[string]*Approval // of which none is changed
	grants []Grant
	last   int64
}

// RaiseApproval is as [Store] says.
func (m *Memory) RaiseApproval(_ context.Context, a *Approval, most, all int) (*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := m.standing(a.Binding, a.Created); old != nil {
		return old, nil
	}
	own, others := 0, 0
	for _, o := range m.all {
		if o.At(a.Created) != Pending {
			continue
		}
		others++
		if o.Binding.Caller == a.Binding.Caller {
			own++
		}
	}
	if own >= most || others >= all {
		return nil, ErrTooMany
	}
	return m.put(*a), nil
}

// put keeps an approval as changed now; mu is held.
func (m *Memory) put(a Approval) *Approval {
	if m.all == nil {
		m.all = map[string]*Approval{}
	}
	m.last++
	a.Change = m.last
	m.all[a.ID] = &a
	own := a
	return &own
}

func (m *Memory) standing(b Binding, now time.Time) *Approval {
	var oldest *Approval
	for _, a := range m.all {
		if a.Binding == b && a.Stands(now) && (oldest == nil || newestFirst(a, oldest) > 0) {
			oldest = a
		}
	}
	return oldest.copied()
}

// copied is a copy, which may be changed; nil of nil.
func (a *Approval) copied() *Approval {
	if a == nil {
		return nil
	}
	own := *a
	return &own
}

// newestFirst is the order in which approvals are listed.
func newestFirst(a, b *Approval) int {
	return cmp.Or(b.Created.Compare(a.Created), strings.Compare(b.ID, a.ID))
}

// StandingApproval is as [Store] says.
func (m *Memory) StandingApproval(_ context.Context, b Binding, now time.Time) (*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.standing(b, now), nil
}

// Approval is as [Store] says.
func (m *Memory) Approval(_ context.Context, id string) (*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[id].copied(), nil
}

// Approvals is as [Store] says.
func (m *Memory) Approvals(_ context.Context, q Query) ([]Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	after, known := m.all[q.After]
	if q.After != "" && !known {
		return nil, nil
	}
	var found []Approval
	for _, a := range m.all {
		if (q.State == "" || a.At(q.Now) == q.State) && (q.Caller == "" || a.Binding.Caller == q.Caller) && strings.HasPrefix(a.ID, q.Prefix) &&
			(!known || newestFirst(after, a) < 0) {
			found = append(found, *a)
		}
	}
	slices.SortFunc(found, func(a, b Approval) int { return newestFirst(&a, &b) })
	return found[:min(len(found), cmp.Or(max(q.Limit, 0), DefaultLimit))], nil
}

// ChangeApproval is as [Store] says.
func (m *Memory) ChangeApproval(_ context.Context, a *Approval, from State, grant *Grant) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, ok := m.all[a.ID]; !ok || old.State != from || old.Change != a.Change {
		return false, nil
	}
	m.put(*a)
	if a.Forgets() {
		m.grants = slices.DeleteFunc(m.grants, func(g Grant) bool { return g.Approval == a.ID })
	}
	if grant != nil {
		m.grants = append(m.grants, *grant)
	}
	return true, nil
}

// ApprovalChanges is as [Store] says.
func (m *Memory) ApprovalChanges(_ context.Context, after int64, limit int) ([]Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []Approval
	for _, a := range m.all {
		if a.Change > after {
			found = append(found, *a)
		}
	}
	slices.SortFunc(found, func(a, b Approval) int { return cmp.Compare(a.Change, b.Change) })
	return found[:min(len(found), limit)], nil
}

// LastApprovalChange is as [Store] says.
func (m *Memory) LastApprovalChange(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last, nil
}

// ApprovalGrant is as [Store] says.
func (m *Memory) ApprovalGrant(_ context.Context, b Binding, rule string, scopes []Scope, now time.Time) (*Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range m.grants {
		if g.Rule == rule && slices.Contains(scopes, g.Scope) && now.Before(g.Expires) && g.Covers(b) {
			return &g, nil
		}
	}
	return nil, nil
}

// SweepApprovals is as [Store] says.
func (m *Memory) SweepApprovals(_ context.Context, now, before time.Time) (expired int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, a := range m.all {
		switch {
		case a.State.open() && a.At(now) == Expired:
			over := *a
			over.State = Expired
			m.put(over)
			expired++
		case !a.State.open() && a.Expires.Before(before):
			delete(m.all, id)
		}
	}
	m.grants = slices.DeleteFunc(m.grants, func(g Grant) bool { return !now.Before(g.Expires) })
	return expired, nil
}
