package main

import (
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// killTimer kills the daemon at a chosen instant, once.
type killTimer struct {
	daemon    *child.Daemon
	killPoint killPoint
	notBefore time.Time     // not before
	killed    chan struct{} // closed when it has killed
}

// armKill makes the next instant of a kind, after some time, the daemon's last.
func (w *world) armKill(d *child.Daemon, random *rand.Rand) *killTimer {
	f := &killTimer{
		daemon: d, killPoint: killPoint(random.IntN(int(killPoints))), killed: make(chan struct{}),
		notBefore: time.Now().Add(time.Duration(20+random.IntN(200)) * time.Millisecond),
	}
	w.armedKill.Store(f)
	return f
}

// maxKillsPerTarget is how often a target's call may be the daemon's last. The first call
// after a start is often the repeat of the one before it; and a target has five
// tries, after which the daemon says that it does not know.
const maxKillsPerTarget = 3

// atPoint is told of every instant, by the goroutine in which it happens, and of the
// target when it is one of a call.
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
