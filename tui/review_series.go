package tui

import (
	"context"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// addPendingSeries adds rows for the series that wait for an approval to the posts that do.
func addPendingSeries(ctx context.Context, c screen.Client, q screen.Query, list *apiv1.PostList) ([]apiv1.Series, error) {
	pending, err := c.PendingSeries(ctx)
	if err != nil {
		return nil, unlessNoApprovals(err)
	}
	f := postlist.Feed{Query: q}
	for _, s := range pending {
		if row := postlist.SeriesRow(s); postlist.Matches(f.Query, row) {
			list.Results = append(list.Results, row)
		}
	}
	slices.SortStableFunc(list.Results, f.Order)
	list.Count = len(list.Results)
	return pending, nil
}

// pendingInfo returns what is shown about a series that waits for an approval. It has no
// occurrences, so that the next times follow from the rule.
func (m *Model) pendingInfo(s apiv1.Series) postlist.SeriesInfo {
	return postlist.SeriesInfo{Series: s, Rule: postlist.RuleWords(s), Next: postlist.TimesByRule(s, m.Now), Loaded: true}
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
		Question: []string{"Withdraw this series from review? It makes no posts until it is approved.", "", screen.Excerpt(postlist.PostText(p), 200)},
		Yes: func() tea.Cmd {
			c := m.Client()
			return m.startChange(postlist.Change{
				Post: p, Shown: shown, Done: "withdrawn from review",
				Call: func(ctx context.Context) (apiv1.Post, error) {
					s, err := c.WithdrawSeries(ctx, postlist.VersionOf(p))
					return postlist.SeriesRow(s), err
				},
				Undo: func(after apiv1.Post) *postlist.Undo { return postlist.CannotUndo(after, "was withdrawn from review") },
			})
		},
	}
}

// seriesCall returns the request of a decision about a series.
func (d *reviewForm) seriesCall(note *string, once string) func(context.Context, screen.Client) (apiv1.Post, error) {
	at, step := postlist.VersionOf(d.post), d.step
	return func(ctx context.Context, c screen.Client) (apiv1.Post, error) {
		var s apiv1.Series
		var err error
		if step == stepApprove {
			s, err = c.ApproveSeries(ctx, at, note, once)
		} else {
			s, err = c.RequestSeriesChanges(ctx, at, *note, once)
		}
		return postlist.SeriesRow(s), err
	}
}

// readRow reads the post or the series of a row again.
func readRow(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
	if !postlist.IsSeries(p) {
		return c.Post(ctx, p.ID)
	}
	s, err := c.Series(ctx, p.ID)
	return postlist.SeriesRow(s), err
}
