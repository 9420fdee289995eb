package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const sources = "/sources"

// Sources returns all sources of the workspace in order of creation.
func (c *Client) Sources(ctx context.Context) ([]apiv1.Source, error) {
	out, err := get[apiv1.SourceList](ctx, c, sources, nil)
	return out.Results, err
}

// Source returns one source.
func (c *Client) Source(ctx context.Context, id string) (apiv1.Source, error) {
	out, err := get[apiv1.SourceEnvelope](ctx, c, itemPath(sources, id), nil)
	return out.Source, err
}

// CreateSource creates a source.
func (c *Client) CreateSource(ctx context.Context, s apiv1.CreateSource, options ...Option) (apiv1.SourceEnvelope, error) {
	return write[apiv1.SourceEnvelope](ctx, c, http.MethodPost, sources, s, options)
}

// PreviewSource reads the feed of a source that is not stored, and returns what it would make.
func (c *Client) PreviewSource(ctx context.Context, s apiv1.CreateSource) (apiv1.SourcePreview, error) {
	return write[apiv1.SourcePreview](ctx, c, http.MethodPost, sources+"/preview", s, nil)
}

// EditSource changes a source.
func (c *Client) EditSource(ctx context.Context, id string, s apiv1.EditSource, options ...Option) (apiv1.Source, error) {
	out, err := write[apiv1.SourceEnvelope](ctx, c, http.MethodPatch, itemPath(sources, id), s, options)
	return out.Source, err
}

// DeleteSource removes a source. Its posts stay.
func (c *Client) DeleteSource(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(sources, id), options)
}

// PauseSource stops a source until it is resumed.
func (c *Client) PauseSource(ctx context.Context, id string, options ...Option) (apiv1.Source, error) {
	return c.stepSource(ctx, id, "pause", options)
}

// ResumeSource continues a source that is paused, or held for another reason than too many items.
func (c *Client) ResumeSource(ctx context.Context, id string, options ...Option) (apiv1.Source, error) {
	return c.stepSource(ctx, id, "resume", options)
}

func (c *Client) stepSource(ctx context.Context, id, step string, options []Option) (apiv1.Source, error) {
	out, err := write[apiv1.SourceEnvelope](ctx, c, http.MethodPost, itemPath(sources, id, step), nil, options)
	return out.Source, err
}

// FetchSource reads the feed of a source at once. Fetch of the response has the result.
func (c *Client) FetchSource(ctx context.Context, id string, options ...Option) (apiv1.SourceEnvelope, error) {
	return write[apiv1.SourceEnvelope](ctx, c, http.MethodPost, itemPath(sources, id, "fetch"), nil, options)
}

// ReleaseSource continues a source that is held because of too many items: the newest items
// make posts, as many as take says, and the others are skipped.
func (c *Client) ReleaseSource(ctx context.Context, id string, take int, options ...Option) (apiv1.Source, error) {
	out, err := write[apiv1.SourceEnvelope](ctx, c, http.MethodPost, itemPath(sources, id, "release"), apiv1.ReleaseSource{Take: take}, options)
	return out.Source, err
}

// SourceItemQuery selects items of a source.
type SourceItemQuery struct {
	State  schedctl.ItemState // empty for all
	Cursor string             // of the page before
	Limit  int                // 0 for the default of the daemon
}

// SourceItems returns a page of the items of a source, newest first.
func (c *Client) SourceItems(ctx context.Context, id string, q SourceItemQuery) (apiv1.SourceItemList, error) {
	v := url.Values{}
	if q.State != "" {
		v.Set("state", string(q.State))
	}
	if q.Cursor != "" {
		v.Set("cursor", q.Cursor)
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	return get[apiv1.SourceItemList](ctx, c, itemPath(sources, id, "items"), v)
}

// EachSourceItem iterates over the items of a source, newest first.
func (c *Client) EachSourceItem(ctx context.Context, id string, q SourceItemQuery) iter.Seq2[apiv1.SourceItem, error] {
	return eachItem(q.Cursor, func(cursor string) ([]apiv1.SourceItem, *string, error) {
		q.Cursor = cursor
		page, err := c.SourceItems(ctx, id, q)
		return page.Results, page.NextCursor, err
	})
}

// SendSourceItem sends an item to a source of kind webhook.
func (c *Client) SendSourceItem(ctx context.Context, id string, item apiv1.SendSourceItem, options ...Option) (apiv1.SourceItem, error) {
	out, err := write[apiv1.SourceItemEnvelope](ctx, c, http.MethodPost, itemPath(sources, id, "items"), item, options)
	return out.Item, err
}

// PostSourceItem makes a post of an item that made none, or that has changed.
func (c *Client) PostSourceItem(ctx context.Context, id, itemID string, options ...Option) (apiv1.SourceItem, error) {
	return c.stepSourceItem(ctx, id, itemID, "post", options)
}

// SkipSourceItem makes no post of an item that waits.
func (c *Client) SkipSourceItem(ctx context.Context, id, itemID string, options ...Option) (apiv1.SourceItem, error) {
	return c.stepSourceItem(ctx, id, itemID, "skip", options)
}

func (c *Client) stepSourceItem(ctx context.Context, id, itemID, step string, options []Option) (apiv1.SourceItem, error) {
	out, err := write[apiv1.SourceItemEnvelope](ctx, c, http.MethodPost, itemPath(sources, id, "items")+itemPath("", itemID, step), nil, options)
	return out.Item, err
}
