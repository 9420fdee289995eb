package bolt

import (
	"slices"

	"github.com/schedctl/schedctl"
)

// layoutOf returns the layout of a new record: the newest one that the value needs.
func layoutOf(v any) byte {
	parts, plan, stage, review, trust := false, false, false, false, false
	switch v := v.(type) {
	case *schedctl.Post:
		parts, plan, review = needsPartsLayout(v), hasPlan(v), !v.Review.IsZero()
		trust = v.Trail != (schedctl.Trail{}) || v.Card != nil || hasTrust(&v.Review)
	case *schedctl.MediaAsset:
		trust = v.UploadedBy != "" || v.ServedSize != 0
	case *schedctl.Attempt:
		parts, stage = v.Part != 0, v.Stage != ""
	case *schedctl.Account:
		parts, plan = v.ThreadTargetID != "" || v.Limits.Polls != (schedctl.PollLimits{}), len(v.Blackouts) > 0
		stage = v.Expiry != (schedctl.Expiry{}) || v.Limits.Posts != 0 || v.Limits.Window != 0
		review = v.Approvals != ""
		trust = len(v.Warnings) > 0 || v.Limits.Files != (schedctl.FileLimits{}) || v.PausedBy != "" || !v.ResultsAskedAt.IsZero() || slices.ContainsFunc(v.Blackouts, hasLabel)
	case *schedctl.Event:
		parts, plan, trust = len(v.Parts) > 0, v.SeriesID != "" || v.Skipped != nil, v.Edited || v.Step != nil || v.SourceID != ""
	case *schedctl.Webhook:
		trust = v.Notify != nil && v.Notify.About+schedctl.NotifyAbout(v.Notify.KeyID+v.Notify.ReviewLink) != ""
	case *schedctl.Workspace:
		review, trust = v.Approvals != "", v.FourEyes || v.Locale != ""
	case *schedctl.AuditEntry:
		review = v.Detail != ""
	case *schedctl.APIKey:
		review = v.Agent || v.Restricted
	case *schedctl.Series:
		plan, review, trust = true, !v.Template.Review.IsZero(), v.Template.Trail != (schedctl.Trail{}) || hasTrust(&v.Template.Review)
	case *schedctl.Collection, *schedctl.Alias, *schedctl.Share, *schedctl.Results, *schedctl.AccountResults, *schedctl.Source, *schedctl.SourceItem:
		trust = true
	case *schedctl.Queue:
		plan, trust = true, v.Managed != nil
	case *schedctl.Blackout:
		plan, trust = true, v.Managed != nil || v.Label != ""
	case *schedctl.CalendarFeed:
		plan = true
	}
	switch {
	case trust:
		return layout
	case review:
		return layoutWithReviews
	case stage:
		return layoutWithStages
	case plan:
		return layoutWithPlans
	case parts:
		return layoutWithParts
	}
	return layoutBeforeParts
}

func hasLabel(b schedctl.AccountBlackout) bool { return b.Label != "" }

// hasTrust reports whether a review has fields of layout 12: a person has taken part through a
// share, or there was a request for changes.
func hasTrust(r *schedctl.Review) bool {
	if r.Changes != nil {
		return true
	}
	shared := func(n schedctl.PostNote) bool { return n.By.Share != "" }
	return r.Approval != nil && r.Approval.RequestedBy.Share+r.Approval.DecidedBy.Share != "" || slices.ContainsFunc(r.Notes, shared)
}

// accountExpiry has the fields of layout 10 of an account.
func (c *coder) accountExpiry(a *schedctl.Account) {
	c.int(&a.Limits.Posts)
	c.int64((*int64)(&a.Limits.Window))
	c.time(&a.Expiry.At)
	c.bool(&a.Expiry.Assumed)
	c.time(&a.Expiry.RenewAt)
	c.int(&a.Expiry.Announced)
	c.time(&a.Expiry.RenewingSince)
}
