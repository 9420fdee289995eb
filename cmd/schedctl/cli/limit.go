package cli

import (
	"fmt"
	"iter"
	"math"

	"github.com/spf13/cobra"
)

// onScreen is the default of --limit on a terminal.
const onScreen = 20

// noLimit is the value of --limit when it is not given.
const noLimit = math.MinInt

// ListLimit is the flag --limit of a list. Without it a list is complete, except on a
// terminal, so that output for programs is never cut off silently.
type ListLimit struct{ number int }

func (l *ListLimit) Add(cmd *cobra.Command, noun string) {
	cmd.Flags().IntVar(&l.number, "limit", noLimit, fmt.Sprintf("at most this `number` of %s; without it %d on a terminal, and elsewhere all", noun, onScreen))
	cmd.Flag("limit").DefValue = "0" // which help does not show
}

// Check returns an error for a limit below 1.
func (l *ListLimit) Check() error {
	if l.number < 1 && l.number != noLimit {
		return UsageError("--limit %d: give at least 1", l.number)
	}
	return nil
}

// Collect returns the first results, up to the limit. more reports whether there are
// others.
func Collect[T any](results iter.Seq2[T, error], most int) (list []T, more bool, err error) {
	for v, err := range results {
		if err != nil {
			return nil, false, err
		}
		if len(list) == most {
			return list, true, nil
		}
		list = append(list, v)
	}
	return list, false, nil
}

// Max returns the maximum number of results. With all, only --limit counts.
func (l *ListLimit) Max(a *App, all bool) int {
	switch {
	case l.number != noLimit:
		return l.number
	case all || !a.OutTerminal:
		return math.MaxInt
	}
	return onScreen
}
