package usecase

import (
	"math"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// number returns one number of a reading, or nil.
type number func(*schedctl.Metrics) *int64

func viewsOf(m *schedctl.Metrics) *int64       { return m.Views }
func clicksOf(m *schedctl.Metrics) *int64      { return m.Clicks }
func engagementsOf(m *schedctl.Metrics) *int64 { return m.Engagements() }

// gains are the readings of one number of a target. The difference of two readings is spread
// evenly over the time between them. The publication is the reading of 0.
type gains []reading

type reading struct {
	at    time.Time
	value float64
}

func newGains(v *schedctl.Results, of number) gains {
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

// spread reports whether two readings that a window touches are further apart than it is long.
func (g gains) spread(from, to time.Time) bool {
	for i := 1; i < len(g); i++ {
		if g[i].at.After(from) && g[i-1].at.Before(to) && g[i].at.Sub(g[i-1].at) > to.Sub(from) {
			return true
		}
	}
	return false
}

// gains returns what the workspace gained in the last hour and in the last day.
func (w *workspaceResults) gains() apiv1.AnalyticsGains {
	const day = 24 * time.Hour
	return apiv1.AnalyticsGains{
		ViewsLastHour: w.gain(viewsOf, time.Hour), ViewsLastDay: w.gain(viewsOf, day),
		ClicksLastHour: w.gain(clicksOf, time.Hour), ClicksLastDay: w.gain(clicksOf, day),
		EngagementsLastHour: w.gain(engagementsOf, time.Hour), EngagementsLastDay: w.gain(engagementsOf, day),
	}
}

// gain returns what was gained in the last window, and in the one before. The window before is
// known if a target was published before it ended.
func (w *workspaceResults) gain(of number, window time.Duration) apiv1.AnalyticsGain {
	now := w.c.Now
	start := now.Add(-window)
	found := apiv1.AnalyticsGain{Estimated: w.cut}
	var last, before float64
	reaches := false
	for i := range w.recent {
		g := newGains(&w.recent[i], of)
		if !g.known() {
			continue
		}
		found.KnownTargets++
		last += g.between(start, now)
		before += g.between(start.Add(-window), start)
		reaches = reaches || g[0].at.Before(start)
		found.Estimated = found.Estimated || g.spread(start, now)
	}
	found.Value = int64(math.Round(last))
	if reaches {
		found.PreviousValue = new(int64(math.Round(before)))
	}
	return found
}

// sparkline returns the engagements of each of the last days of the workspace.
func (w *workspaceResults) sparkline(zone *time.Location) []apiv1.AnalyticsDay {
	now := w.c.Now.In(zone)
	days := make([]apiv1.AnalyticsDay, sparkDays)
	for i := range days {
		from := time.Date(now.Year(), now.Month(), now.Day()-(sparkDays-1-i), 0, 0, 0, 0, zone)
		to := time.Date(now.Year(), now.Month(), now.Day()-(sparkDays-2-i), 0, 0, 0, 0, zone)
		sum := 0.0
		for j := range w.recent {
			if g := newGains(&w.recent[j], engagementsOf); g.known() {
				sum += g.between(from, to)
			}
		}
		days[i] = apiv1.AnalyticsDay{Label: from.Format(time.DateOnly), Value: int64(math.Round(sum))}
	}
	return days
}
