package apiv1

import "github.com/schedctl/schedctl"

// Event is an event, as sent to webhooks and by GET /events.
type Event struct {
	ID        string             `json:"id" doc:"Starts with evt_. Ids increase in the order of the events."`
	Type      schedctl.EventType `json:"type" doc:"The type of the event. A webhook.test is sent to one webhook on request, and to no stream."`
	CreatedAt *Time              `json:"created_at" doc:"When it happened." nullable:"false"`
	Data      EventData          `json:"data" doc:"The objects of the event."`
}

// EventData is the objects of an event. Fields that do not apply to its type are
// absent.
type EventData struct {
	WorkspaceID     string          `json:"workspace_id" doc:"The workspace."`
	PostID          string          `json:"post_id,omitempty" doc:"The post, on events of posts and targets."`
	TargetID        string          `json:"target_id,omitempty" doc:"The target, on events of targets."`
	SocialAccountID string          `json:"social_account_id,omitempty" doc:"The account, on events of targets and accounts."`
	WebhookID       string          `json:"webhook_id,omitempty" doc:"The webhook, on events of webhooks."`
	SeriesID        string          `json:"series_id,omitempty" doc:"The series, on events of series, and on forecasts about series."`
	SourceID        string          `json:"source_id,omitempty" doc:"The source, on events of sources."`
	Skipped         *Skipped        `json:"skipped,omitempty" doc:"The occurrences that were left out, on series.skipped."`
	Platform        string          `json:"platform,omitempty" doc:"The network of the account."`
	Status          schedctl.Status `json:"status,omitempty" doc:"The status after the event: of the target on its events, otherwise of the post."`
	PlatformPostID  string          `json:"platform_post_id,omitempty" doc:"The network's id of the published post."`
	PlatformPostURL string          `json:"platform_post_url,omitempty" doc:"The public URL of the published post."`
	PublishedAt     *Time           `json:"published_at,omitempty" doc:"When the network published the post."`
	Parts           []PublishedPart `json:"parts,omitempty" doc:"The parts of a thread that the network has, with the first comment. Absent for a post with one part."`
	Edited          bool            `json:"edited,omitempty" doc:"On post.approved and series.approved: the approver has edited it."`
	By              *EventAuthor    `json:"by,omitempty" doc:"On events of reviews: who took the step."`
	Note            string          `json:"note,omitempty" doc:"On events of reviews: the note, or the reason of a request for changes. Absent if there is none."`
	Version         int64           `json:"version,omitempty" doc:"On events of reviews: the version of the post or series that the step was about. It is the one that waits after post.submitted, and otherwise the one that was decided, withdrawn or noted."`
	Error           *TargetError    `json:"error,omitempty" doc:"The error. On post.published, with kind degraded: the changes that the network made. On forecast.appeared: what will happen, with the kind of the forecast as code."`
}

// EventAuthor is who took a step of a review. The API key may be revoked.
type EventAuthor struct {
	ID   string `json:"id" doc:"Starts with key_."`
	Name string `json:"name" doc:"The name of the key."`
	Kind string `json:"kind" doc:"standard, or agent for the key of an agent." enum:"standard,agent"`

	Share string `json:"share,omitempty" doc:"The share that the person used, which starts with shr_; absent for none. The name is then that of the person."`
}

// Skipped says which occurrences of a series were left out, and why.
type Skipped struct {
	Reason schedctl.SkipReason `json:"reason" doc:"missed: no daemon was running, and a later occurrence was published; duplicate: the duplicate guard of an account refuses the text; no_slot: the queue had no free slot on that day; refused: a network refuses the content, or the accounts are gone."`
	Count  int                 `json:"count" doc:"The number of occurrences."`
	First  string              `json:"first" doc:"The local time of the first one."`
	Last   string              `json:"last" doc:"The local time of the last one."`
}

func newSkipped(s *schedctl.SkippedOccurrences) *Skipped {
	if s == nil {
		return nil
	}
	return &Skipped{Reason: s.Reason, Count: s.Count, First: string(s.First), Last: string(s.Last)}
}

// NewEvent returns the wire form of an event.
func NewEvent(e schedctl.Event) Event {
	out := Event{ID: e.ID, Type: e.Type, CreatedAt: NewTime(e.CreatedAt), Data: EventData{
		WorkspaceID: e.WorkspaceID, PostID: e.PostID, TargetID: e.TargetID, SocialAccountID: e.AccountID,
		WebhookID: e.WebhookID, SeriesID: e.SeriesID, SourceID: e.SourceID, Skipped: newSkipped(e.Skipped), Platform: e.Platform, Status: e.Status,
		PlatformPostID: e.PlatformPostID, PlatformPostURL: e.PlatformPostURL,
		PublishedAt: NewTime(e.PublishedAt), Error: NewTargetError(e.Error), Parts: newPublishedParts(e.Parts), Edited: e.Edited,
	}}
	if s := e.Step; s != nil {
		out.Data.By, out.Data.Note, out.Data.Version = &EventAuthor{ID: s.By.ID, Name: s.By.Name, Kind: kindOfKey(s.Agent), Share: s.By.Share}, s.Note, s.Version
	}
	return out
}
