package usecase

import (
	"context"
	"reflect"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/storage"
)

// Series loads the series of the request. Errors: NOT_FOUND, also if the key may not see
// it.
func (c *Request) Series(r storage.Reader) (schedctl.Series, error) {
	one, err := r.Series(c.Key.WorkspaceID, c.ID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !c.MaySee(&one.Template) {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no series with this id")
	}
	return one, err
}

// changeableSeries loads the series of the request for a change.
func (c *Request) changeableSeries(r storage.Reader) (schedctl.Series, error) {
	one, err := c.Series(r)
	if err == nil {
		err = c.mayChangeSeries(&one)
	}
	if err != nil {
		return one, err
	}
	return one, c.Expected.Check("series", one.Version)
}

// ChangedSeries is a series after a change.
type ChangedSeries struct {
	schedctl.Series
	Previous *schedctl.Series // that the series continues, or nil
	Kept     []string         // ids of posts that the change left as they are
}

// sweep returns how requests make occurrences. The planner decides occurrences that have passed.
func (c *Request) sweep() series.Sweep { return series.Sweep{Now: c.Now} }

// CreateSeries makes and checks a new series. In the transaction, it makes the first posts.
func (d *Decision) CreateSeries(ctx context.Context, b SeriesChange) (changed ChangedSeries, err error) {
	c := d.request
	now := schedctl.Millis(c.Now)
	next := &changed.Series
	*next = schedctl.Series{
		ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: c.Key.WorkspaceID, State: schedctl.SeriesActive,
		AheadDays: schedctl.DefaultAheadDays, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if err := c.refuseTakenSeries(d.r, &b, next); err != nil {
		return changed, err
	}
	accounts, err := d.applySeries(&b, next)
	if err != nil {
		return changed, err
	}
	if err := d.names.check(d.r, next); err != nil {
		return changed, err
	}
	next.Template.EditorID = c.Key.ID
	next.Template.CreatedBy, next.Template.UpdatedBy = c.Key.ID, c.Key.ID
	next.StartedBy(c.actor())
	if err := d.checkSeries(ctx, next, accounts); err != nil || d.tx == nil {
		return changed, err
	}
	loc, err := schedctl.LoadZone("timezone", next.Timezone)
	if err != nil {
		return changed, err
	}
	next.Cursor = schedctl.LastPassed(c.Now, loc)
	return changed, series.Make(d.tx, next, c.sweep())
}

// refuseTakenSeries returns EXTERNAL_ID_EXISTS when another series has the external id of
// the change. It names the series only to a key that may see it.
func (c *Request) refuseTakenSeries(r storage.Reader, b *SeriesChange, to *schedctl.Series) error {
	if b.ExternalID == nil || *b.ExternalID == "" || to.ExternalID != "" {
		return nil
	}
	existing, err := r.SeriesByExternalID(c.Key.WorkspaceID, *b.ExternalID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	refusal := schedctl.Errorf(schedctl.ExternalIDExists, "external_id", "another series has this external_id; read that series, or give another external_id")
	if !c.MaySee(&existing.Template) {
		refusal.Field = ""
		return refusal
	}
	refusal.Details = []schedctl.FieldError{{Field: "external_id", Code: schedctl.ExternalIDExists, Message: existing.ID}}
	return refusal
}

// EditSeries changes the series of the request: all occurrences, or those from a local
// time on, if it is not empty. In the transaction, it changes the posts.
func (d *Decision) EditSeries(ctx context.Context, b SeriesChange, from schedctl.LocalTime) (changed ChangedSeries, err error) {
	c := d.request
	before, err := c.changeableSeries(d.r)
	if err != nil {
		return changed, err
	}
	if changed.Series, err = c.editedSeries(&b, &before, from); err != nil {
		return changed, err
	}
	next := &changed.Series
	if err := c.refuseTakenSeries(d.r, &b, next); err != nil {
		return changed, err
	}
	base := next.Clone()
	accounts, err := d.applySeries(&b, next)
	if err != nil {
		return changed, err
	}
	if err := next.KeepsTimes(&before, &base, c.actor()); err != nil {
		return changed, err
	}
	by, err := c.reviewer(d.r)
	if err != nil {
		return changed, err
	}
	events := next.Edited(&before, by, c.Now)
	c.namesEdit(by, before.Template.Approval, before.ChangedFields(next), before.ReviewDigest(), next.ReviewDigest())
	next.Template.Trail = schedctl.Trail{CreatedBy: before.Template.CreatedBy, UpdatedBy: c.Key.ID}
	if next.Name != before.Name {
		if err := d.names.check(d.r, next); err != nil {
			return changed, err
		}
	}
	if b.changesPosts() {
		if err := d.checkSeries(ctx, next, accounts); err != nil {
			return changed, err
		}
	}
	if d.tx == nil {
		return changed, nil
	}
	if err := d.tx.AddEvents(events...); err != nil {
		return changed, err
	}
	return c.storeEdit(d.tx, &b, before, *next, from)
}

// editedSeries returns the series that an edit starts from: the one before it, or a new one
// that continues it.
func (c *Request) editedSeries(b *SeriesChange, before *schedctl.Series, from schedctl.LocalTime) (schedctl.Series, error) {
	if from != "" {
		return series.Continue(before, from, c.Now)
	}
	if b.changesPosts() || b.changesTimes() || b.Name != nil || b.Labels != nil {
		if err := series.CheckNotEnded(before); err != nil {
			return schedctl.Series{}, err
		}
	}
	return before.Clone(), nil
}

// storeEdit stores an edited series with its posts. A change that changes nothing stores
// nothing.
func (c *Request) storeEdit(tx storage.Tx, b *SeriesChange, before, next schedctl.Series, from schedctl.LocalTime) (changed ChangedSeries, err error) {
	if from != "" {
		changed.Kept, err = series.EditFrom(tx, &before, &next, from, c.sweep())
		changed.Series, changed.Previous = next, &before
		return changed, err
	}
	if reflect.DeepEqual(apiv1.NewSeries(before), apiv1.NewSeries(next)) {
		return ChangedSeries{Series: before}, nil
	}
	if !b.changesPosts() && !b.changesTimes() && b.Labels == nil {
		next.UpdatedAt = schedctl.Millis(c.Now)
		next.Version++
		return ChangedSeries{Series: next}, tx.PutSeries(next)
	}
	changed.Kept, err = series.Edit(tx, &before, &next, c.sweep())
	changed.Series = next
	return changed, err
}

// NextOccurrence returns the time of the next occurrence of a series by its rule, or the
// zero time.
func NextOccurrence(one *schedctl.Series, now time.Time) time.Time {
	if _, next := SeriesPlan(one, now, 1); len(next) > 0 {
		return next[0]
	}
	return time.Time{}
}

// SeriesPlan returns the rule of a series, and the times of its next occurrences by the rule,
// at most n. Both are empty if the rule cannot be read.
func SeriesPlan(one *schedctl.Series, now time.Time, n int) (rule recurrence.Rule, next []time.Time) {
	loc, rule, err := series.RuleOf(one)
	if err != nil || n == 0 {
		return rule, nil
	}
	for local := range rule.From(schedctl.LocalTimeOf(now.In(loc))) {
		if at, _ := local.In(loc); at.After(now) && !one.HasExdate(local) {
			if next = append(next, at.UTC()); len(next) >= n {
				break
			}
		}
	}
	return rule, next
}
