package schedule

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/schedctl/schedctl"
)

func due(at int64, id uint64) (d schedctl.Due) {
	d.At = at
	binary.BigEndian.PutUint64(d.Target[8:], id)
	return d
}

func TestHeapYieldsInOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var h heap
	var want []schedctl.Due
	for i := range uint64(3*pageLen + 7) {
		d := due(random.Int64N(1000), i)
		h.push(d)
		want = append(want, d)
	}
	slices.SortFunc(want, schedctl.Due.Compare)
	for i := range want {
		if got := h.pop(); got != want[i] {
			t.Fatalf("entry %d is %v, want %v", i, got, want[i])
		}
	}
	if h.len() != 0 {
		t.Errorf("%d left", h.len())
	}
}

func TestHeapInterleaved(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	var h heap
	var model []schedctl.Due
	for i := range uint64(20_000) {
		if len(model) == 0 || random.IntN(5) < 3 {
			d := due(random.Int64N(500), i)
			at, _ := slices.BinarySearchFunc(model, d, schedctl.Due.Compare)
			model = slices.Insert(model, at, d)
			h.push(d)
			continue
		}
		if got := h.pop(); got != model[0] {
			t.Fatalf("step %d: popped %v, want %v", i, got, model[0])
		}
		model = model[1:]
	}
}

func TestHeapGivesPagesBack(t *testing.T) {
	t.Parallel()
	var h heap
	for i := range int64(10 * pageLen) {
		h.push(due(i, 0))
	}
	if got := len(h.pages); got != 10 {
		t.Errorf("%d pages for ten pages of entries", got)
	}
	for h.len() > 5 {
		h.pop()
	}
	if got := len(h.pages); got > 2 {
		t.Errorf("%d pages for five entries", got)
	}
}

func TestAfterIsTheNextEntry(t *testing.T) {
	t.Parallel()
	last := due(7, 0)
	for i := range last.Target {
		last.Target[i] = 0xff
	}
	for _, test := range []struct{ d, want schedctl.Due }{
		{due(7, 0), due(7, 1)},
		{due(7, 255), due(7, 256)},
		{last, due(8, 0)},
	} {
		if got := nextEntry(test.d); got != test.want {
			t.Errorf("after %v comes %v, want %v", test.d, got, test.want)
		}
	}
}
