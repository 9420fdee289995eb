package main

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// errStoredTooLate means that the first posts were due before all were stored.
var errStoredTooLate = errors.New("storing the posts took longer than the lead before the first was due")

// maxWindowTries limits how often a window is planned, each time with twice the lead,
// on a busy machine.
const maxWindowTries = 4

// staging defines how posts get into a window.
type staging struct {
	window
	lead time.Duration // time before the first post
	peer *child.Daemon // the control, unless that is a timer without a store

	// prepare stores the posts of both sides before the first is due. It returns the
	// subject, if it takes part, and a function that stops what it started, or nil.
	prepare func(*windowPlan) (*child.Daemon, func() error, error)
}

// publish publishes in slices of both sides, and returns how late the posts reached the
// network. When storing them takes too long, it starts again with a longer lead.
func (b *bench) publish(ctx context.Context, s staging, n *counts) (lateness, error) {
	for try := 1; ; try++ {
		out, err := b.tryPublish(ctx, s, n)
		if !errors.Is(err, errStoredTooLate) || try == maxWindowTries {
			return out, err
		}
		s.lead *= 2
	}
}

func (b *bench) tryPublish(ctx context.Context, s staging, n *counts) (out lateness, err error) {
	s.window.peer = s.peer != nil
	p := &windowPlan{s.window, time.Now().Add(s.lead).Truncate(time.Millisecond), b.numbers(s.total())}
	from, err := b.network.count()
	if err != nil {
		return out, err
	}
	d, stop, err := s.prepare(p)
	if stop != nil {
		defer func() { err = errors.Join(err, stop()) }()
	}
	if time.Now().After(p.first) { // the error may be a consequence of the passed time
		return out, errors.Join(errStoredTooLate, err, sleepUntil(ctx, p.end()))
	}
	if err != nil {
		return out, err
	}
	out.window = s.window
	var o deliveryOutcome
	wait := func() error {
		if err := sleepUntil(ctx, p.end()); err != nil {
			return err
		}
		o, err = b.outcome(ctx, from, s.daemons(d), p)
		return err
	}
	if d != nil {
		err = out.cost.measure(d.PID(), p.share(subject), wait)
	} else {
		err = wait()
	}
	out.late = p.sort(o, n)
	return out, err
}

// daemons returns the publishing daemons: the subject, if any, and the control, if it
// is a daemon.
func (s *staging) daemons(subject *child.Daemon) (d []*child.Daemon) {
	for _, one := range []*child.Daemon{subject, s.peer} {
		if one != nil {
			d = append(d, one)
		}
	}
	return d
}

// lateness is how late the posts of a window reached the network.
type lateness struct {
	window
	late [][]time.Duration // by slice
	cost cost              // of the subject, from before the first post
}

// of returns the lateness of all posts of a side.
func (p lateness) of(s timelineSide) (all []time.Duration) {
	for _, slice := range p.slices(s) {
		all = append(all, p.late[slice]...)
	}
	return all
}

// each returns a quantile for every slice of a side.
func (p lateness) each(s timelineSide, q float64) (all []time.Duration) {
	for _, slice := range p.slices(s) {
		all = append(all, quantile(p.late[slice], q))
	}
	return all
}

// compare returns the rounds as a comparison of a quantile, in microseconds.
func (p lateness) compare(q float64) (c comparison) {
	subjects, controls := p.each(subject, q), p.each(control, q)
	for r := range subjects {
		c = append(c, round{sample{micros(subjects[r])}, [2]sample{{micros(controls[2*r])}, {micros(controls[2*r+1])}}})
	}
	return c
}
