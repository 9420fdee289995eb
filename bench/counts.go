package main

import (
	"fmt"
	"iter"
)

// counts compares what a case expected with what happened.
type counts struct {
	Checked int `json:"checked"` // posts, responses and events expected
	Lost    int `json:"lost"`    // missing or wrong
	Twice   int `json:"twice"`   // arrived again
	Early   int `json:"early"`   // arrived before its time
	Failed  int `json:"failed"`  // missing, and reported as failed by the daemon
	Control int `json:"control"` // failed calls of a control without a daemon, which say nothing about schedctl
}

// countArrivals counts the arrivals with these keys among the expected number.
func (c *counts) countArrivals(expected int, keys iter.Seq[string]) {
	seen := make(map[string]bool, expected)
	all := 0
	for key := range keys {
		seen[key] = true
		all++
	}
	c.add(expected, expected-len(seen), all-len(seen))
}

// countStored compares the number of stored things with the acknowledged ones.
func (c *counts) countStored(acknowledged, there int) {
	c.add(acknowledged, acknowledged-there, there-acknowledged)
}

// add adds counts; negative ones count as zero.
func (c *counts) add(checked, lost, twice int) {
	c.Checked += checked
	c.Lost += max(0, lost)
	c.Twice += max(0, twice)
}

func (c counts) plus(o counts) counts {
	return counts{c.Checked + o.Checked, c.Lost + o.Lost, c.Twice + o.Twice, c.Early + o.Early, c.Failed + o.Failed, c.Control + o.Control}
}

// asControl returns the counts of a control without a daemon: all failures are its own.
func (c counts) asControl() counts {
	return counts{Checked: c.Checked, Control: c.Control + c.Lost + c.Twice + c.Early}
}

// clean reports whether no post was lost, failed, repeated or early.
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
