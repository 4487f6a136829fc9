package gateway

import "container/list"

// recent keeps what was asked for last. Whoever uses it guards it.
type recent[K comparable, V any] struct {
	order list.List // of pair[K, V], the one used last at the front
	at    map[K]*list.Element
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

// get gives the value of a key, which is made where there is none. Beyond most values
// the one that was not used for longest goes.
func (r *recent[K, V]) get(key K, most int, made func() V) V {
	if e, ok := r.at[key]; ok {
		r.order.MoveToFront(e)
		return e.Value.(pair[K, V]).value
	}
	if r.at == nil {
		r.at = map[K]*list.Element{}
	}
	v := made()
	r.at[key] = r.order.PushFront(pair[K, V]{key, v})
	if r.order.Len() > most {
		oldest := r.order.Back()
		delete(r.at, oldest.Value.(pair[K, V]).key)
		r.order.Remove(oldest)
	}
	return v
}
