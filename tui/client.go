package tui

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// ErrUnreachable is in the chain of an error of a [Client] when no daemon has
// answered. What was asked may or may not have happened.
var ErrUnreachable = errors.New("the daemon cannot be reached")

// Client is what the browser asks of a daemon. Its methods may be called from
// any goroutine. [schedctl.CodeOf] finds the code of a refusal in an error,
// whose text is shown as it is.
type Client interface {
	// Accounts returns all accounts, the disconnected ones too.
	Accounts(ctx context.Context) ([]apiv1.Account, error)
	VerifyAccount(ctx context.Context, id string) (apiv1.Account, error)
	// Platforms returns what accounts of each platform are connected with.
	Platforms(ctx context.Context) (map[string]apiv1.PlatformEntry, error)
	// AddAccount and EditAccount take options as text, or nil for the default.
	AddAccount(ctx context.Context, a apiv1.AddAccount) (apiv1.Account, error)
	EditAccount(ctx context.Context, id string, a apiv1.EditAccount) (apiv1.Account, error)

	Webhooks(ctx context.Context) ([]apiv1.Webhook, error)
	Deliveries(ctx context.Context, webhookID, cursor string) (apiv1.DeliveryList, error)
	ReplayDelivery(ctx context.Context, webhookID, id string) (apiv1.Delivery, error)

	Posts(ctx context.Context, q Query) (apiv1.PostList, error)
	Post(ctx context.Context, id string) (apiv1.Post, error)
	Timeline(ctx context.Context, id string) (apiv1.Timeline, error)
	// Validate judges a post that is there, or a new one when id is empty.
	Validate(ctx context.Context, id string, p apiv1.CreatePost) (apiv1.Validation, error)

	// Create makes the post once, however often it is called with the same key
	// and the same post.
	Create(ctx context.Context, p apiv1.CreatePost, key string) (apiv1.Post, error)
	Edit(ctx context.Context, at Version, p apiv1.EditPost) (apiv1.Post, error)
	Schedule(ctx context.Context, at Version, p apiv1.SchedulePost) (apiv1.Post, error)
	Publish(ctx context.Context, at Version) (apiv1.Post, error)
	Unschedule(ctx context.Context, at Version) (apiv1.Post, error)
	Cancel(ctx context.Context, at Version) (apiv1.Post, error)
	Delete(ctx context.Context, id string) error
	Retry(ctx context.Context, id string, p apiv1.RetryPost) (apiv1.Post, error)

	// Follow tells of what happens, until the stream ends or ctx does, and
	// returns why. It begins after the event with the id after, or with what
	// happens from now on when that is empty. As soon as the stream is open it
	// tells of an event without a type, whose id is where the stream begins. It
	// does not come back by itself.
	Follow(ctx context.Context, after string, told func(apiv1.Event)) error
}

// Version is a post as a person has seen it. A change of another version is
// refused as [schedctl.VersionMismatch].
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
