package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/compose"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// askRetry asks which failed targets to retry and warns about those that may have
// been published.
func (m *Model) askRetry(p apiv1.Post) tea.Cmd {
	failed := postlist.FailedTargets(p)
	if len(failed) < 2 {
		return m.confirmRetry(p, failed, nil)
	}
	items := []screen.Item{{Label: fmt.Sprintf("all %d that failed", len(failed)), Chosen: true, Group: "retry"}}
	for _, t := range failed {
		items = append(items, screen.Item{Label: m.PostScene().Name(t.SocialAccountID) + ": " + screen.OneLine(postlist.TargetReason(t)), Group: "retry"})
	}
	m.dialog = screen.NewMenu(m.Theme, "Retry which?", items, func(chosen []int) tea.Cmd {
		if len(chosen) == 0 || chosen[0] == 0 {
			return m.confirmRetry(p, failed, nil)
		}
		one := failed[chosen[0]-1]
		return m.confirmRetry(p, []apiv1.Target{one}, []string{one.ID})
	})
	return nil
}

func (m *Model) confirmRetry(p apiv1.Post, failed []apiv1.Target, ids []string) tea.Cmd {
	body := apiv1.RetryPost{TargetIDs: ids}
	question := []string{"Try again to publish this to " + m.PostScene().Targets(failed) + "?"}
	if slices.ContainsFunc(failed, postlist.OutcomeUnknown) {
		body.Force = true
		question = append(question, "The network may already have this post. Check there first, or it may appear twice.")
	}
	shown := p
	shown.Status = schedctl.Publishing
	m.dialog = &screen.Confirm{
		Question: append(question, "", screen.Excerpt(postlist.PostText(p), 200)),
		Yes: func() tea.Cmd {
			c := m.Client()
			return m.StartChange(postlist.Change{Post: p, Shown: shown, Done: "retrying",
				Call: func(ctx context.Context) (apiv1.Post, error) { return c.Retry(ctx, p.ID, body) },
				Undo: func(after apiv1.Post) *postlist.Undo { return postlist.CannotUndo(after, "was sent again") }})
		},
	}
	return nil
}

// resend opens the composer for a failed post, to send it again with changes.
func (m *Model) resend(p apiv1.Post) tea.Cmd {
	d := compose.ResendPost(p)
	switch {
	case p.ResentAs != nil:
		m.ShowError("the post was resent already, as " + screen.OneLine(*p.ResentAs))
		return nil
	case len(d.From.SocialAccountIDs) == 0:
		m.ShowError("the network may already have this post: check there first, and then press r to send it again")
		return nil
	}
	return compose.Open(m, d)
}
