package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// nodeRate is a rate in posts a second for two nodes, with the limit for their
// lateness; 0 for no goal.
type nodeRate struct {
	posts int
	limit time.Duration
}

// nodeRates returns the rates to measure, in addition to the burst that two processors
// cannot sustain. A quick run has one rate.
func (b *bench) nodeRates() []nodeRate {
	rates := []nodeRate{{500, 50 * time.Millisecond}, {1000, 100 * time.Millisecond}, {2000, 0}}
	if b.scale > 1 {
		return rates[1:2]
	}
	return rates
}

// Each rate has a shorter warm-up, in which database sessions prepare their statements.
// Late posts of a window may arrive before the next one starts.
const (
	rateWarmUp = 400 * time.Millisecond
	rateLength = 700 * time.Millisecond
	rateGap    = 300 * time.Millisecond
)

// stretches returns a warm-up and a window for each rate.
func (b *bench) stretches() (windows []window) {
	add := func(rate int, length time.Duration) {
		windows = append(windows, window{order: []timelineSide{subject}, posts: rate * int(length/time.Millisecond) / 1000, length: length, gap: rateGap})
	}
	rates := b.nodeRates()
	add(rates[0].posts, b.length(rateWarmUp))
	for _, rate := range rates {
		add(rate.posts, b.length(rateLength))
	}
	return windows
}

// sequence returns plans for windows, each after the previous one.
func (b *bench) sequence(windows []window, first time.Time) (plans []*windowPlan) {
	for _, w := range windows {
		plans = append(plans, &windowPlan{w, first, b.numbers(w.posts)})
		first = first.Add(w.slice())
	}
	return plans
}

// rates publishes at several rates, and measures for each how late posts reach the
// network and what they cost.
func (p *nodes) rates(ctx context.Context, n *counts) (out []result, err error) {
	windows, lead := p.b.stretches(), leadNodes
	for _, w := range windows {
		lead += leadStored * time.Duration(w.total())
	}
	for try := 1; ; try++ {
		out, err := p.tryRates(ctx, windows, lead, n)
		if !errors.Is(err, errStoredTooLate) || try == maxWindowTries {
			return out, err
		}
		lead *= 2
	}
}

// tryRates fails when storing the posts takes longer than the lead.
func (p *nodes) tryRates(ctx context.Context, windows []window, lead time.Duration, n *counts) (out []result, err error) {
	plans := p.b.sequence(windows, time.Now().Add(lead).Truncate(time.Millisecond))
	var posts []numberedPost
	for _, stretch := range plans {
		posts = append(posts, stretch.of(subject)...)
	}
	from, err := p.b.network.count()
	if err != nil {
		return nil, err
	}
	tooLate := func(err error) error { // a consequence of the passed time
		if time.Now().Before(plans[0].first) {
			return err
		}
		return errors.Join(errStoredTooLate, err, sleepUntil(ctx, plans[len(plans)-1].end()))
	}
	if err := p.put(ctx, posts); err != nil {
		return nil, tooLate(err)
	}
	if time.Now().After(plans[0].first) {
		return nil, tooLate(nil)
	}
	used, err := p.readCPUBetween(ctx, plans)
	if err != nil {
		return nil, err
	}
	o, err := p.b.outcome(ctx, from, p.daemons[:1], plans...)
	if err != nil {
		return nil, err
	}
	for i, stretch := range plans {
		late := stretch.sort(o, n)[0]
		if i > 0 { // posts lost in the warm-up count, too
			out = append(out, rateRow(p.b.nodeRates()[i-1], late, used[i]))
		}
	}
	return out, nil
}

// readCPUBetween waits until all plans have ended, and returns the CPU time of each.
func (p *nodes) readCPUBetween(ctx context.Context, plans []*windowPlan) (used []cpuShares, err error) {
	for _, stretch := range plans {
		if err := sleepUntil(ctx, stretch.first); err != nil {
			return nil, err
		}
		before, err := p.readCPU()
		if err != nil {
			return nil, err
		}
		if err := sleepUntil(ctx, stretch.end()); err != nil {
			return nil, err
		}
		after, err := p.readCPU()
		if err != nil {
			return nil, err
		}
		used = append(used, after.minus(before))
	}
	return used, nil
}

// rateRow returns the row of a rate.
func rateRow(rate nodeRate, late []time.Duration, used cpuShares) result {
	r := within(fmt.Sprintf("two nodes on PostgreSQL, due → network, %d a second: p99", rate.posts), quantile(late, 0.99), rate.limit)
	if rate.limit == 0 {
		r = r.withoutGoal("")
	}
	return r.detailed("median %s, last %s", formatDuration(quantile(late, 0.5)), formatDuration(quantile(late, 1))).detailed("%s", used.of(len(late), len(late)))
}
