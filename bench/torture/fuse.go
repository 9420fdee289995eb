package main

import (
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// fuse kills the daemon at a chosen instant, once.
type fuse struct {
	daemon *child.Daemon
	moment moment
	from   time.Time     // not before
	burnt  chan struct{} // closed when it has killed
}

// light makes the next instant of a kind, after some time, the daemon's last.
func (w *world) light(d *child.Daemon, random *rand.Rand) *fuse {
	f := &fuse{
		daemon: d, moment: moment(random.IntN(int(moments))), burnt: make(chan struct{}),
		from: time.Now().Add(time.Duration(20+random.IntN(200)) * time.Millisecond),
	}
	w.fuse.Store(f)
	return f
}

// maxBites is how often a target's call may be the daemon's last. The first call
// after a start is often the repeat of the one before it; and a target has five
// tries, after which the daemon says that it does not know.
const maxBites = 3

// at is told of every instant, by the goroutine in which it happens, and of the
// target when it is one of a call.
func (w *world) at(m moment, target string) {
	f := w.fuse.Load()
	if f == nil || f.moment != m || time.Now().Before(f.from) || !w.mayBite(target) || !w.fuse.CompareAndSwap(f, nil) {
		return
	}
	f.daemon.Signal(syscall.SIGKILL)
	close(f.burnt)
}

func (w *world) mayBite(target string) bool {
	if target == "" {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bites[target]++
	return w.bites[target] <= maxBites
}
