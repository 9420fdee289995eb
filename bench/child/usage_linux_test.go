package child_test

import (
	"os"
	"testing"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

func TestCPUTimeGrowsWithWork(t *testing.T) {
	t.Parallel()
	before, err := child.CPUTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	after := before
	for deadline := time.Now().Add(10 * time.Second); after-before < 5*time.Millisecond && time.Now().Before(deadline); {
		if after, err = child.CPUTime(os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
	if after-before < 5*time.Millisecond {
		t.Errorf("10 s of querying took %s", after-before)
	}
}

func TestAnonymousMemoryGrowsWithWhatIsTouched(t *testing.T) {
	before, err := child.Anonymous(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	memory := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		memory[i] = 1
	}
	after, err := child.Anonymous(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if grown := after - before; grown < size/2 {
		t.Errorf("touching %d bytes counts as %d", size, grown)
	}
	if memory[4096] != 1 {
		t.Error("the memory was released")
	}
}

func TestPeakMemoryIsKept(t *testing.T) {
	const size = 64 << 20
	memory := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		memory[i] = 1
	}
	peak, err := child.PeakMemory(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if peak < size || memory[4096] != 1 {
		t.Errorf("touching %d bytes has a peak of %d", size, peak)
	}
}
