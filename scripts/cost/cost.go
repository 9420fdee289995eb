// Package cost measures what calls cost, for tests: with [Measure] to compare two calls,
// and with [Check] to bound what one input of a parser may cost.
package cost

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// Spent is what this process has spent on a call.
type Spent struct {
	Bytes, Objects int64         // allocated, whether or not they were freed
	Processor      time.Duration // user and system time; 0 where the system does not count it
}

// Measure returns what f costs. Other goroutines of the process count as well, so that the
// test must not run in parallel with others.
func Measure(f func()) Spent {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processorTime()
	f()
	took := processorTime() - began
	runtime.ReadMemStats(&after)
	return Spent{
		Bytes: int64(after.TotalAlloc - before.TotalAlloc), Objects: int64(after.Mallocs - before.Mallocs), Processor: took,
	}
}

// Limit bounds the cost of an input of some bytes: a part for every input, and a part for
// each of its bytes.
type Limit struct {
	Base, PerByte int64 // allocated bytes

	// Processor and ProcessorPerByte are far above what any valid input needs, so that a
	// busy machine and a race detector do not matter. They find inputs that take forever.
	Processor, ProcessorPerByte time.Duration
}

// Default is the limit of [Check].
var Default = Limit{Base: 8 << 20, PerByte: 4 << 10, Processor: 5 * time.Second, ProcessorPerByte: time.Millisecond}

// Check bounds the cost of an input of a fuzz target by [Default]:
//
//	f.Fuzz(func(t *testing.T, data []byte) {
//		defer cost.Check(t, len(data))()
func Check(t testing.TB, size int) (end func()) { return Default.Check(t, size) }

// Check starts to count, and returns a function that fails the test if an input of size
// bytes has cost more than the limit.
func (l Limit) Check(t testing.TB, size int) (end func()) {
	bytes, began := allocated(), processorTime()
	return func() {
		t.Helper()
		if got, most := allocated()-bytes, l.Base+l.PerByte*int64(size); got > most {
			t.Errorf("an input of %d bytes allocates %d bytes, want %d at most", size, got, most)
		}
		if got, most := processorTime()-began, l.Processor+l.ProcessorPerByte*time.Duration(size); got > most {
			t.Errorf("an input of %d bytes takes %v of processor time, want %v at most", size, got, most)
		}
	}
}

// allocated returns the bytes that the process has allocated. It does not stop other
// goroutines, and may miss what was allocated last: a megabyte at most.
func allocated() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
