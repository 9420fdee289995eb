package apiv1

import "github.com/schedctl/schedctl"

// Post is a post as every answer shows it.
type Post struct {
	ID               string          `json:"id"`
	WorkspaceID      string          `json:"workspace_id"`
	Content          string          `json:"content"`
	Status           schedctl.Status `json:"status"`
	PublishAt        *Time           `json:"publish_at"`
	SocialAccountIDs []string        `json:"social_account_ids"`
	Targets          []Target        `json:"targets"`
	TargetOverrides  []Override      `json:"target_overrides"`
	TargetSummary    TargetSummary   `json:"target_summary"`
	ExternalID       *string         `json:"external_id"`
	Managed          *Managed        `json:"managed"`
	Labels           []string        `json:"labels"`
	Version          int64           `json:"version"`
	CreatedAt        *Time           `json:"created_at"`
	UpdatedAt        *Time           `json:"updated_at"`
}

// Managed says which file of which collection a post is made from. Digest is what
// the client last applied, in a form of its own. Pruned says that the post was
// canceled because its file was removed.
type Managed struct {
	Collection string `json:"collection"`
	Path       string `json:"path"`
	Digest     string `json:"digest"`
	Pruned     bool   `json:"pruned"`
}

// TargetSummary counts the targets of a post by status.
type TargetSummary struct {
	Total      int `json:"total"`
	Draft      int `json:"draft"`
	Scheduled  int `json:"scheduled"`
	Publishing int `json:"publishing"`
	Published  int `json:"published"`
	Failed     int `json:"failed"`
	Canceled   int `json:"canceled"`
}

// Target is a post's way to one account.
type Target struct {
	ID              string          `json:"id"`
	SocialAccountID string          `json:"social_account_id"`
	Platform        string          `json:"platform"`
	Status          schedctl.Status `json:"status"`
	PublishAt       *Time           `json:"publish_at"`
	PlatformPostID  *string         `json:"platform_post_id"`
	PlatformPostURL *string         `json:"platform_post_url"`
	PublishedAt     *Time           `json:"published_at"`
	Attempts        int             `json:"attempts"`
	NextAttemptAt   *Time           `json:"next_attempt_at"`
	Error           *TargetError    `json:"error"`
}

// Override is what one account of a post gets instead of what all get. Content
// is null for the post's own; Options go over those of the account.
type Override struct {
	SocialAccountID string         `json:"social_account_id"`
	Content         *string        `json:"content"`
	Options         map[string]any `json:"options"`
}

// TargetError says why a target was not published. On a published one, with kind
// degraded, it says what the network changed.
type TargetError struct {
	Kind       schedctl.ErrorKind `json:"kind"`
	Code       *string            `json:"code"`
	Message    string             `json:"message"`
	HTTPStatus *int               `json:"http_status"`
	Retryable  bool               `json:"retryable"`
	Outcome    schedctl.Outcome   `json:"outcome"`
}

// PostEnvelope is the answer of every call about one post.
type PostEnvelope struct {
	Post Post `json:"post"`
}

// PostList is one page of posts. Count is the number of results on this page.
type PostList struct {
	Results    []Post  `json:"results"`
	Count      int     `json:"count"`
	NextCursor *string `json:"next_cursor"`
}

// PublishNow is the value of publish_at that asks for publishing at once.
const PublishNow = "now"

// CreatePost is the body of POST /posts. PublishAt is [At], [Now], or nil for a
// draft. Replaces is the id of the canceled post that has the external id now; the
// new post takes it over.
type CreatePost struct {
	Content          string       `json:"content"`
	SocialAccountIDs []string     `json:"social_account_ids,omitempty"`
	PublishAt        *PublishTime `json:"publish_at,omitempty"`
	TargetOverrides  []Override   `json:"target_overrides,omitempty"`
	AllowDuplicate   bool         `json:"allow_duplicate,omitempty"`
	ExternalID       *string      `json:"external_id,omitempty"`
	Managed          *Managed     `json:"managed,omitempty"`
	Labels           []string     `json:"labels,omitempty"`
	Replaces         *string      `json:"replaces,omitempty"`
}

// EditPost is the body of PATCH /posts/{id}; absent fields stay as they are.
// TargetOverrides and Labels replace all that there are. ExternalID can be set
// where the post has none. ExternalID, Managed and Labels alone can be changed
// in every status.
type EditPost struct {
	Content          *string     `json:"content,omitempty"`
	SocialAccountIDs *[]string   `json:"social_account_ids,omitempty"`
	PublishAt        *Time       `json:"publish_at,omitempty"`
	TargetOverrides  *[]Override `json:"target_overrides,omitempty"`
	AllowDuplicate   bool        `json:"allow_duplicate,omitempty"`
	ExternalID       *string     `json:"external_id,omitempty"`
	Managed          *Managed    `json:"managed,omitempty"`
	Labels           *[]string   `json:"labels,omitempty"`
}

// SchedulePost is the body of POST /posts/{id}/schedule.
type SchedulePost struct {
	PublishAt        Time      `json:"publish_at"`
	SocialAccountIDs *[]string `json:"social_account_ids,omitempty"`
	AllowDuplicate   bool      `json:"allow_duplicate,omitempty"`
}

// PublishPost is the body of POST /posts/{id}/publish-now; it may be absent.
type PublishPost struct {
	SocialAccountIDs *[]string `json:"social_account_ids,omitempty"`
	AllowDuplicate   bool      `json:"allow_duplicate,omitempty"`
}

// CancelPost is the body of POST /posts/{id}/cancel; it may be absent.
type CancelPost struct {
	Managed *Managed `json:"managed,omitempty"`
}

// RetryPost is the body of POST /posts/{id}/retry; without target ids it is for
// every failed target. Force includes those whose outcome is unknown.
type RetryPost struct {
	TargetIDs []string `json:"target_ids,omitempty"`
	Force     bool     `json:"force,omitempty"`
}

// NewPost returns the wire form of a post.
func NewPost(p schedctl.Post) Post {
	s := p.Summary()
	out := Post{
		ID: p.ID, WorkspaceID: p.WorkspaceID, Content: p.Content, Status: p.Status(),
		PublishAt: NewTime(p.PublishAt), SocialAccountIDs: p.AccountIDs(),
		Targets: make([]Target, len(p.Targets)), TargetOverrides: newOverrides(p),
		TargetSummary: TargetSummary(s),
		ExternalID:    optional(p.ExternalID), Managed: (*Managed)(p.Managed), Labels: append([]string{}, p.Labels...),
		Version: p.Version, CreatedAt: NewTime(p.CreatedAt), UpdatedAt: NewTime(p.UpdatedAt),
	}
	for i := range p.Targets {
		out.Targets[i] = newTarget(p.Targets[i])
	}
	return out
}

func newOverrides(p schedctl.Post) []Override {
	list := p.Overrides()
	out := make([]Override, len(list))
	for i, o := range list {
		out[i] = Override{SocialAccountID: o.AccountID, Content: optional(o.Content), Options: orEmpty(o.Options)}
	}
	return out
}

// orEmpty returns the options, an empty object for none.
func orEmpty(o schedctl.Options) map[string]any {
	if o == nil {
		return map[string]any{}
	}
	return o
}

func newTarget(t schedctl.Target) Target {
	return Target{
		ID: t.ID, SocialAccountID: t.AccountID, Platform: t.Platform, Status: t.Status,
		PublishAt: NewTime(t.PublishAt), PlatformPostID: optional(t.PlatformPostID),
		PlatformPostURL: optional(t.PlatformPostURL), PublishedAt: NewTime(t.PublishedAt),
		Attempts: t.Attempts, NextAttemptAt: NewTime(t.ShownNext()), Error: NewTargetError(t.Error),
	}
}

// NewTargetError returns the wire form of a target's error, nil for nil.
func NewTargetError(e *schedctl.TargetError) *TargetError {
	if e == nil {
		return nil
	}
	return &TargetError{
		Kind: e.Kind, Code: optional(e.Code), Message: e.Message, HTTPStatus: optional(e.HTTPStatus),
		Retryable: e.Retryable, Outcome: e.Outcome,
	}
}

// optional returns nil for the zero value.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
