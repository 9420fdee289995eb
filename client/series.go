package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const seriesPath = "/series"

// SeriesQuery selects series. Zero fields do not filter; for the page size the daemon
// then uses its default.
type SeriesQuery struct {
	ExternalID string // the one series that has it
	Approval   schedctl.ApprovalState
	CreatedBy  string // the id of the API key that created them
	Limit      int    // results on a page, 1–100
	Cursor     string // from SeriesList.NextCursor
}

func (q SeriesQuery) values() url.Values {
	v := pageValues(q.Limit, q.Cursor)
	if q.ExternalID != "" {
		v.Set("external_id", q.ExternalID)
	}
	if q.Approval != "" {
		v.Set("approval", string(q.Approval))
	}
	if q.CreatedBy != "" {
		v.Set("created_by", q.CreatedBy)
	}
	return v
}

// SeriesList returns one page of series, newest first.
func (c *Client) SeriesList(ctx context.Context, q SeriesQuery) (apiv1.SeriesList, error) {
	return get[apiv1.SeriesList](ctx, c, seriesPath, q.values())
}

// EachSeries iterates over all series that q selects. q.Limit is the size of a page. It
// ends after the first error.
func (c *Client) EachSeries(ctx context.Context, q SeriesQuery) iter.Seq2[apiv1.Series, error] {
	return eachItem(q.Cursor, func(cursor string) ([]apiv1.Series, *string, error) {
		q.Cursor = cursor
		page, err := c.SeriesList(ctx, q)
		return page.Results, page.NextCursor, err
	})
}

// Series returns one series.
func (c *Client) Series(ctx context.Context, id string) (apiv1.Series, error) {
	out, err := get[apiv1.SeriesEnvelope](ctx, c, itemPath(seriesPath, id), nil)
	return out.Series, err
}

// CreateSeries creates a series and the posts of its first occurrences, in one
// transaction.
func (c *Client) CreateSeries(ctx context.Context, s apiv1.CreateSeries, options ...Option) (apiv1.Series, error) {
	out, err := write[apiv1.SeriesEnvelope](ctx, c, http.MethodPost, seriesPath, s, options)
	return out.Series, err
}

// PreviewSeries returns the next ten occurrences of a rule, and hints about it. It stores
// nothing.
func (c *Client) PreviewSeries(ctx context.Context, s apiv1.PreviewSeries) (apiv1.SeriesPreview, error) {
	return write[apiv1.SeriesPreview](ctx, c, http.MethodPost, seriesPath+"/preview", s, nil)
}

// EditSeries changes a series and its scheduled posts, except posts that were changed
// alone. Kept lists the posts that stay as they are.
func (c *Client) EditSeries(ctx context.Context, id string, s apiv1.EditSeries, options ...Option) (apiv1.SeriesEnvelope, error) {
	return write[apiv1.SeriesEnvelope](ctx, c, http.MethodPatch, itemPath(seriesPath, id), s, options)
}

// EditSeriesFrom changes a series from an occurrence on. The series ends before the
// occurrence and is returned as Previous. A new series continues it.
func (c *Client) EditSeriesFrom(ctx context.Context, id, occurrence string, s apiv1.EditSeries, options ...Option) (apiv1.SeriesEnvelope, error) {
	from := func(r *apiRequest) { r.query = url.Values{"from": {occurrence}} }
	options = append(options[:len(options):len(options)], from)
	return c.EditSeries(ctx, id, s, options...)
}

// DeleteSeries deletes a series and removes its scheduled posts.
func (c *Client) DeleteSeries(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(seriesPath, id), options)
}

// OccurrenceQuery selects occurrences of a series. For zero fields the daemon uses its
// defaults.
type OccurrenceQuery struct {
	After  time.Time // inclusive
	Before time.Time // exclusive
	Limit  int       // results on a page, 1–100
	Cursor string    // from OccurrenceList.NextCursor
}

func (q OccurrenceQuery) values() url.Values {
	v := pageValues(q.Limit, q.Cursor)
	setTimes(v, "after", q.After, "before", q.Before)
	return v
}

// Occurrences returns one page of the occurrences of a series, in order of their local
// times, with and without posts.
func (c *Client) Occurrences(ctx context.Context, id string, q OccurrenceQuery) (apiv1.OccurrenceList, error) {
	return get[apiv1.OccurrenceList](ctx, c, itemPath(seriesPath, id, "occurrences"), q.values())
}

// EachOccurrence iterates over all occurrences that q selects. A series can have
// occurrences without end: set q.Before, or stop the iteration. It ends after the first
// error.
func (c *Client) EachOccurrence(ctx context.Context, id string, q OccurrenceQuery) iter.Seq2[apiv1.Occurrence, error] {
	return eachItem(q.Cursor, func(cursor string) ([]apiv1.Occurrence, *string, error) {
		q.Cursor = cursor
		page, err := c.Occurrences(ctx, id, q)
		return page.Results, page.NextCursor, err
	})
}

// SkipOccurrence skips one occurrence of a series, given by its local time, and removes
// its scheduled post. To undo it, edit the series with Exdates that lack the occurrence.
func (c *Client) SkipOccurrence(ctx context.Context, id, occurrence string, options ...Option) (apiv1.SeriesEnvelope, error) {
	return c.changeSeries(ctx, id, "skip", apiv1.SkipOccurrence{Occurrence: occurrence}, options)
}

// PauseSeries removes the scheduled posts of a series, except those that were changed
// alone, and makes no more until it is resumed.
func (c *Client) PauseSeries(ctx context.Context, id string, options ...Option) (apiv1.SeriesEnvelope, error) {
	return c.changeSeries(ctx, id, "pause", nil, options)
}

// ResumeSeries continues a paused series with its next occurrence. Missed occurrences are
// not published.
func (c *Client) ResumeSeries(ctx context.Context, id string, options ...Option) (apiv1.SeriesEnvelope, error) {
	return c.changeSeries(ctx, id, "resume", nil, options)
}

// EndSeries ends a series permanently and removes its scheduled posts, also those that
// were changed alone.
func (c *Client) EndSeries(ctx context.Context, id string, options ...Option) (apiv1.SeriesEnvelope, error) {
	return c.changeSeries(ctx, id, "end", nil, options)
}

func (c *Client) changeSeries(ctx context.Context, id, action string, body any, options []Option) (apiv1.SeriesEnvelope, error) {
	return write[apiv1.SeriesEnvelope](ctx, c, http.MethodPost, itemPath(seriesPath, id, action), body, options)
}

// SubmitSeries asks for the approval of a series.
func (c *Client) SubmitSeries(ctx context.Context, id string, s apiv1.SubmitSeries, options ...Option) (apiv1.SeriesEnvelope, error) {
	return c.changeSeries(ctx, id, "submit", s, options)
}

// ApproveSeries approves a series, which then makes its next posts. It needs [IfVersion],
// so that no text is approved that was not seen.
func (c *Client) ApproveSeries(ctx context.Context, id string, s apiv1.ApproveSeries, options ...Option) (apiv1.SeriesEnvelope, error) {
	return c.changeSeries(ctx, id, "approve", s, options)
}

// RequestSeriesChanges asks the author of a series to change it. It needs [IfVersion].
func (c *Client) RequestSeriesChanges(ctx context.Context, id string, s apiv1.RequestChanges, options ...Option) (apiv1.SeriesEnvelope, error) {
	return c.changeSeries(ctx, id, "request-changes", s, options)
}

// WithdrawSeries ends the wait for an approval.
func (c *Client) WithdrawSeries(ctx context.Context, id string, options ...Option) (apiv1.SeriesEnvelope, error) {
	return c.changeSeries(ctx, id, "withdraw", nil, options)
}
