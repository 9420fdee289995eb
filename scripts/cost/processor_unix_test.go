//go:build unix

package cost_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl/scripts/cost"
)

func TestCheckFindsInputsThatTakeLong(t *testing.T) {
	r := &recorder{TB: t}
	end := cost.Limit{Base: 1 << 30, Processor: 20 * time.Millisecond}.Check(r, 10)
	sum := 0
	for spent := time.Duration(0); spent < 40*time.Millisecond; {
		spent += cost.Measure(func() {
			for i := range 1 << 20 {
				sum += i
			}
		}).Processor
	}
	if end(); len(r.failures) == 0 {
		t.Errorf("40 ms of work passed a limit of 20 ms (%d)", sum)
	}
}
