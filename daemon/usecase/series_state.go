package usecase

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/storage"
)

// changeSeries applies a change to the series of the request.
func (c *Request) changeSeries(tx storage.Tx, change func(*schedctl.Series) (kept []string, err error)) (changed ChangedSeries, err error) {
	if changed.Series, err = c.changeableSeries(tx); err == nil {
		changed.Template.UpdatedBy = c.Key.ID
		changed.Kept, err = change(&changed.Series)
	}
	return changed, err
}

// DeleteSeries deletes the series of the request and its scheduled posts.
func (c *Request) DeleteSeries(tx storage.Tx) error {
	_, err := c.changeSeries(tx, func(one *schedctl.Series) ([]string, error) { return nil, series.Delete(tx, one, c.Now) })
	return err
}

// SkipOccurrence leaves out an occurrence of the series of the request.
func (c *Request) SkipOccurrence(tx storage.Tx, occurrence schedctl.LocalTime) (ChangedSeries, error) {
	return c.changeSeries(tx, func(one *schedctl.Series) ([]string, error) { return nil, series.Skip(tx, one, occurrence, c.sweep()) })
}

// PauseSeries pauses the series of the request.
func (c *Request) PauseSeries(tx storage.Tx) (ChangedSeries, error) {
	return c.changeSeries(tx, func(one *schedctl.Series) ([]string, error) { return series.Pause(tx, one, c.Now) })
}

// ResumeSeries continues the series of the request.
func (c *Request) ResumeSeries(tx storage.Tx) (ChangedSeries, error) {
	return c.changeSeries(tx, func(one *schedctl.Series) ([]string, error) {
		one.StartedBy(c.actor())
		return nil, series.Resume(tx, one, c.sweep())
	})
}

// EndSeries ends the series of the request.
func (c *Request) EndSeries(tx storage.Tx) (ChangedSeries, error) {
	return c.changeSeries(tx, func(one *schedctl.Series) ([]string, error) { return series.End(tx, one, c.Now) })
}

// reviewSeries stores a step in the review of the series of the request. A step that takes
// back the approval also removes its scheduled posts.
func (c *Request) reviewSeries(tx storage.Tx, step func(*schedctl.Series, schedctl.Actor) (schedctl.Event, error)) (ChangedSeries, error) {
	return c.changeSeries(tx, func(one *schedctl.Series) ([]string, error) {
		by, err := c.reviewer(tx)
		if err != nil {
			return nil, err
		}
		approved := one.Approved()
		event, err := step(one, by)
		if err != nil {
			return nil, err
		}
		if err := tx.AddEvents(event); err != nil {
			return nil, err
		}
		if approved {
			return nil, series.EndApproval(tx, one, c.sweep())
		}
		return nil, tx.PutSeries(*one)
	})
}

// SubmitSeries asks for an approval of the series of the request.
func (c *Request) SubmitSeries(tx storage.Tx, note string) (ChangedSeries, error) {
	return c.reviewSeries(tx, func(one *schedctl.Series, by schedctl.Actor) (schedctl.Event, error) {
		return one.Submit(by, note, c.Now)
	})
}

// ApproveSeries approves the series of the request, and makes its posts.
func (c *Request) ApproveSeries(tx storage.Tx, note string) (ChangedSeries, error) {
	c.decides = true
	return c.changeSeries(tx, func(one *schedctl.Series) ([]string, error) {
		c.namesRequester(&one.Template)
		by, err := c.reviewer(tx)
		if err != nil {
			return nil, err
		}
		return nil, series.Approve(tx, one, schedctl.Decision{By: by, Note: note}, c.sweep())
	})
}

// RequestSeriesChanges asks the author of the series of the request for changes.
func (c *Request) RequestSeriesChanges(tx storage.Tx, note string) (ChangedSeries, error) {
	c.decides = true
	return c.reviewSeries(tx, func(one *schedctl.Series, by schedctl.Actor) (schedctl.Event, error) {
		c.namesRequester(&one.Template)
		return one.Decide(schedctl.ApprovalChangesRequested, schedctl.Decision{By: by, Note: note}, c.Now)
	})
}

// WithdrawSeries takes the series of the request back from its review.
func (c *Request) WithdrawSeries(tx storage.Tx) (ChangedSeries, error) {
	return c.reviewSeries(tx, func(one *schedctl.Series, by schedctl.Actor) (schedctl.Event, error) { return one.Withdraw(by, c.Now) })
}
