package main

import (
	"strconv"
	"strings"
	"time"
)

// window is a period in which a control and a subject publish in turns: each turn has
// its own slice, so that other activity of the machine affects both equally.
type window struct {
	order  []timelineSide
	posts  int           // per slice
	length time.Duration // time over which they are spread; 0 for all at one instant
	gap    time.Duration // before the next slice, while late posts of this one may arrive
	peer   bool          // the control is a daemon, too
}

// windowPlan is a window with a start time.
type windowPlan struct {
	window
	first  time.Time
	number int // number of the first post
}

// slice returns the time from one slice to the next.
func (w window) slice() time.Duration { return w.length + w.gap }

// timelineSide is the side that publishes in a slice.
type timelineSide int

const (
	control timelineSide = iota
	subject
)

// inTurns returns the order of slices for a number of rounds. A round is one slice for
// the subject and two for the control; its start rotates as in compare.
func inTurns(rounds int) (order []timelineSide) {
	for r := range rounds {
		for _, i := range runOrder(3, r) {
			order = append(order, []timelineSide{control, subject, control}[i])
		}
	}
	return order
}

// slices returns the numbers of a side's slices, in order.
func (w window) slices(of timelineSide) (all []int) {
	for slice, side := range w.order {
		if side == of {
			all = append(all, slice)
		}
	}
	return all
}

// of returns the posts of a side, by time.
func (p *windowPlan) of(s timelineSide) (posts []numberedPost) {
	for _, slice := range p.slices(s) {
		for i := range p.posts {
			posts = append(posts, numberedPost{p.number + slice*p.posts + i, p.at(slice, i)})
		}
	}
	return posts
}

// at returns the due time of a post in a slice, in whole milliseconds as in the API.
func (p *windowPlan) at(slice, i int) time.Time {
	return p.first.Add(time.Duration(slice)*p.slice() + p.length*time.Duration(i)/time.Duration(p.posts)).Truncate(time.Millisecond)
}

// total returns the number of posts.
func (w window) total() int { return len(w.order) * w.posts }

// share returns the number of posts of a side.
func (w window) share(of timelineSide) int { return len(w.slices(of)) * w.posts }

// end returns the end of the last slice.
func (p *windowPlan) end() time.Time { return p.first.Add(time.Duration(len(p.order)) * p.slice()) }

// index returns the number of the post with a content.
func (p *windowPlan) index(content string) (i int, found bool) {
	digits, found := strings.CutPrefix(content, "post ")
	number, err := strconv.Atoi(digits)
	i = number - p.number
	return i, found && err == nil && i >= 0 && i < p.total()
}

// sort returns the lateness of arrivals by slice, and counts lost, failed, repeated and
// early posts.
func (p *windowPlan) sort(o deliveryOutcome, n *counts) [][]time.Duration {
	late := make([][]time.Duration, len(p.order))
	seen := make([]int, p.total())
	of := make([]counts, len(p.order))
	for _, a := range o.arrived {
		i, found := p.index(a.Key)
		if !found {
			continue
		}
		seen[i]++
		took := a.At.Sub(p.at(i/p.posts, i%p.posts))
		if took < 0 {
			of[i/p.posts].Early++
		}
		if seen[i] == 1 {
			late[i/p.posts] = append(late[i/p.posts], took)
		}
	}
	for i, times := range seen {
		c := &of[i/p.posts]
		if times == 0 && o.failed[contentOf(p.number+i)] {
			c.Checked++
			c.Failed++
			continue
		}
		c.add(1, 1-times, times-1)
	}
	for slice, c := range of {
		if p.order[slice] == control && !p.peer {
			c = c.asControl()
		}
		*n = n.plus(c)
	}
	return late
}
