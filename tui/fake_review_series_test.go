package tui_test

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

func (f *fake) PendingSeries(context.Context) (pending []apiv1.Series, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.plan.series {
		if s.Approval != nil && s.Approval.State == schedctl.ApprovalPending {
			pending = append(pending, s)
		}
	}
	return pending, f.enter("PendingSeries")
}

func (f *fake) ApproveSeries(_ context.Context, v screen.Version, note *string, _ string) (apiv1.Series, error) {
	return f.decideSeries("ApproveSeries", v, schedctl.ApprovalApproved, note)
}

func (f *fake) RequestSeriesChanges(_ context.Context, v screen.Version, note, _ string) (apiv1.Series, error) {
	return f.decideSeries("RequestSeriesChanges", v, schedctl.ApprovalChangesRequested, &note)
}

func (f *fake) WithdrawSeries(_ context.Context, v screen.Version) (apiv1.Series, error) {
	return f.decideSeries("WithdrawSeries", v, schedctl.ApprovalWithdrawn, nil)
}

// decideSeries decides about a series as the daemon does.
func (f *fake) decideSeries(name string, v screen.Version, state schedctl.ApprovalState, note *string) (apiv1.Series, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter(name); err != nil {
		return apiv1.Series{}, err
	}
	for i := range f.plan.series {
		s := &f.plan.series[i]
		switch {
		case s.ID != v.ID:
			continue
		case s.Version != v.Number:
			return apiv1.Series{}, schedctl.Errorf(schedctl.VersionMismatch, "", "the series was changed")
		case s.Approval.State != schedctl.ApprovalPending:
			return apiv1.Series{}, schedctl.Errorf(schedctl.ApprovalNotPending, "", "the series does not wait for an approval")
		}
		s.Approval = ptr(*s.Approval)
		s.Approval.State, s.Approval.DecidedBy, s.Approval.DecidedAt, s.Approval.Note = state, &f.review.self, at(0), note
		s.Version++
		return *s, nil
	}
	return apiv1.Series{}, gone()
}

// withSeries is reviewed with two series that wait for an approval. The second one is a
// request of the key of the browser.
func withSeries() *fake {
	f := reviewed()
	weekly := apiv1.Series{
		ID: "ser_r1", Name: "questions", Content: "Any questions? Ask them here.", SocialAccountIDs: []string{"acct_1", "acct_2"},
		Timezone: "Europe/Berlin", Start: "2026-11-24T09:00", Rule: "FREQ=WEEKLY;BYDAY=TU,TH", State: schedctl.SeriesActive, NextAt: &apiv1.Time{Time: day(24, "09:00")}, Version: 2,
		Approval: &apiv1.Approval{State: schedctl.ApprovalPending, RequestedBy: claude, RequestedAt: at(-30 * time.Minute), Note: ptr("until autumn")},
	}
	tips := weekly
	tips.ID, tips.Name, tips.Variants, tips.Rule, tips.Exdates = "ser_r2", "tips", []string{"Back up your data.", "Test the backup."}, "FREQ=DAILY", []string{"2026-11-25T09:00"}
	tips.Approval = &apiv1.Approval{State: schedctl.ApprovalPending, RequestedBy: vera, RequestedAt: at(-time.Hour)}
	f.plan.series = append(f.plan.series, weekly, tips)
	return f
}
