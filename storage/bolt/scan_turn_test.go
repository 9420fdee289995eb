package bolt

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A scan pauses for as long as it has read, and another scan waits for the pause.
func TestScansTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := make(scanTurns, 1)
		first, second := scanTurn{turns: shared}, scanTurn{turns: shared}
		began := time.Now()
		next := func(s *scanTurn, want time.Duration) {
			t.Helper()
			if err := s.next(t.Context()); err != nil || time.Since(began) != want {
				t.Errorf("after %v, error %v; want it after %v", time.Since(began), err, want)
			}
		}
		next(&first, 0)
		next(&first, 0)
		waiting := make(chan struct{})
		go func() {
			defer close(waiting)
			next(&second, 2*scanTurnLength)
			second.end()
		}()
		time.Sleep(scanTurnLength) // stands for reading
		next(&first, 2*scanTurnLength)
		<-waiting
		first.end()
	})
}

func TestScanThatWaitsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	shared := make(scanTurns, 1)
	first, second := scanTurn{turns: shared}, scanTurn{turns: shared}
	if err := first.next(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := second.next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	second.end() // has no turn to end
	if err := first.next(t.Context()); err != nil {
		t.Error(err)
	}
}
