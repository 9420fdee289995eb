package tui

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// ErrUnreachable is wrapped by the errors of a [Client] if the daemon did not
// respond. The request may or may not have been carried out.
var ErrUnreachable = errors.New("the daemon cannot be reached")

// Client is the daemon's API as the browser uses it. Its methods may be called from
// any goroutine. [schedctl.CodeOf] returns the code of a refusal; its message is
// shown to the user.
type Client interface {
	// Accounts returns all accounts, including disconnected ones.
	Accounts(ctx context.Context) ([]apiv1.Account, error)
	VerifyAccount(ctx context.Context, id string) (apiv1.Account, error)
	// Platforms returns the credentials and options of each platform.
	Platforms(ctx context.Context) (map[string]apiv1.PlatformEntry, error)
	// AddAccount and EditAccount accept options as strings; nil resets an option.
	AddAccount(ctx context.Context, a apiv1.AddAccount) (apiv1.Account, error)
	EditAccount(ctx context.Context, id string, a apiv1.EditAccount) (apiv1.Account, error)

	Webhooks(ctx context.Context) ([]apiv1.Webhook, error)
	Deliveries(ctx context.Context, webhookID, cursor string) (apiv1.DeliveryList, error)
	ReplayDelivery(ctx context.Context, webhookID, id string) (apiv1.Delivery, error)

	Posts(ctx context.Context, q Query) (apiv1.PostList, error)
	Post(ctx context.Context, id string) (apiv1.Post, error)
	Timeline(ctx context.Context, id string) (apiv1.Timeline, error)
	// Validate checks an existing post, or a new one if id is empty.
	Validate(ctx context.Context, id string, p apiv1.CreatePost) (apiv1.Validation, error)

	// Create creates the post once, no matter how often it is called with the same key
	// and post.
	Create(ctx context.Context, p apiv1.CreatePost, key string) (apiv1.Post, error)
	Edit(ctx context.Context, at Version, p apiv1.EditPost) (apiv1.Post, error)
	Schedule(ctx context.Context, at Version, p apiv1.SchedulePost) (apiv1.Post, error)
	Publish(ctx context.Context, at Version) (apiv1.Post, error)
	Unschedule(ctx context.Context, at Version) (apiv1.Post, error)
	Cancel(ctx context.Context, at Version) (apiv1.Post, error)
	Delete(ctx context.Context, id string) error
	Retry(ctx context.Context, id string, p apiv1.RetryPost) (apiv1.Post, error)

	// Upload uploads a file of this computer. It may call progress from any goroutine
	// until it returns. The same bytes are one asset, however often they are uploaded.
	Upload(ctx context.Context, path string, progress func(sent, size int64)) (apiv1.MediaAsset, error)

	// Follow calls notify for each event until the stream or ctx ends, and returns the
	// reason. It starts after the event with the id after, or with new events if after
	// is empty. When the stream is open, it calls notify with an event without a type;
	// the id of that event is the start position. Follow does not reconnect.
	Follow(ctx context.Context, after string, notify func(apiv1.Event)) error
}

// Version is a version of a post that the user has seen. A change of any other
// version is refused with [schedctl.VersionMismatch].
type Version struct {
	ID     string
	Number int64
}

// Query selects posts. Zero fields select everything.
type Query struct {
	Statuses  []schedctl.Status // any of these
	AccountID string            // with a target on this account
	Label     string            // with this label
	Search    string            // part of the content
	After     time.Time         // publish time, inclusive
	Before    time.Time         // publish time, exclusive
	Sort      string            // created_at or publish_at, with "-" for descending
	Cursor    string            // from PostList.NextCursor; empty for the first page
	Limit     int               // posts on a page
}
