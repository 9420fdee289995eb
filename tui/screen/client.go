package screen

import (
	"context"
	"errors"
	"strings"
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
	// AccountGroups returns all account groups, sorted by name.
	AccountGroups(ctx context.Context) ([]apiv1.AccountGroup, error)
	// Snippets returns all snippets, sorted by name.
	Snippets(ctx context.Context) ([]apiv1.Snippet, error)
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
	// Archive puts a post away whose work is over, and Unarchive lists it again.
	Archive(ctx context.Context, at Version) (apiv1.Post, error)
	Unarchive(ctx context.Context, at Version) (apiv1.Post, error)
	// Resend makes a post for the failed targets of a post, with changes.
	Resend(ctx context.Context, at Version, p apiv1.EditPost) (apiv1.Post, error)
	Retry(ctx context.Context, id string, p apiv1.RetryPost) (apiv1.Post, error)

	// Submit, Approve, RequestChanges and AddNote have their effect once, no matter how
	// often they are called with the same key and arguments.
	Submit(ctx context.Context, at Version, p apiv1.SubmitPost, key string) (apiv1.Post, error)
	Approve(ctx context.Context, at Version, p apiv1.ApprovePost, key string) (apiv1.Post, error)
	RequestChanges(ctx context.Context, at Version, note, key string) (apiv1.Post, error)
	Withdraw(ctx context.Context, at Version) (apiv1.Post, error)
	// Notes returns the notes of a post, oldest first.
	Notes(ctx context.Context, id string) ([]apiv1.PostNote, error)
	AddNote(ctx context.Context, id, text, key string) (apiv1.PostNote, error)
	// CreateShare makes an address at which a person sees posts.
	CreateShare(ctx context.Context, s apiv1.CreateShare) (apiv1.ShareAddress, error)
	RevokeShare(ctx context.Context, id string) error
	// APIKeys returns the API keys of the workspace. It needs the scope keys:write.
	APIKeys(ctx context.Context) ([]apiv1.APIKey, error)

	// Queues returns all queues in order of creation.
	Queues(ctx context.Context) ([]apiv1.Queue, error)
	// Queue returns a queue and the posts whose slots it no longer has.
	Queue(ctx context.Context, id string) (apiv1.QueueEnvelope, error)
	// QueueSlots returns slots in order of time.
	QueueSlots(ctx context.Context, id string, q SlotQuery) ([]apiv1.QueueSlot, error)
	// OrderQueue lets posts exchange their slots: the first one gets the earliest.
	OrderQueue(ctx context.Context, id string, postIDs []string) (apiv1.QueueMoves, error)
	// PreviewReflow returns the moves that ReflowQueue makes with the same digest.
	PreviewReflow(ctx context.Context, id string) (apiv1.QueueMoves, error)
	ReflowQueue(ctx context.Context, id, digest string) (apiv1.QueueMoves, error)

	// Blackouts returns all blackouts.
	Blackouts(ctx context.Context) ([]apiv1.Blackout, error)
	// Forecast returns what will make posts of the next days fail or be late.
	Forecast(ctx context.Context) (apiv1.ForecastList, error)

	Series(ctx context.Context, id string) (apiv1.Series, error)
	// CreateSeries creates the series once, as Create does.
	CreateSeries(ctx context.Context, s apiv1.CreateSeries, key string) (apiv1.Series, error)
	// PendingSeries returns the series that wait for an approval and have not ended.
	PendingSeries(ctx context.Context) ([]apiv1.Series, error)
	// ApproveSeries and RequestSeriesChanges have their effect once, as Approve does.
	ApproveSeries(ctx context.Context, at Version, note *string, key string) (apiv1.Series, error)
	RequestSeriesChanges(ctx context.Context, at Version, note, key string) (apiv1.Series, error)
	WithdrawSeries(ctx context.Context, at Version) (apiv1.Series, error)
	// Occurrences returns the first occurrences of a series from a time on.
	Occurrences(ctx context.Context, seriesID string, after time.Time, limit int) ([]apiv1.Occurrence, error)
	SkipOccurrence(ctx context.Context, seriesID, occurrence string) error
	EditSeries(ctx context.Context, at Version, s apiv1.EditSeries) error

	// Upload uploads a file of this computer. It may call progress from any goroutine
	// until it returns. The same bytes are one asset, however often they are uploaded.
	Upload(ctx context.Context, path string, progress func(sent, size int64)) (apiv1.MediaAsset, error)

	// Follow calls notify for each event until the stream or ctx ends, and returns the
	// reason. It starts after the event with the id after, or with new events if after
	// is empty. When the stream is open, it calls notify with an event without a type;
	// the id of that event is the start position. Follow does not reconnect.
	Follow(ctx context.Context, after string, notify func(apiv1.Event)) error
}

// Version is a version of a post or series that the user has seen. A change of any other
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
	QueueID   string            // with a slot of this queue
	Approval  schedctl.ApprovalState
	Search    string    // part of the content
	After     time.Time // publish time, inclusive
	Before    time.Time // publish time, exclusive
	Sort      string    // created_at or publish_at, with "-" for descending; with Approval also proposed_at
	Cursor    string    // from PostList.NextCursor; empty for the first page
	Limit     int       // posts on a page
	Proposed  bool      // also drafts that wait for an approval, at their proposed times; see WithProposals
}

// WithProposals reports whether the query lists drafts at their proposed times. A query with
// another filter than status, account and time, or in another order than that of the times,
// does not.
func (q Query) WithProposals() bool {
	return q.Proposed && q.Label == "" && q.QueueID == "" && q.Approval == "" && q.Search == "" && strings.TrimPrefix(q.Sort, "-") == "publish_at"
}

// SlotQuery selects slots of a queue. Zero fields select everything.
type SlotQuery struct {
	AccountID string    // free means free for this account; for all accounts of the queue if it is empty
	After     time.Time // inclusive
	Before    time.Time // exclusive
	Limit     int
}
