package schedctl_test

import (
	"slices"
	"testing"

	"github.com/schedctl/schedctl"
)

// allowedMoves is the target state machine written out a second time, so that a
// change to it is a decision and not an accident.
var allowedMoves = map[schedctl.Status]map[schedctl.Trigger]schedctl.Status{
	schedctl.Draft: {
		schedctl.TriggerSchedule: schedctl.Scheduled,
		schedctl.TriggerQueue:    schedctl.Publishing,
	},
	schedctl.Scheduled: {
		schedctl.TriggerSchedule: schedctl.Scheduled,
		schedctl.TriggerQueue:    schedctl.Publishing,
		schedctl.TriggerClaim:    schedctl.Publishing,
		schedctl.TriggerFail:     schedctl.Failed,
		schedctl.TriggerCancel:   schedctl.Canceled,

		schedctl.TriggerUnschedule: schedctl.Draft,
	},
	schedctl.Publishing: {
		schedctl.TriggerClaim:   schedctl.Publishing,
		schedctl.TriggerDefer:   schedctl.Publishing,
		schedctl.TriggerPublish: schedctl.Published,
		schedctl.TriggerFail:    schedctl.Failed,
		schedctl.TriggerCancel:  schedctl.Canceled,
	},
	schedctl.Published: {},
	schedctl.Failed: {
		schedctl.TriggerRetry:  schedctl.Publishing,
		schedctl.TriggerCancel: schedctl.Canceled,
	},
	schedctl.Canceled: {schedctl.TriggerPublish: schedctl.Published},
}

var triggers = []schedctl.Trigger{
	schedctl.TriggerSchedule, schedctl.TriggerQueue, schedctl.TriggerClaim, schedctl.TriggerDefer,
	schedctl.TriggerPublish, schedctl.TriggerFail, schedctl.TriggerRetry, schedctl.TriggerCancel, schedctl.TriggerUnschedule,
}

func TestEveryTargetTransitionAllowedOrForbidden(t *testing.T) {
	t.Parallel()
	for _, from := range schedctl.Statuses() {
		for _, by := range triggers {
			want, allowed := allowedMoves[from][by]
			got, err := schedctl.NextStatus(from, by)
			switch {
			case allowed && (err != nil || got != want):
				t.Errorf("NextStatus(%s, %s) = %s, %v; want %s", from, by, got, err, want)
			case !allowed && err == nil:
				t.Errorf("NextStatus(%s, %s) = %s; want it forbidden", from, by, got)
			case !allowed && got != from:
				t.Errorf("NextStatus(%s, %s) moved to %s although forbidden", from, by, got)
			}
		}
	}
}

func TestEveryOperationAllowedOrRefusedWithItsCode(t *testing.T) {
	t.Parallel()
	ok := schedctl.Code("")
	columns := schedctl.Statuses() // draft, scheduled, publishing, published, failed, canceled
	table := map[schedctl.Operation][]schedctl.Code{
		schedctl.OpEdit:       {ok, ok, schedctl.PostNotEditable, schedctl.PostNotEditable, schedctl.PostNotEditable, schedctl.PostCanceled},
		schedctl.OpDelete:     {ok, schedctl.PostNotDeletable, schedctl.PostNotDeletable, schedctl.PostNotDeletable, schedctl.PostNotDeletable, schedctl.PostNotDeletable},
		schedctl.OpSchedule:   {ok, schedctl.PostNotDraft, schedctl.PostNotDraft, schedctl.PostNotDraft, schedctl.PostNotDraft, schedctl.PostCanceled},
		schedctl.OpPublishNow: {ok, ok, schedctl.PostNotDraft, schedctl.PostNotDraft, schedctl.PostNotDraft, schedctl.PostCanceled},
		schedctl.OpCancel:     {schedctl.PostNotCancelable, ok, ok, schedctl.PostNotCancelable, schedctl.PostNotCancelable, schedctl.PostNotCancelable},
		schedctl.OpRetry:      {schedctl.PostNotRetryable, schedctl.PostNotRetryable, ok, schedctl.PostNotRetryable, ok, schedctl.PostCanceled},
		schedctl.OpUnschedule: {ok, ok, schedctl.PostNotScheduled, schedctl.PostNotScheduled, schedctl.PostNotScheduled, schedctl.PostCanceled},
		schedctl.OpAnnotate:   {ok, ok, ok, ok, ok, ok},
	}
	for op, row := range table {
		if len(row) != len(columns) {
			t.Fatalf("operation %s has no row", op)
		}
		for i, status := range columns {
			if got := schedctl.CodeOf(schedctl.CheckOperation(op, status)); got != row[i] {
				t.Errorf("%s on a %s post: code %q, want %q", op, status, got, row[i])
			}
		}
	}
}

func TestPostStatusIsDerivedFromTargets(t *testing.T) {
	t.Parallel()
	const (
		draft, scheduled, publishing = schedctl.Draft, schedctl.Scheduled, schedctl.Publishing
		published, failed, canceled  = schedctl.Published, schedctl.Failed, schedctl.Canceled
	)
	tests := []struct {
		targets []schedctl.Status
		want    schedctl.Status
	}{
		{nil, draft},
		{[]schedctl.Status{draft}, draft},
		{[]schedctl.Status{draft, draft}, draft},
		{[]schedctl.Status{scheduled}, scheduled},
		{[]schedctl.Status{scheduled, scheduled}, scheduled},
		{[]schedctl.Status{scheduled, publishing}, publishing},
		{[]schedctl.Status{scheduled, published}, publishing},
		{[]schedctl.Status{scheduled, failed}, publishing},
		{[]schedctl.Status{publishing, published}, publishing},
		{[]schedctl.Status{publishing, failed}, publishing},
		{[]schedctl.Status{published}, published},
		{[]schedctl.Status{published, published}, published},
		{[]schedctl.Status{published, failed}, failed},
		{[]schedctl.Status{failed, failed}, failed},
	}
	for _, tt := range tests {
		for _, order := range [][]schedctl.Status{tt.targets, reversed(tt.targets)} {
			p := postWithTargets(order...)
			if got := p.Status(); got != tt.want {
				t.Errorf("targets %v: status %s, want %s", order, got, tt.want)
			}
			p.CanceledAt = t0
			if got := p.Status(); got != canceled {
				t.Errorf("canceled post with targets %v: status %s", order, got)
			}
		}
	}
}

func reversed(s []schedctl.Status) []schedctl.Status {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}
