package main

import (
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// killTimer kills the daemon once, at a chosen kill point.
type killTimer struct {
	daemon    *child.Daemon
	killPoint killPoint
	notBefore time.Time     // earliest time
	killed    chan struct{} // closed after the kill
}

// armKill kills the daemon at the next instant of a random kind, after a random delay.
func (w *world) armKill(d *child.Daemon, random *rand.Rand) *killTimer {
	f := &killTimer{
		daemon: d, killPoint: killPoint(random.IntN(int(killPoints))), killed: make(chan struct{}),
		notBefore: time.Now().Add(time.Duration(20+random.IntN(200)) * time.Millisecond),
	}
	w.armedKill.Store(f)
	return f
}

// maxKillsPerTarget limits the kills during calls for one target. The first call after
// a start is often the repeat of the interrupted one, and after five tries the daemon
// reports the target's outcome as unknown.
const maxKillsPerTarget = 3

// atPoint is called at every kill point, by the goroutine that reaches it, with the
// target if it is part of a call.
func (w *world) atPoint(m killPoint, target string) {
	f := w.armedKill.Load()
	if f == nil || f.killPoint != m || time.Now().Before(f.notBefore) || !w.mayKill(target) || !w.armedKill.CompareAndSwap(f, nil) {
		return
	}
	f.daemon.Signal(syscall.SIGKILL)
	close(f.killed)
}

func (w *world) mayKill(target string) bool {
	if target == "" {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.killsByTarget[target]++
	return w.killsByTarget[target] <= maxKillsPerTarget
}
