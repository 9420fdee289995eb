package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// gate holds callers while it is shut.
type gate struct {
	mu     sync.Mutex    // mu guards what follows
	opened chan struct{} // closed to release the held callers; nil while the gate is open
	held   int
}

// shut holds all callers of pass from now on.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened, g.held = make(chan struct{}), 0
}

// open releases all callers and returns how many were held. It may be called repeatedly.
func (g *gate) open() (held int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened != nil {
		close(g.opened)
		g.opened = nil
	}
	return g.held
}

// pass returns when the gate is open.
func (g *gate) pass() {
	g.mu.Lock()
	opened := g.opened
	if opened != nil {
		g.held++
	}
	g.mu.Unlock()
	if opened != nil {
		<-opened
	}
}

// awaitHeld waits until n callers are held.
func (g *gate) awaitHeld(ctx context.Context, n int) error {
	for patience := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		g.mu.Lock()
		held := g.held
		g.mu.Unlock()
		switch {
		case held >= n:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Now().After(patience):
			return fmt.Errorf("%d calls are in flight, want %d", held, n)
		}
	}
}
