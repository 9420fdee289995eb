package main

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestGateHoldsUntilItIsOpened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g gate
		g.pass() // open initially
		var passed atomic.Int64
		for range 2 {
			g.shut()
			before := passed.Load()
			for range 3 {
				go func() { g.pass(); passed.Add(1) }()
				if err := g.awaitHeld(t.Context(), 1); err != nil {
					t.Error(err)
				}
				synctest.Wait()
			}
			if n := passed.Load() - before; n != 0 {
				t.Errorf("%d have passed", n)
			}
			if held := g.open(); held != 3 {
				t.Errorf("%d were held, want 3", held)
			}
			synctest.Wait()
		}
		g.shut()
		if err := g.awaitHeld(t.Context(), 1); err == nil {
			t.Error("awaitHeld succeeded without callers")
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := g.awaitHeld(ended, 1); err != context.Canceled {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	})
}
