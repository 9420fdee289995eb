package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// serviceManager restarts a world's daemon whenever it has ended, as a service manager
// does. The first run has a failure configured.
type serviceManager struct {
	w       *world
	order   string
	retired chan struct{} // closed to stop the daemon
	done    chan struct{} // closed when the daemon has stopped
	err     error         // set before done is closed

	first  atomic.Pointer[child.Daemon] // the run with the failure
	starts int64                        // set before done is closed
	end    error                        // set before done is closed; how the first run ended, if it did
	asked  bool                         // set before done is closed; the first run was asked to stop
}

// manage starts the daemon. The caller must call retire.
func manage(ctx context.Context, w *world, order string) *serviceManager {
	m := &serviceManager{w: w, order: order, retired: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(m.done)
		m.err = m.run(ctx)
	}()
	return m
}

func (m *serviceManager) run(ctx context.Context) error {
	plain := m.w.config.Env
	m.w.config.Env = append(plain[:len(plain):len(plain)], m.order)
	for ctx.Err() == nil {
		d, err := m.w.launch()
		if err != nil {
			return err
		}
		m.starts++
		m.first.CompareAndSwap(nil, d)
		m.w.config.Env = plain
		if err := d.AwaitReady(ctx); err == nil {
			m.w.ready.Store(d)
		}
		select {
		case <-m.retired:
			return m.stop(ctx, d)
		case <-d.Done():
			m.ended(ctx, d)
		case <-ctx.Done():
		}
		if m.starts > 5 {
			return fmt.Errorf("the daemon ended five times: %s", d.Log())
		}
	}
	return ctx.Err()
}

// ended records how the first run has ended.
func (m *serviceManager) ended(ctx context.Context, d *child.Daemon) {
	if d == m.first.Load() {
		m.end = d.Wait(ctx)
	}
}

// stop stops a daemon that may be ending already.
func (m *serviceManager) stop(ctx context.Context, d *child.Daemon) error {
	select {
	case <-d.Done():
		m.ended(ctx, d)
		return nil
	default:
	}
	m.asked = d == m.first.Load()
	d.Signal(syscall.SIGTERM)
	select {
	case <-d.Done():
		m.ended(ctx, d)
	case <-time.After(40 * time.Second):
		m.w.judged.violation(stuckRecord, "%s: the daemon does not stop\n%s", m.order, d.Log())
		d.Kill()
	}
	return nil
}

// awaitReady waits until a daemon is ready for the first time.
func (m *serviceManager) awaitReady(ctx context.Context) error {
	for m.w.ready.Load() == nil {
		select {
		case <-m.done:
			return m.err
		default:
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// retire stops the daemon and waits until it has ended.
func (m *serviceManager) retire() {
	close(m.retired)
	<-m.done
}
