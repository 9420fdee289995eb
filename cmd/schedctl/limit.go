package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"
)

// onScreen is how many results a list has on a terminal without --limit.
const onScreen = 20

// noLimit stands for --limit that was not given.
const noLimit = math.MinInt

// listLimit is the flag --limit of a list. Without it a list is complete, except on a
// terminal, so that output for programs is never cut off silently.
type listLimit struct{ number int }

func (l *listLimit) add(cmd *cobra.Command, noun string) {
	cmd.Flags().IntVar(&l.number, "limit", noLimit, fmt.Sprintf("at most this `number` of %s; without it %d on a terminal, and elsewhere all", noun, onScreen))
	cmd.Flag("limit").DefValue = "0" // which help does not show
}

// check refuses a limit that leaves nothing.
func (l *listLimit) check() error {
	if l.number < 1 && l.number != noLimit {
		return usage("--limit %d: give at least 1", l.number)
	}
	return nil
}

// most returns the largest number of results. With all it is that of --limit alone.
func (l *listLimit) most(a *app, all bool) int {
	switch {
	case l.number != noLimit:
		return l.number
	case all || !a.outTerminal:
		return math.MaxInt
	}
	return onScreen
}
