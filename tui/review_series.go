package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/recurrence"
)

// isSeries reports whether a row of the review is a series.
func isSeries(p apiv1.Post) bool {
	return strings.HasPrefix(p.ID, string(schedctl.SeriesPrefix)+"_")
}

// noun returns what a row of the review is.
func noun(p apiv1.Post) string {
	if isSeries(p) {
		return "series"
	}
	return "post"
}

// seriesRow returns the row of a series in the review: a draft with the id, the version and
// the content of the series, proposed for its next time.
func seriesRow(s apiv1.Series) apiv1.Post {
	p := apiv1.Post{
		ID: s.ID, SeriesID: &s.ID, Version: s.Version, Status: schedctl.Draft, Approval: s.Approval, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Content: s.Content, Media: s.Media, Extras: s.Extras, Labels: s.Labels, QueueID: s.QueueID,
		SocialAccountIDs: s.SocialAccountIDs, TargetOverrides: s.TargetOverrides,
	}
	if len(s.Variants) > 0 {
		var texts []string
		for i, text := range s.Variants {
			texts = append(texts, fmt.Sprintf("%d of %d: %s", i+1, len(s.Variants), text))
		}
		p.Content = strings.Join(texts, "\n\n")
	}
	if s.NextAt != nil {
		p.ProposedAt = &apiv1.ProposedTime{Time: s.NextAt.Time}
	}
	for _, id := range s.SocialAccountIDs {
		p.Targets = append(p.Targets, apiv1.Target{SocialAccountID: id, Status: schedctl.Draft})
	}
	return p
}

// addPendingSeries adds rows for the series that wait for an approval to the posts that do.
func addPendingSeries(ctx context.Context, c screen.Client, q screen.Query, list *apiv1.PostList) ([]apiv1.Series, error) {
	pending, err := c.PendingSeries(ctx)
	if err != nil {
		return nil, unlessNoApprovals(err)
	}
	f := feed{query: q}
	for _, s := range pending {
		if row := seriesRow(s); matches(f.query, row) {
			list.Results = append(list.Results, row)
		}
	}
	slices.SortStableFunc(list.Results, f.order)
	list.Count = len(list.Results)
	return pending, nil
}

// pendingInfo returns what is shown about a series that waits for an approval. It has no
// occurrences, so that the next times follow from the rule.
func (m *Model) pendingInfo(s apiv1.Series) seriesInfo {
	return seriesInfo{series: s, rule: ruleWords(s), next: timesByRule(s, m.Now), loaded: true}
}

// timesByRule returns the next times of a series by its rule.
func timesByRule(s apiv1.Series, now time.Time) (times []time.Time) {
	loc, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return nil
	}
	rule, _, err := recurrence.Parse(s.Rule, schedctl.LocalTime(s.Start), loc)
	if err != nil {
		return nil // of a newer daemon
	}
	const several = 50 // some may be skipped
	for _, local := range rule.Next(schedctl.LocalTimeOf(now.In(loc)), several) {
		at, _ := local.In(loc)
		if len(times) < nextTimes && at.After(now) && !slices.Contains(s.Exdates, string(local)) {
			times = append(times, at)
		}
	}
	return times
}

// handleSeriesKey handles a key that acts on a series in the review.
func (m *Model) handleSeriesKey(k tea.KeyMsg, p apiv1.Post) tea.Cmd {
	switch {
	case key.Matches(k, m.Keys.Approve):
		return m.decide(p, stepApprove, schedctl.OpApprove)
	case key.Matches(k, m.Keys.Cancel):
		return m.decide(p, stepChanges, schedctl.OpRequestChanges)
	case key.Matches(k, m.Keys.Withdraw):
		return m.ifReviewable(p, schedctl.OpWithdraw, func() tea.Cmd { return m.askWithdraw(p) })
	case key.Matches(k, m.Keys.PostKeys()...):
		m.ShowError("this is a series: a approves it, c requests changes, w withdraws it; see also schedctl series --help")
	}
	return nil
}

// withdrawSeries asks whether to end the wait for the approval of a series.
func (m *Model) withdrawSeries(p, shown apiv1.Post) *screen.Confirm {
	return &screen.Confirm{
		Question: []string{"Withdraw this series from review? It makes no posts until it is approved.", "", screen.Excerpt(postText(p), 200)},
		Yes: func() tea.Cmd {
			c := m.Client()
			return m.startChange(change{
				post: p, shown: shown, done: "withdrawn from review",
				call: func(ctx context.Context) (apiv1.Post, error) {
					s, err := c.WithdrawSeries(ctx, versionOf(p))
					return seriesRow(s), err
				},
				undo: func(after apiv1.Post) *undo { return cannotUndo(after, "was withdrawn from review") },
			})
		},
	}
}

// seriesCall returns the request of a decision about a series.
func (d *reviewForm) seriesCall(note *string, once string) func(context.Context, screen.Client) (apiv1.Post, error) {
	at, step := versionOf(d.post), d.step
	return func(ctx context.Context, c screen.Client) (apiv1.Post, error) {
		var s apiv1.Series
		var err error
		if step == stepApprove {
			s, err = c.ApproveSeries(ctx, at, note, once)
		} else {
			s, err = c.RequestSeriesChanges(ctx, at, *note, once)
		}
		return seriesRow(s), err
	}
}

// readRow reads the post or the series of a row again.
func readRow(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
	if !isSeries(p) {
		return c.Post(ctx, p.ID)
	}
	s, err := c.Series(ctx, p.ID)
	return seriesRow(s), err
}
