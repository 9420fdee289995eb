package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
)

// Decision has the flags of commands that decide about a draft or a series in review.
type Decision struct {
	*App
	Note    string
	noun    string // what is decided about: draft or series
	version int64
	yes     bool
}

// NewDecision returns the flags of a command. noun names what it decides about.
func NewDecision(a *App, noun string) *Decision { return &Decision{App: a, noun: noun} }

// Add adds the flags to the command. note describes --note.
func (d *Decision) Add(cmd *cobra.Command, note string) {
	cmd.Flags().StringVarP(&d.Note, "note", "m", "", note)
	cmd.Flags().Int64Var(&d.version, "version", 0, "fail if the "+d.noun+" has another version than this `number`")
	cmd.Flags().BoolVarP(&d.yes, "yes", "y", false, "do not ask")
}

// asks reports whether the command shows what it decides about, and asks.
func (d *Decision) asks() bool { return !d.yes && d.Asks() }

// Check returns an error if the command neither asks nor names the version that was
// reviewed. Call it before anything is read.
func (d *Decision) Check() error {
	if d.version != 0 || d.asks() {
		return nil
	}
	return NewFailure(ExitUsage, schedctl.VersionRequired, "without a question on a terminal, a decision needs --version with the version that was reviewed").
		WithHint(`"schedctl review --json=id,version,content" shows it`)
}

// Confirmed returns nil if the decision is about the version that was read. If the command
// asks, it shows the text first.
func (d *Decision) Confirmed(ctx context.Context, version int64, text func() (string, error), question string) error {
	if d.version != 0 && version != d.version {
		return NewFailure(ExitConflict, schedctl.VersionMismatch, "the %s has version %d, and not %d; review it again", d.noun, version, d.version)
	}
	if !d.asks() {
		return nil
	}
	shown, err := text()
	if err != nil {
		return err
	}
	d.Message(shown)
	return d.Confirm(ctx, question)
}
