package host

import "testing"

func TestCollectAt(t *testing.T) {
	for heap, want := range map[uint64]int{0: 300, 1: 300, 4 << 20: 300, 8 << 20: 200, 16 << 20: 100, 32 << 20: 100, 1 << 40: 100} {
		if got := collectAt(heap); got != want {
			t.Errorf("%d bytes: %d%%, want %d%%", heap, got, want)
		}
	}
}
