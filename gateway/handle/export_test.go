package handle

// Canonical is what arguments are compared by.
var Canonical = canonical

// Held says how many started calls, keys and bytes the desk holds, and how
// many runs have not ended.
func (d *Desk) Held() (started, keys int, size int64, runs int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.started), len(d.firsts), d.kept.size + d.replays.size, len(d.runs)
}
