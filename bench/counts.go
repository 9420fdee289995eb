package main

import (
	"fmt"
	"iter"
)

// counts is what a case was to bring about, and what it did.
type counts struct {
	Checked int `json:"checked"` // posts, answers, events: what was to come
	Lost    int `json:"lost"`    // did not come, or not as it should
	Twice   int `json:"twice"`   // came again
	Early   int `json:"early"`   // came before its time
	Failed  int `json:"failed"`  // did not come, and the daemon says so: it has given it up
	Control int `json:"control"` // calls of a control without a daemon that went wrong, which say nothing about ours
}

// countArrivals notes that of a number of things those with these keys have come.
func (c *counts) countArrivals(expected int, keys iter.Seq[string]) {
	seen := make(map[string]bool, expected)
	all := 0
	for key := range keys {
		seen[key] = true
		all++
	}
	c.add(expected, expected-len(seen), all-len(seen))
}

// countStored notes that of a number of acknowledged things so many are there.
func (c *counts) countStored(acknowledged, there int) {
	c.add(acknowledged, acknowledged-there, there-acknowledged)
}

// add notes counts; one below zero is none.
func (c *counts) add(checked, lost, twice int) {
	c.Checked += checked
	c.Lost += max(0, lost)
	c.Twice += max(0, twice)
}

func (c counts) plus(o counts) counts {
	return counts{c.Checked + o.Checked, c.Lost + o.Lost, c.Twice + o.Twice, c.Early + o.Early, c.Failed + o.Failed, c.Control + o.Control}
}

// asControl returns the counts of a control without a daemon: whatever went wrong
// is its own.
func (c counts) asControl() counts {
	return counts{Checked: c.Checked, Control: c.Control + c.Lost + c.Twice + c.Early}
}

// clean reports whether nothing was lost, given up, came twice or came early.
func (c counts) clean() bool { return c.Lost+c.Twice+c.Early+c.Failed == 0 }

func (c counts) String() string {
	s := fmt.Sprintf("%d checked: %d lost, %d twice, %d early", c.Checked, c.Lost, c.Twice, c.Early)
	if c.Failed > 0 {
		s += fmt.Sprintf(", %d given up by the daemon", c.Failed)
	}
	if c.Control > 0 {
		s += fmt.Sprintf("; %d wrong in a control", c.Control)
	}
	return s
}
