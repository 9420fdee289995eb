package cli

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// WhenFlags are the flags for the publish time of a post.
type WhenFlags struct {
	At, TZ string
	In     SpanFlag
	Now    bool

	Lenient bool  // send even a time in the past: the daemon may have the post already
	passed  error // the error about a time in the past
	Moving  bool  // the meaning depends on the time of the command

	command *cobra.Command // that has the flags

	Stored string // the IANA name of the zone without --tz, as the daemon stores it
}

// Add defines --at, --in and --tz. Commands with a flag --now bind it to Now.
func (w *WhenFlags) Add(cmd *cobra.Command) {
	w.command = cmd
	cmd.Flags().StringVar(&w.At, "at", "", "when: a `time` such as \"2026-12-08 09:00\" or \"tomorrow 9am\" (see: schedctl time --help)")
	cmd.Flags().Var(&w.In, "in", "a `duration` from now: 90s, 2h30m, 1d, 2w")
	w.AddZone(cmd)
}

func (w *WhenFlags) AddZone(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.TZ, "tz", "", "the time `zone`, such as Europe/Berlin, Berlin or +05:30; the default is the local zone")
	cmd.RegisterFlagCompletionFunc("tz", CompleteZone)
}

func (w *WhenFlags) Given() bool { return w.At != "" || w.In.Given || w.Now }

// Zone returns the zone for times without a zone.
func (w *WhenFlags) Zone(a *App) (*time.Location, error) {
	switch {
	case w.TZ != "":
		return when.LoadZone(w.TZ)
	case w.Stored != "":
		return schedctl.LoadZone("timezone", w.Stored)
	}
	return a.Local, nil
}

// ZoneName returns the name of the zone of [WhenFlags.Zone], for local times that the
// daemon stores.
func (w *WhenFlags) ZoneName(a *App) (string, error) {
	loc, err := w.Zone(a)
	if err != nil {
		return "", err
	}
	return a.ZoneName(loc)
}

// PublishAt returns the time of the flags for the API, nil without flags, and shows the
// parsed time.
func (w *WhenFlags) PublishAt(a *App) (*apiv1.PublishTime, error) {
	loc, err := w.Zone(a)
	if err != nil {
		return nil, err
	}
	switch {
	case w.Now:
		return apiv1.Now(), nil
	case !w.Given():
		return nil, nil
	}
	now := a.Now()
	m, err := w.moment(now, loc)
	if err != nil {
		return nil, err
	}
	if w.passed = m.Check(now); w.passed != nil && !w.Lenient {
		return nil, w.passed
	}
	w.Moving = w.In.Given || DependsOnNow(w.At, m, now, loc)
	a.EchoTime(m, now, loc)
	return apiv1.At(m.Time), nil
}

// Refused returns an error of the daemon about a time in the past as the error of the
// command line for it.
func (w *WhenFlags) Refused(err error) error {
	if w.passed != nil && schedctl.CodeOf(err) == schedctl.InvalidPublishAt {
		return w.passed
	}
	return err
}

func (w *WhenFlags) moment(now time.Time, loc *time.Location) (when.Result, error) {
	if w.At != "" {
		m, err := when.Parse(w.At, now, loc)
		return m, w.explained(err)
	}
	if w.In.Calendar() {
		if err := when.CheckZone(loc); err != nil {
			return when.Result{}, err
		}
	}
	return w.In.From(now.In(loc)), nil
}

// explained returns the error about a time. Its advice about --repeat is for commands that
// have the flag.
func (w *WhenFlags) explained(err error) error {
	e, is := errors.AsType[*when.Error](err)
	if !is || !strings.Contains(e.Hint, "--repeat") || w.command == nil || w.command.Flag("repeat") != nil {
		return err
	}
	other := *e
	other.Hint = `a post has one time; for a post at each of them, make a series, such as: schedctl series create TEXT --to ACCOUNT --repeat "mondays at 9am"`
	return &other
}

// ParseBound reads the time of a flag such as --after or --not-before, which may be in the
// past, and shows the parsed time after a word, such as "at" or "not before". It returns the
// zero time for an empty text. A day alone means its start.
func (w *WhenFlags) ParseBound(a *App, word, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	loc, err := w.Zone(a)
	if err != nil {
		return time.Time{}, err
	}
	now := a.Now()
	m, _, err := when.ParseBound(text, now, loc)
	if err != nil {
		return time.Time{}, err
	}
	a.echoTime(word, m, now, loc)
	return m.Time, nil
}

// EchoTime shows how a publish time was parsed.
func (a *App) EchoTime(m when.Result, now time.Time, loc *time.Location) {
	a.echoTime("at", m, now, loc)
}

func (a *App) echoTime(word string, m when.Result, now time.Time, loc *time.Location) {
	a.Messagef("%s %s", word, m.Echo(now, loc))
	if m.Note != "" {
		a.Messagef("note: %s", m.Note)
	}
}

// TimeText formats a time: for people in their zone, for programs as in the API.
func (a *App) TimeText(t *apiv1.Time) string {
	switch {
	case t == nil:
		return ""
	case !a.OutTerminal:
		return t.String()
	}
	return when.Result{Time: t.In(a.Local)}.Echo(a.Now(), a.Local)
}

// ClockText explains the note of a local time: a sentence for people, the word of the API
// for programs.
func (a *App) ClockText(note schedctl.LocalNote) string {
	switch {
	case !a.OutTerminal || note == "":
		return string(note)
	case note == schedctl.LocalSkipped:
		return "clocks skip this time: first instant after it"
	}
	return "clocks show this time twice: the first"
}

// DependsOnNow reports whether the meaning of a text depends on the current time, as
// for "tomorrow 9am".
func DependsOnNow(text string, m when.Result, now time.Time, zone *time.Location) bool {
	for _, later := range []time.Duration{53 * time.Hour, 400 * 24 * time.Hour} {
		again, err := when.Parse(text, now.Add(later), zone)
		if err != nil || !again.Time.Equal(m.Time) {
			return true
		}
	}
	return false
}
