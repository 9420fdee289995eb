package bolt

import (
	"context"
	"runtime"
	"time"
)

// scanTurnLength is how long a scan reads before a pause of the same length.
const scanTurnLength = time.Millisecond

// scanTurns bounds the processor time of scans. One scan at a time has the turn, and it
// pauses for half of the time, so that publishing finds a free processor. Without pauses a
// few searches delay publishing tenfold. A scan that ends within its first turn does not
// pause.
type scanTurns chan struct{} // has a token while a scan has the turn

// scanTurn is the turn of one scan.
type scanTurn struct {
	turns scanTurns // nil for scans that never pause, such as those of a transaction
	began time.Time
}

// next must be called between two records of a scan. It returns the error of ctx.
func (t *scanTurn) next(ctx context.Context) error {
	switch {
	case t.turns == nil:
		runtime.Gosched()
		return ctx.Err()
	case t.began.IsZero():
	case time.Since(t.began) < scanTurnLength:
		return ctx.Err()
	default:
		time.Sleep(scanTurnLength)
		t.end()
	}
	select {
	case t.turns <- struct{}{}:
		t.began = time.Now()
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end releases the turn.
func (t *scanTurn) end() {
	if !t.began.IsZero() {
		t.began = time.Time{}
		<-t.turns
	}
}
