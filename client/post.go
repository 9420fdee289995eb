package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const posts = "/posts"

// PostQuery selects posts. Zero fields do not filter; for the order and the page size the
// daemon then uses its defaults.
type PostQuery struct {
	Statuses  []schedctl.Status // any of these
	AccountID string            // with a target on this account
	After     time.Time         // publish time, inclusive
	Before    time.Time         // publish time, exclusive
	Accounts  []string          // with a target on any of these; only [Client.EachPost] observes it
	Search    string            // substring of the content, at most schedctl.MaxSearch characters

	ExternalID string   // the one post that has it
	Collection string   // managed in this collection
	Labels     []string // with all of these
	QueueID    string   // in slots of this queue
	SeriesID   string   // occurrences of this series
	Approval   schedctl.ApprovalState
	Archived   string // "true" for archived posts only, "all" for these, too
	CreatedBy  string // the id of the API key that created them

	// Proposed lists, of drafts, those that wait for an approval and propose a time, among
	// the other posts at that time. It needs a Sort by publish_at, and is combined with
	// Statuses, AccountID and times only.
	Proposed bool

	Sort   string // created_at, publish_at, or either with "-" for descending
	Limit  int    // results on a page, 1–100
	Cursor string // from PostList.NextCursor
}

func (q PostQuery) values() url.Values {
	v := pageValues(q.Limit, q.Cursor)
	for _, s := range q.Statuses {
		v.Add("status", string(s))
	}
	for _, label := range q.Labels {
		v.Add("label", label)
	}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set("social_account_id", q.AccountID)
	set("q", q.Search)
	set("external_id", q.ExternalID)
	set("collection", q.Collection)
	set("queue_id", q.QueueID)
	set("series_id", q.SeriesID)
	set("approval", string(q.Approval))
	set("archived", q.Archived)
	set("created_by", q.CreatedBy)
	if q.Proposed {
		v.Set("proposed", "true")
	}
	set("sort", q.Sort)
	setTimes(v, "publish_after", q.After, "publish_before", q.Before)
	return v
}

// Posts returns one page of posts.
func (c *Client) Posts(ctx context.Context, q PostQuery) (apiv1.PostList, error) {
	return get[apiv1.PostList](ctx, c, posts, q.values())
}

// EachPost iterates over all posts that q selects. q.Limit is the size of a page. It
// ends after the first error.
func (c *Client) EachPost(ctx context.Context, q PostQuery) iter.Seq2[apiv1.Post, error] {
	if len(q.Accounts) == 1 && q.AccountID == "" {
		q.AccountID, q.Accounts = q.Accounts[0], nil // the daemon selects them
	}
	return eachItem(q.Cursor, func(cursor string) ([]apiv1.Post, *string, error) {
		q.Cursor = cursor
		page, err := c.Posts(ctx, q)
		return slices.DeleteFunc(page.Results, q.otherAccounts), page.NextCursor, err
	})
}

// otherAccounts reports whether a post has no target on the accounts of the query.
func (q PostQuery) otherAccounts(p apiv1.Post) bool {
	return len(q.Accounts) > 0 && !slices.ContainsFunc(p.SocialAccountIDs, func(id string) bool { return slices.Contains(q.Accounts, id) })
}

// CreatePost creates a draft, a scheduled post, or a post that is published at once,
// depending on its PublishAt. If it returns no error, the post is on the daemon's disk.
func (c *Client) CreatePost(ctx context.Context, p apiv1.CreatePost, options ...Option) (apiv1.Post, error) {
	out, err := write[apiv1.PostEnvelope](ctx, c, http.MethodPost, posts, p, options)
	return out.Post, err
}

// ValidatePost reports whether CreatePost would accept the post, and why the network of
// each account would refuse it. It stores nothing and contacts no network.
func (c *Client) ValidatePost(ctx context.Context, p apiv1.CreatePost) (apiv1.Validation, error) {
	return c.validate(ctx, apiv1.ValidatePost{CreatePost: p})
}

// ValidateChange is ValidatePost for a change to an existing post. p is the post after
// the change. The existing post does not count as its duplicate.
func (c *Client) ValidateChange(ctx context.Context, id string, p apiv1.CreatePost) (apiv1.Validation, error) {
	return c.validate(ctx, apiv1.ValidatePost{CreatePost: p, PostID: id})
}

func (c *Client) validate(ctx context.Context, p apiv1.ValidatePost) (apiv1.Validation, error) {
	return write[apiv1.Validation](ctx, c, http.MethodPost, posts+"/validate", p, nil)
}

// Post returns one post.
func (c *Client) Post(ctx context.Context, id string) (apiv1.Post, error) {
	out, err := get[apiv1.PostEnvelope](ctx, c, itemPath(posts, id), nil)
	return out.Post, err
}

// PostIfChanged returns a post that has another version than the given one. If the
// post still has that version, the error is [ErrNotModified].
func (c *Client) PostIfChanged(ctx context.Context, id string, version int64) (apiv1.Post, error) {
	unlessVersion := func(r *apiRequest) { r.header.Set("If-None-Match", versionTag(version)) }
	out, err := get[apiv1.PostEnvelope](ctx, c, itemPath(posts, id), nil, unlessVersion)
	return out.Post, err
}

// PostTimeline returns what happened to a post, oldest first.
func (c *Client) PostTimeline(ctx context.Context, id string) (apiv1.Timeline, error) {
	return get[apiv1.Timeline](ctx, c, itemPath(posts, id, "timeline"), nil)
}

// EditPost changes a draft or a scheduled post. External id, managed and labels
// alone can be changed in every status.
func (c *Client) EditPost(ctx context.Context, id string, p apiv1.EditPost, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPatch, itemPath(posts, id), p, options)
}

// DeletePost deletes a draft permanently.
func (c *Client) DeletePost(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(posts, id), options)
}

// SchedulePost sets the publish time of a draft.
func (c *Client) SchedulePost(ctx context.Context, id string, p apiv1.SchedulePost, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "schedule"), p, options)
}

// PublishPost queues a draft or a scheduled post for publishing at once.
func (c *Client) PublishPost(ctx context.Context, id string, p apiv1.PublishPost, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "publish-now"), p, options)
}

// CancelPost cancels a post. Published targets stay published.
func (c *Client) CancelPost(ctx context.Context, id string, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "cancel"), nil, options)
}

// CancelManagedPost is CancelPost for a client that manages the post: the daemon
// stores managed in the same transaction.
func (c *Client) CancelManagedPost(ctx context.Context, id string, managed apiv1.Managed, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "cancel"), apiv1.CancelPost{Managed: &managed}, options)
}

// UnschedulePost turns a scheduled post into a draft without a time. It does not change
// a draft.
func (c *Client) UnschedulePost(ctx context.Context, id string, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "unschedule"), nil, options)
}

// RetryPost queues failed targets again.
func (c *Client) RetryPost(ctx context.Context, id string, p apiv1.RetryPost, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "retry"), p, options)
}

// ResendPost makes a post that sends the failed targets of a post again with changes, and
// archives the failed one.
func (c *Client) ResendPost(ctx context.Context, id string, p apiv1.ResendPost, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "resend"), p, options)
}

// ArchivePost puts a post away whose work is over.
func (c *Client) ArchivePost(ctx context.Context, id string, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "archive"), nil, options)
}

// UnarchivePost lists an archived post again.
func (c *Client) UnarchivePost(ctx context.Context, id string, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "unarchive"), nil, options)
}

func (c *Client) changePost(ctx context.Context, method, path string, body any, options []Option) (apiv1.Post, error) {
	out, err := write[apiv1.PostEnvelope](ctx, c, method, path, body, options)
	return out.Post, err
}
