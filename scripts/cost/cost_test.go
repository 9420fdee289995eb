package cost_test

import (
	"fmt"
	"testing"

	"github.com/schedctl/schedctl/scripts/cost"
)

var sink []byte

func TestMeasureCountsAllocations(t *testing.T) {
	spent := cost.Measure(func() {
		for range 10 {
			sink = make([]byte, 1<<20)
		}
	})
	if spent.Bytes < 10<<20 || spent.Bytes > 12<<20 || spent.Objects < 10 {
		t.Errorf("ten megabytes count as %+v", spent)
	}
}

// recorder records failures instead of failing.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func TestCheckFindsExpensiveInputs(t *testing.T) {
	limit := cost.Limit{Base: 4 << 20, PerByte: 1 << 10, Processor: 1 << 40}
	for _, test := range []struct {
		name  string
		size  int
		work  func()
		fails bool
	}{
		{"nothing", 10, func() {}, false},
		{"much memory", 10, func() { sink = make([]byte, 8<<20) }, true},
		{"much memory for a large input", 8 << 10, func() { sink = make([]byte, 8<<20) }, false},
	} {
		r := &recorder{TB: t}
		end := limit.Check(r, test.size)
		test.work()
		end()
		if (len(r.failures) > 0) != test.fails {
			t.Errorf("%s: failures %q", test.name, r.failures)
		}
	}
}
