package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// whenFlags are the flags that say when a post goes out.
type whenFlags struct {
	at, in, tz string
	now        bool

	lenient bool  // the daemon is asked even for a time that has passed: it may know the request
	passed  error // what is wrong with the time when it is
	moving  bool  // read at another time, the flags mean another one
}

// add defines --at, --in and --tz; commands that have --now define it as now.
func (w *whenFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.at, "at", "", "when: a `time` such as \"2026-12-08 09:00\" or \"tomorrow 9am\" (see: schedctl time --help)")
	cmd.Flags().StringVar(&w.in, "in", "", "a `duration` from now: 90s, 2h30m, 1d, 2w")
	w.addZone(cmd)
}

func (w *whenFlags) addZone(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.tz, "tz", "", "the `zone` of times, an IANA name such as Europe/Berlin; the local one when not given")
	cmd.RegisterFlagCompletionFunc("tz", completeZone)
}

func (w *whenFlags) given() bool { return w.at != "" || w.in != "" || w.now }

// zone returns the zone of times without one.
func (w *whenFlags) zone(a *app) (*time.Location, error) {
	if w.tz == "" {
		return a.local, nil
	}
	return when.LoadZone(w.tz)
}

// publishAt returns the time of the flags for the API, nil without flags, and shows the
// parsed time.
func (w *whenFlags) publishAt(a *app) (*apiv1.PublishTime, error) {
	loc, err := w.zone(a)
	if err != nil {
		return nil, err
	}
	switch {
	case w.now && (w.at != "" || w.in != ""):
		return nil, usage("--at, --in and --now exclude each other: give one")
	case w.at != "" && w.in != "":
		return nil, usage("--at and --in exclude each other: give one")
	case w.now:
		return apiv1.Now(), nil
	case !w.given():
		return nil, nil
	}
	now := a.now()
	m, err := w.moment(now, loc)
	if err != nil {
		return nil, err
	}
	if w.passed = m.Check(now); w.passed != nil && !w.lenient {
		return nil, w.passed
	}
	w.moving = w.in != "" || dependsOnNow(w.at, m, now, loc)
	a.echo(m, now, loc)
	return apiv1.At(m.Time), nil
}

// refused returns the error of a daemon for a time that has passed in the words
// that say so without one.
func (w *whenFlags) refused(err error) error {
	if w.passed != nil && schedctl.CodeOf(err) == schedctl.InvalidPublishAt {
		return w.passed
	}
	return err
}

func (w *whenFlags) moment(now time.Time, loc *time.Location) (when.Result, error) {
	if w.at != "" {
		return when.Parse(w.at, now, loc)
	}
	if _, err := when.ParseDuration(w.in); err != nil {
		return when.Result{}, err
	}
	return when.Parse("in "+w.in, now, loc)
}

// bound reads --after or --before, which may well be in the past; zero for none.
// A day alone is its beginning.
func (w *whenFlags) bound(a *app, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	loc, err := w.zone(a)
	if err != nil {
		return time.Time{}, err
	}
	now := a.now()
	m, err := when.Parse(text, now, loc)
	if err != nil {
		begin, noDay := when.Parse(text+" 0:00", now, loc)
		if noDay != nil {
			return time.Time{}, err
		}
		m = begin
	}
	a.echo(m, now, loc)
	return m.Time, nil
}

func (a *app) echo(m when.Result, now time.Time, loc *time.Location) {
	a.tell("at %s", m.Echo(now, loc))
	if m.Note != "" {
		a.tell("note: %s", m.Note)
	}
}

// timeText shows an instant: to people in their zone, to programs as the API
// writes it.
func (a *app) timeText(t *apiv1.Time) string {
	switch {
	case t == nil:
		return ""
	case !a.outTerminal:
		return t.String()
	}
	return when.Result{Time: t.In(a.local)}.Echo(a.now(), a.local)
}

// dependsOnNow reports whether a text means another time when it is read at
// another time, as "tomorrow 9am" does.
func dependsOnNow(text string, m when.Result, now time.Time, zone *time.Location) bool {
	for _, later := range []time.Duration{53 * time.Hour, 400 * 24 * time.Hour} {
		again, err := when.Parse(text, now.Add(later), zone)
		if err != nil || !again.Time.Equal(m.Time) {
			return true
		}
	}
	return false
}
