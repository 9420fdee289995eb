package schedctl

import (
	"slices"
	"time"
)

// EventType is the kind of an event.
type EventType string

// The event types. Events about a single target are marked.
const (
	EventPostCreated   EventType = "post.created"
	EventPostScheduled EventType = "post.scheduled"
	EventPostQueued    EventType = "post.queued" // one for each target that gets a publish job
	EventPostUpdated   EventType = "post.updated"
	EventPostPublished EventType = "post.published" // one target
	EventPostFailed    EventType = "post.failed"    // one target

	// EventPostCommentFailed says that the first comment of a published target failed.
	EventPostCommentFailed EventType = "post.comment_failed"

	// EventPostUnconfirmed says that the outcome of a target is unknown. It is emitted
	// once, when the outcome becomes unknown.
	EventPostUnconfirmed EventType = "post.unconfirmed"

	EventPostCanceled  EventType = "post.canceled"
	EventPostCompleted EventType = "post.completed" // the last target and the last first comment finished
	EventAccountError  EventType = "social_account.error"

	// EventPostRemoved says that a scheduled occurrence was removed with its series, or
	// because the series changed. With a target, the network no longer has a published post.
	EventPostRemoved EventType = "post.removed"

	EventPostSubmitted        EventType = "post.submitted" // waits for an approval
	EventPostApproved         EventType = "post.approved"
	EventPostChangesRequested EventType = "post.changes_requested"
	EventPostWithdrawn        EventType = "post.withdrawn" // from its review, or its approval was taken back
	EventPostNoted            EventType = "post.noted"     // a note was added

	EventSeriesSkipped EventType = "series.skipped" // occurrences were left out, see [Event.Skipped]
	EventSeriesEnded   EventType = "series.ended"

	// The steps of the review of a series, as of a post. Series have no notes.
	EventSeriesSubmitted        EventType = "series.submitted"
	EventSeriesApproved         EventType = "series.approved"
	EventSeriesChangesRequested EventType = "series.changes_requested"
	EventSeriesWithdrawn        EventType = "series.withdrawn"

	// EventAccountExpiring says that the credentials of an account end soon, and that
	// schedctl cannot renew them. It is emitted once for each of [ExpiryThresholds].
	EventAccountExpiring EventType = "social_account.expiring"

	// EventForecastAppeared says that something will make posts of the next day fail or be
	// late if no one acts. It is emitted once, until that has passed.
	EventForecastAppeared EventType = "forecast.appeared"

	// EventSourceHeld says that a source makes no posts until a person decides.
	EventSourceHeld EventType = "source.held"

	// EventSourceFailed says that the feed of a source could not be read for a day, or is gone.
	EventSourceFailed EventType = "source.failed"

	// EventSourceRecovered says that the feed of a failed source can be read again.
	EventSourceRecovered EventType = "source.recovered"

	// EventWebhookDisabled says that schedctl disabled a webhook because it failed for
	// too long.
	EventWebhookDisabled EventType = "webhook.disabled"

	// EventWebhookTest is sent to one webhook when a person tests it. It cannot be
	// subscribed to.
	EventWebhookTest EventType = "webhook.test"
)

// EventTypes lists every event type that can be subscribed to.
func EventTypes() []EventType {
	return slices.Concat([]EventType{
		EventPostCreated, EventPostScheduled, EventPostQueued, EventPostUpdated, EventPostPublished,
		EventPostUnconfirmed, EventPostFailed, EventPostCommentFailed, EventPostCanceled, EventPostRemoved, EventPostCompleted,
	}, ReviewEvents(), []EventType{
		EventSeriesSkipped, EventSeriesEnded, EventAccountError, EventAccountExpiring, EventForecastAppeared, EventWebhookDisabled,
		EventSourceHeld, EventSourceFailed, EventSourceRecovered,
	})
}

// Event records something that happened, for webhooks and event streams. It is stored
// in the transaction of the change.
type Event struct {
	ID          string
	Type        EventType
	CreatedAt   time.Time
	WorkspaceID string
	PostID      string // set on post and target events
	TargetID    string // set on target events
	AccountID   string // set on target and account events
	Platform    string // set on target and account events
	WebhookID   string // set on webhook events
	SeriesID    string // set on series events, and on forecasts about series
	SourceID    string // set on events of sources
	Status      Status // the target's on target events, the post's on post events

	PlatformPostID  string
	PlatformPostURL string
	PublishedAt     time.Time
	Error           *TargetError
	Parts           []PublishedPart // of a target with several parts: those that its network has

	Skipped *SkippedOccurrences // set on series.skipped
	Edited  bool                // on post.approved and series.approved: the approver has edited it
	Step    *ReviewStep         // set on events of reviews
}

// ForecastAppearedEvent returns the event that something will make posts fail or be late.
// about has the workspace, and the post, the series and the account that are concerned. The
// code of why is the kind of the forecast.
func ForecastAppearedEvent(about Event, why TargetError, now time.Time) Event {
	now = Millis(now)
	about.ID, about.Type, about.CreatedAt, about.Error = NewID(EventPrefix, now), EventForecastAppeared, now, &why
	return about
}

// AccountErrorEvent returns the event that a network refused an account.
func AccountErrorEvent(a Account, now time.Time) Event {
	now = Millis(now)
	return Event{
		ID: NewID(EventPrefix, now), Type: EventAccountError, CreatedAt: now,
		WorkspaceID: a.WorkspaceID, AccountID: a.ID, Platform: a.Platform, Error: a.Error,
	}
}

// SourceEvent returns an event of a source. Those that it is held or failed have its fault as
// their error.
func SourceEvent(typ EventType, s *Source, now time.Time) Event {
	now = Millis(now)
	e := Event{ID: NewID(EventPrefix, now), Type: typ, CreatedAt: now, WorkspaceID: s.WorkspaceID, SourceID: s.ID}
	if f := s.Fault; f != nil && typ != EventSourceRecovered {
		e.Error = &TargetError{Code: f.Code, Message: f.Message}
	}
	return e
}

// WebhookDisabledEvent returns the event that schedctl disabled a webhook.
func WebhookDisabledEvent(w Webhook, now time.Time) Event {
	return webhookEvent(EventWebhookDisabled, w, now)
}

// WebhookTestEvent returns the test event for a webhook.
func WebhookTestEvent(w Webhook, now time.Time) Event {
	return webhookEvent(EventWebhookTest, w, now)
}

func webhookEvent(typ EventType, w Webhook, now time.Time) Event {
	now = Millis(now)
	return Event{ID: NewID(EventPrefix, now), Type: typ, CreatedAt: now, WorkspaceID: w.WorkspaceID, WebhookID: w.ID}
}
