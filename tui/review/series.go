package review

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// HandleSeriesKey handles a key that acts on a series in the review.
func (r *Review) HandleSeriesKey(k tea.KeyMsg, p apiv1.Post) tea.Cmd {
	switch {
	case key.Matches(k, r.keyMap().Approve):
		return r.decide(p, stepApprove, schedctl.OpApprove)
	case key.Matches(k, r.keyMap().Cancel):
		return r.decide(p, stepChanges, schedctl.OpRequestChanges)
	case key.Matches(k, r.keyMap().Withdraw):
		return r.ifReviewable(p, schedctl.OpWithdraw, func() tea.Cmd { return r.askWithdraw(p) })
	case key.Matches(k, r.keyMap().PostKeys()...):
		r.frame.ShowError("this is a series: a approves it, c requests changes, w withdraws it; see also schedctl series --help")
	}
	return nil
}

// withdrawSeries asks whether to end the wait for the approval of a series.
func (r *Review) withdrawSeries(p, shown apiv1.Post) *screen.Confirm {
	return &screen.Confirm{
		Question: []string{"Withdraw this series from review? It makes no posts until it is approved.", "", screen.Excerpt(postlist.PostText(p), 200)},
		Yes: func() tea.Cmd {
			c := r.frame.Client()
			return r.frame.StartChange(postlist.Change{
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
func (d *form) seriesCall(note *string, once string) func(context.Context, screen.Client) (apiv1.Post, error) {
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
