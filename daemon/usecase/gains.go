package usecase

import (
	"math"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func engagementsOf(m *schedctl.Metrics) *int64 { return m.Engagements() }

// gains are the readings of one number of a target. The difference of two readings is spread
// evenly over the time between them. The publication is the reading of 0.
type gains []reading

type reading struct {
	at    time.Time
	value float64
}

func newGains(v *schedctl.Results, of func(*schedctl.Metrics) *int64) gains {
	g := gains{{at: v.PublishedAt}}
	for i := range v.Points {
		if n := of(&v.Points[i].Metrics); n != nil && v.Points[i].At.After(g[len(g)-1].at) {
			g = append(g, reading{v.Points[i].At, float64(*n)})
		}
	}
	return g
}

// known reports whether the number was ever given.
func (g gains) known() bool { return len(g) > 1 }

// between returns what was gained between two times.
func (g gains) between(from, to time.Time) float64 { return g.at(to) - g.at(from) }

// at returns the number at a time: that of the last reading after it, and 0 before the
// publication.
func (g gains) at(t time.Time) float64 {
	for i := 1; i < len(g); i++ {
		if before, after := g[i-1], g[i]; t.Before(after.at) {
			share := max(0, float64(t.Sub(before.at))/float64(after.at.Sub(before.at)))
			return before.value + share*(after.value-before.value)
		}
	}
	return g[len(g)-1].value
}

// gainDays is how many days of gains are read: the last 14 local days.
const gainDays = sparkDays + 1

// readHours reads what the accounts gained, by hour. A key that is limited to accounts does not
// see posts that other accounts publish too, so its hours are those of the targets that it sees.
func (w *workspaceResults) readHours() error {
	if w.c.Limited() {
		for i := range w.recent {
			w.hours.AddReadings(&w.recent[i])
		}
		return nil
	}
	list, err := w.r.AccountResultsList(w.c.Key.WorkspaceID)
	if err != nil {
		return err
	}
	oldest := hourOf(w.c.Now) - gainDays*24
	for i := range list {
		hours, err := schedctl.UnpackGains(list[i].Gains)
		if err != nil {
			continue // the next reading replaces them
		}
		w.hours.Merge(slices.DeleteFunc(hours, func(h schedctl.GainHour) bool { return h.Hour < oldest }))
	}
	return nil
}

func hourOf(t time.Time) int64 { return t.Unix() / 3600 }

// gains returns what the workspace gained in the last hour and in the last day.
func (w *workspaceResults) gains() apiv1.AnalyticsGains {
	const day = 24 * time.Hour
	views := func(h *schedctl.GainHour) *schedctl.Gain { return &h.Views }
	clicks := func(h *schedctl.GainHour) *schedctl.Gain { return &h.Clicks }
	engagements := func(h *schedctl.GainHour) *schedctl.Gain { return &h.Engagements }
	return apiv1.AnalyticsGains{
		ViewsLastHour: w.gain(views, time.Hour), ViewsLastDay: w.gain(views, day),
		ClicksLastHour: w.gain(clicks, time.Hour), ClicksLastDay: w.gain(clicks, day),
		EngagementsLastHour: w.gain(engagements, time.Hour), EngagementsLastDay: w.gain(engagements, day),
	}
}

// gain returns what was gained in the last window, and in the one before. The window before is
// known if a target was read in it, or before. An hour that a window has in part counts for
// that part.
func (w *workspaceResults) gain(of func(*schedctl.GainHour) *schedctl.Gain, window time.Duration) apiv1.AnalyticsGain {
	now := w.c.Now
	start := now.Add(-window)
	found := apiv1.AnalyticsGain{Estimated: w.c.Limited() && w.cut}
	var before, last, total float64 // until the windows, and in all
	reaches := false
	for i := range w.hours {
		h := &w.hours[i]
		g, begin := of(h), time.Unix(h.Hour*3600, 0)
		total += float64(g.Value)
		last += float64(g.Value) * partBefore(begin, start, now)
		before += float64(g.Value) * partBefore(begin, start.Add(-window), now)
		reaches = reaches || g.Targets > 0 && begin.Before(start)
		if begin.Add(time.Hour).After(start) && begin.Before(now) {
			if found.KnownTargets == 0 {
				found.KnownTargets = int(g.Targets)
			} else {
				found.KnownTargets += int(g.Started)
			}
			found.Estimated = found.Estimated || time.Duration(g.Apart)*time.Hour > window
		}
	}
	found.Value = int64(math.Round(total)) - int64(math.Round(last))
	if reaches {
		found.PreviousValue = new(int64(math.Round(last)) - int64(math.Round(before)))
	}
	return found
}

// partBefore returns which part of an hour that has passed, or of its beginning until now, is
// before a time.
func partBefore(begin, at, now time.Time) float64 {
	end := begin.Add(time.Hour)
	if end.After(now) {
		end = now
	}
	switch {
	case !at.After(begin):
		return 0
	case !at.Before(end):
		return 1
	}
	return float64(at.Sub(begin)) / float64(end.Sub(begin))
}

// sparkline returns the engagements of each of the last days of the workspace. In a zone whose
// days do not begin with an hour of the clock, the beginning of an hour decides its day.
func (w *workspaceResults) sparkline(zone *time.Location) []apiv1.AnalyticsDay {
	now := w.c.Now.In(zone)
	days := make([]apiv1.AnalyticsDay, sparkDays)
	for i := range days {
		day := time.Date(now.Year(), now.Month(), now.Day()-(sparkDays-1-i), 0, 0, 0, 0, zone)
		next := time.Date(now.Year(), now.Month(), now.Day()-(sparkDays-2-i), 0, 0, 0, 0, zone)
		days[i].Label = day.Format(time.DateOnly)
		for j := range w.hours {
			if begin := time.Unix(w.hours[j].Hour*3600, 0); !begin.Before(day) && begin.Before(next) {
				days[i].Value += w.hours[j].Engagements.Value
			}
		}
	}
	return days
}
