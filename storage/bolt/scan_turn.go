package bolt

import (
	"context"
	"runtime"
	"time"
)

// scanTurnLength is how long a scan reads before it pauses for as long.
const scanTurnLength = time.Millisecond

// scanTurns bounds what scans take of the processors. One scan at a time has the turn,
// and half of it is a pause, in which what publishes posts finds a processor. Without
// pauses a few searches, one after the other, delay it by ten times as much as it
// takes. A scan that ends within its first turn does not notice.
type scanTurns chan struct{} // holds a token while a scan has the turn

// scanTurn is a scan's.
type scanTurn struct {
	turns scanTurns // nil for scans that never pause, such as those of a transaction
	began time.Time
}

// next is to be called between two records of a scan. It returns the error of a
// context that has ended.
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

// end gives the turn to another scan.
func (t *scanTurn) end() {
	if !t.began.IsZero() {
		t.began = time.Time{}
		<-t.turns
	}
}
