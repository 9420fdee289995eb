package apiv1

import "github.com/schedctl/schedctl"

// Post is a post in every response.
type Post struct {
	ID            string       `json:"id" doc:"Starts with post_."`
	WorkspaceID   string       `json:"workspace_id" doc:"The workspace that the post belongs to."`
	Content       string       `json:"content" doc:"The text; empty if the post has only media."`
	Media         []PostMedia  `json:"media" doc:"The files of the post, in the order in which they are shown."`
	MediaAssetIDs []string     `json:"media_asset_ids" doc:"The ids of the files in media."`
	MediaAssets   []MediaAsset `json:"media_assets" doc:"The assets of the files in media, then those of other parts, of overrides, of the link preview and of the reviewed link card. An asset that was deleted after publishing is left out."`
	Extras
	Status           schedctl.Status `json:"status" doc:"Derived from the targets: publishing while any target is, or while only some have finished; failed when all have finished and at least one failed."`
	PublishAt        *Time           `json:"publish_at" doc:"When the post is due; null on a draft. After publish-now it is the time of that request."`
	SocialAccountIDs []string        `json:"social_account_ids" doc:"The accounts of the targets, in their order."`
	Targets          []Target        `json:"targets" doc:"One for each account."`
	TargetOverrides  []Override      `json:"target_overrides" doc:"Settings of single accounts that differ from the rest of the post."`
	TargetSummary    TargetSummary   `json:"target_summary" doc:"The number of targets by status."`
	ExternalID       *string         `json:"external_id" doc:"The client's own id for the post, unique in the workspace; null for none."`
	Managed          *Managed        `json:"managed" doc:"The file that the post comes from; null for none."`
	Labels           []string        `json:"labels" doc:"Sorted, without duplicates."`
	QueueID          *string         `json:"queue_id" doc:"The queue whose slot the post has; null for a post with a fixed time, and after the queue was deleted."`
	Slot             *Slot           `json:"slot" doc:"The slot that the post has; null for a post with a fixed time."`
	NotBefore        *Time           `json:"not_before" doc:"The post takes no slot before this time; null for no limit."`
	SeriesID         *string         `json:"series_id" doc:"The series that the post is an occurrence of; null for other posts. The series may have been deleted."`
	Occurrence       *string         `json:"occurrence" doc:"Which occurrence of the series the post is: its local time in the zone of the series. Null for other posts."`
	Detached         bool            `json:"detached" doc:"Whether the post was changed alone, so that edits of its series do not change it."`
	Title            *string         `json:"title" doc:"The title that the client gave the post; no network gets it. Null for none."`
	PostStyle        *string         `json:"post_style" doc:"What the first part consists of, as the client named it: text, text_media, media_only or video_only. Null if no client has named it, or if a later edit that names none made it wrong."`
	Approval         *Approval       `json:"approval" doc:"The last review of the post; null for none."`
	ProposedAt       *ProposedTime   `json:"proposed_at" doc:"When the draft shall be published after its approval: a time, or next-slot; null for none, and on posts that are not drafts."`
	ArchivedAt       *Time           `json:"archived_at" doc:"When the post was archived; null unless it was. Lists leave archived posts out."`
	ResendOf         *string         `json:"resend_of" doc:"The failed post whose targets this post sends again; null for other posts."`
	ResentAs         *string         `json:"resent_as" doc:"The post that sends the failed targets of this one again; null for none."`
	SourceID         *string         `json:"source_id" doc:"The source that made the post of one of its items; null for other posts."`
	SourceItemID     *string         `json:"source_item_id" doc:"The item of that source; null for other posts."`
	Authors
	Warnings     []string `json:"warnings,omitempty" doc:"Why a draft or scheduled post may need attention: all its accounts are disconnected, an account waits until the post is too late, or the API key that created it is revoked. Responses of publish-now, retry and resend also name the holds that the post waits for. Absent without warnings."`
	ProposedAlso []string `json:"proposed_also,omitempty" doc:"Other posts that wait for an approval and propose the same time for one of the accounts. Only in the responses of getPost, for a post that waits, and of operations that submit or approve the post. Absent without any."`
	Version      int64    `json:"version" doc:"1 for a new post, increased with every change. The ETag is derived from it."`
	CreatedAt    *Time    `json:"created_at" doc:"When the post was created." nullable:"false"`
	UpdatedAt    *Time    `json:"updated_at" doc:"When the post was last changed." nullable:"false"`
}

// Managed says which file of which collection a post comes from. Digest describes
// what the client last applied, in a format of the client's choice. Pruned reports
// that the post was canceled because its file was removed.
type Managed struct {
	Collection string `json:"collection" doc:"1 to 80 letters, digits, dots, underscores or hyphens; import and source are reserved." pattern:"^[A-Za-z0-9._-]{1,80}$"`
	Path       string `json:"path" doc:"The path of the file, 1 to 500 characters." minLength:"1" maxLength:"500"`
	Digest     string `json:"digest" doc:"A digest of the content that the client last applied, in a format of the client's choice." minLength:"1" maxLength:"128" pattern:"^[!-~]+$"`
	Pruned     bool   `json:"pruned" doc:"Whether the post was canceled because its file was removed." required:"false"`
}

// TargetSummary counts the targets of a post by status.
type TargetSummary struct {
	Total      int `json:"total" doc:"All targets."`
	Draft      int `json:"draft" doc:"Targets of a draft."`
	Scheduled  int `json:"scheduled" doc:"Waiting for their time."`
	Publishing int `json:"publishing" doc:"Queued, running, or waiting for a retry."`
	Published  int `json:"published" doc:"On the network."`
	Failed     int `json:"failed" doc:"Failed for good."`
	Canceled   int `json:"canceled" doc:"Canceled."`
}

// Target is a post's way to one account.
type Target struct {
	ID              string          `json:"id" doc:"Starts with pt_."`
	SocialAccountID string          `json:"social_account_id" doc:"The account of the target."`
	Platform        string          `json:"platform" doc:"The network of the account."`
	Status          schedctl.Status `json:"status" doc:"A target stays publishing between two attempts and while its account waits."`
	PublishAt       *Time           `json:"publish_at" doc:"When the target is due; null on a draft."`
	PlatformPostID  *string         `json:"platform_post_id" doc:"The network's id of the published post; null before."`
	PlatformPostURL *string         `json:"platform_post_url" doc:"The public URL of the published post; null before."`
	PublishedAt     *Time           `json:"published_at" doc:"When the network published it; null before."`
	Attempts        int             `json:"attempts" doc:"The number of attempts so far."`
	NextAttemptAt   *Time           `json:"next_attempt_at" doc:"When the next attempt starts; null when none is planned."`
	Error           *TargetError    `json:"error" doc:"The error of the last attempt; null otherwise. On a published target, with kind degraded: the changes that the network made. It may also be the error of the first comment."`
	Parts           []TargetPart    `json:"parts" doc:"What the account publishes, in order: the post, the replies of its thread, and the first comment. A post without them has one part."`
	Waits           *Waits          `json:"waits" doc:"Why the target waits, such as a rate limit of its account or a hold of one of its labels, and until when; null if nothing delays it. Always null in the responses of operations that change the post."`
}

// Override is what one account of a post gets instead of what all get. Content
// is null for the post's own; Options go over those of the account.
type Override struct {
	SocialAccountID string         `json:"social_account_id" doc:"One of the post's accounts, at most once each."`
	Media           *[]PostMedia   `json:"media" doc:"The files for this account; null or absent for those of the post, empty for none." maxItems:"100" nullable:"true" required:"false"`
	Content         *string        `json:"content" doc:"The text for this account, 1 to 5000 characters; null or absent for the content of the post." minLength:"1" maxLength:"5000" required:"false"`
	Thread          *[]Part        `json:"thread" doc:"The thread for this account; null or absent for that of the post, empty for none." maxItems:"24" nullable:"true" required:"false"`
	Poll            *Poll          `json:"poll" doc:"The poll for this account; null or absent for that of the post, one without options for none." required:"false"`
	ContentWarning  *string        `json:"content_warning" doc:"The content warning for this account; null or absent for that of the post." maxLength:"500" required:"false"`
	Visibility      *string        `json:"visibility" doc:"The visibility for this account; null or absent for that of the post." enum:"public,unlisted,followers,direct" required:"false"`
	Language        *string        `json:"language" doc:"The language for this account; null or absent for that of the post." maxLength:"71" required:"false"`
	Options         map[string]any `json:"options" doc:"Options for this post that override those of the account. Only options that a single post may set are allowed, such as visibility on mastodon or langs on bluesky." nullable:"true" required:"false"`
}

// TargetError says why a target was not published. On a published one, with kind
// degraded, it says what the network changed.
type TargetError struct {
	Kind       schedctl.ErrorKind `json:"kind" doc:"rate_limited, network and platform are retried; auth waits for the account; degraded is a warning about a published post; other kinds are final."`
	Code       *string            `json:"code" doc:"The network's own error code; null when it has none."`
	Message    string             `json:"message" doc:"An explanation for people."`
	HTTPStatus *int               `json:"http_status" doc:"The HTTP status of the network's response; null without a response."`
	Retryable  bool               `json:"retryable" doc:"Whether a retry may succeed."`
	Outcome    schedctl.Outcome   `json:"outcome" doc:"unknown when the network may have published the post although no success was reported; such a target is not retried automatically. published only with kind degraded."`
}

// PostEnvelope is the response to requests about one post.
type PostEnvelope struct {
	Post Post `json:"post" doc:"The post."`
}

// PostList is one page of posts. Count is the number of results on this page.
type PostList struct {
	Results    []Post  `json:"results" doc:"The posts in the requested order."`
	Count      int     `json:"count" doc:"The number of results on this page."`
	NextCursor *string `json:"next_cursor" doc:"The cursor of the next page; null on the last page."`
}

// PublishNow is the value of publish_at that asks for publishing at once.
const PublishNow = "now"

// PublishNextSlot is the value of publish_at that asks for the next free slot of a queue.
const PublishNextSlot = "next-slot"

// CreatePost is the body of POST /posts. PublishAt is [At], [Now], or nil for a
// draft. Replaces is the id of the canceled post that has the external id now; the
// new post takes it over.
type CreatePost struct {
	Content       string      `json:"content,omitempty" doc:"At most 5000 characters, not only white space. It may be empty or absent if there are media." maxLength:"5000"`
	Media         []PostMedia `json:"media,omitempty" doc:"The files of the post, in the order in which they are shown. Only a draft may have files whose upload is not confirmed." maxItems:"100"`
	MediaAssetIDs []string    `json:"media_asset_ids,omitempty" doc:"The short form of media, for files with the alt texts of their assets. Use one of both." maxItems:"100" uniqueItems:"true"`
	NewExtras
	SocialAccountIDs []string      `json:"social_account_ids,omitempty" doc:"Connected accounts of the workspace; optional for a draft." maxItems:"100" uniqueItems:"true"`
	PublishAt        *PublishTime  `json:"publish_at,omitempty" doc:"A future time, RFC 3339 in UTC written with Z, such as 2026-06-02T15:00:00Z; \"now\"; or \"next-slot\" for the next free slot of a queue. Null or absent for a draft. Fractions are rounded up to milliseconds." nullable:"true"`
	QueueID          *string       `json:"queue_id,omitempty" doc:"With next-slot: the queue. Absent for the queue that names the accounts, or else the default queue." nullable:"true"`
	NotBefore        *Time         `json:"not_before,omitempty" doc:"With next-slot: take no slot before this time, RFC 3339 in UTC written with Z." nullable:"true"`
	AllowBlackout    bool          `json:"allow_blackout,omitempty" doc:"Accept a time in a blackout that posts avoid."`
	ProposedAt       *ProposedTime `json:"proposed_at,omitempty" doc:"Of a draft: when it shall be published after its approval, RFC 3339 in UTC written with Z; or \"next-slot\"." nullable:"true"`
	Submit           *SubmitNew    `json:"submit,omitempty" doc:"Ask for the approval of the post in the same request: it is a draft that waits, and publish_at is read as proposed_at. Absent not to ask."`
	ApprovedBy       *string       `json:"approved_by,omitempty" doc:"The address of the merged pull request that was the review of this post, for keys with posts:approve and posts:write. It is written to the audit log." maxLength:"500" nullable:"true"`
	TargetOverrides  []Override    `json:"target_overrides,omitempty" doc:"Settings of single accounts that differ from the rest of the post, at most one entry for each account." maxItems:"100"`
	AllowDuplicate   bool          `json:"allow_duplicate,omitempty" doc:"Accept the text even if duplicate_guard of an account would refuse it because another post with the same text is too close in time."`
	ExternalID       *string       `json:"external_id,omitempty" doc:"The client's own id for the post, 1 to 200 visible ASCII characters; null or absent for none. The request is refused while another post of the workspace has it." minLength:"1" maxLength:"200" pattern:"^[!-~]+$" nullable:"true"`
	Managed          *Managed      `json:"managed,omitempty" doc:"The file that the post comes from; null or absent for none."`
	Labels           []string      `json:"labels,omitempty" doc:"At most 20, each of 1 to 50 characters without commas, control characters, and leading or trailing spaces. The daemon sorts them and removes duplicates." maxItems:"20" minLength:"1" maxLength:"50"`
	Replaces         *string       `json:"replaces,omitempty" doc:"The id of the canceled post that currently has the external_id. That post loses its external_id and its managed in the same transaction." nullable:"true"`
	Title            *string       `json:"title,omitempty" doc:"A title for the users of the client, at most 140 characters; no network gets it. Null or absent for none." maxLength:"140" nullable:"true"`
	PostStyle        *string       `json:"post_style,omitempty" doc:"What the first part consists of; null or absent to leave it out. The request is refused if the post differs." enum:"text,text_media,media_only,video_only" nullable:"true"`
}

// EditPost is the body of PATCH /posts/{id}; absent fields stay as they are.
// TargetOverrides and Labels replace all that there are. ExternalID can be set
// where the post has none. ExternalID, Managed, Labels, Title and PostStyle alone can
// be changed in every status.
type EditPost struct {
	Content       *string      `json:"content,omitempty" doc:"The new text; it may be empty if the post has media." maxLength:"5000"`
	Media         *[]PostMedia `json:"media,omitempty" doc:"The new list of files, which replaces the existing one; an empty list removes all." maxItems:"100"`
	MediaAssetIDs *[]string    `json:"media_asset_ids,omitempty" doc:"The short form of media, for files with the alt texts of their assets. Use one of both." maxItems:"100" uniqueItems:"true"`
	ExtrasChange
	SocialAccountIDs *[]string     `json:"social_account_ids,omitempty" doc:"The new list of accounts; targets of accounts that stay are kept." maxItems:"100" uniqueItems:"true"`
	PublishAt        *PublishTime  `json:"publish_at,omitempty" doc:"The new time, RFC 3339 in UTC written with Z; or \"next-slot\" for the next free slot of a queue. Null is allowed on a draft only and changes nothing." nullable:"true"`
	QueueID          *string       `json:"queue_id,omitempty" doc:"With next-slot: the queue. Absent for the queue that names the accounts, or else the default queue." nullable:"true"`
	NotBefore        *Time         `json:"not_before,omitempty" doc:"With next-slot: take no slot before this time, RFC 3339 in UTC written with Z." nullable:"true"`
	AllowBlackout    bool          `json:"allow_blackout,omitempty" doc:"Accept a time in a blackout that posts avoid."`
	ProposedAt       *ProposedTime `json:"proposed_at,omitempty" doc:"Of a draft: the new proposed time, RFC 3339 in UTC written with Z, or \"next-slot\"; null removes it." nullable:"true"`
	ApprovedBy       *string       `json:"approved_by,omitempty" doc:"The address of the merged pull request that was the review of this change, for keys with posts:approve and posts:write. It is written to the audit log." maxLength:"500" nullable:"true"`
	TargetOverrides  *[]Override   `json:"target_overrides,omitempty" doc:"The new list of overrides, which replaces the existing one; an empty list removes all." maxItems:"100"`
	AllowDuplicate   bool          `json:"allow_duplicate,omitempty" doc:"Accept the text even if duplicate_guard of an account would refuse it because another post with the same text is too close in time."`
	ExternalID       *string       `json:"external_id,omitempty" doc:"The client's own id for the post, if it has none yet. It cannot be changed or removed later." minLength:"1" maxLength:"200" pattern:"^[!-~]+$" nullable:"true"`
	Managed          *Managed      `json:"managed,omitempty" doc:"The file that the post comes from; null takes the post out of its collection."`
	Labels           *[]string     `json:"labels,omitempty" doc:"The new list of labels; an empty list removes all." maxItems:"20" minLength:"1" maxLength:"50"`
	Title            *string       `json:"title,omitempty" doc:"The new title, at most 140 characters; null or an empty text removes it." maxLength:"140" nullable:"true"`
	PostStyle        *string       `json:"post_style,omitempty" doc:"What the first part of the changed post consists of; null removes it. The request is refused if the post differs." enum:"text,text_media,media_only,video_only" nullable:"true"`
}

// SchedulePost is the body of POST /posts/{id}/schedule.
type SchedulePost struct {
	PublishAt        PublishTime `json:"publish_at" doc:"A future time, RFC 3339 in UTC written with Z, such as 2026-06-02T15:00:00Z; or \"next-slot\" for the next free slot of a queue."`
	QueueID          *string     `json:"queue_id,omitempty" doc:"With next-slot: the queue. Absent for the queue that names the accounts, or else the default queue." nullable:"true"`
	NotBefore        *Time       `json:"not_before,omitempty" doc:"With next-slot: take no slot before this time, RFC 3339 in UTC written with Z." nullable:"true"`
	AllowBlackout    bool        `json:"allow_blackout,omitempty" doc:"Accept a time in a blackout that posts avoid."`
	SocialAccountIDs *[]string   `json:"social_account_ids,omitempty" doc:"The new list of accounts; absent to keep those of the draft." maxItems:"100" uniqueItems:"true"`
	AllowDuplicate   bool        `json:"allow_duplicate,omitempty" doc:"Accept the text even if duplicate_guard of an account would refuse it because another post with the same text is too close in time."`
}

// PublishPost is the body of POST /posts/{id}/publish-now; it may be absent.
type PublishPost struct {
	SocialAccountIDs *[]string `json:"social_account_ids,omitempty" doc:"The new list of accounts; absent to keep those of the post." maxItems:"100" uniqueItems:"true"`
	AllowDuplicate   bool      `json:"allow_duplicate,omitempty" doc:"Accept the text even if duplicate_guard of an account would refuse it because another post with the same text is too close in time."`
}

// CancelPost is the body of POST /posts/{id}/cancel; it may be absent.
type CancelPost struct {
	Managed *Managed `json:"managed,omitempty" doc:"The file that the post comes from; absent to keep it, null to take the post out of its collection."`
}

// RetryPost is the body of POST /posts/{id}/retry; without target ids it is for
// every failed target. Force includes those whose outcome is unknown.
type RetryPost struct {
	TargetIDs []string `json:"target_ids,omitempty" doc:"The targets to retry; absent for all failed ones." minItems:"1" maxItems:"100"`
	Force     bool     `json:"force,omitempty" doc:"Also retry targets that may have been published already."`
}

// ResendPost is the body of POST /posts/{id}/resend; it may be absent. Absent fields have the
// values of the failed post, but the accounts are those of the failed targets. PublishAt may
// be [Now]; without it the new post is a draft.
type ResendPost struct {
	EditPost
	Force bool `json:"force,omitempty" doc:"Also send what may have been published already."`
}

// NewPost returns the wire form of a post. assets are those of its media; missing ones
// are left out.
func NewPost(p schedctl.Post, assets ...schedctl.MediaAsset) Post {
	s := p.Summary()
	out := Post{
		ID: p.ID, WorkspaceID: p.WorkspaceID, Content: p.Text, Status: p.Status(),
		Media: postMedia(p.Media), MediaAssetIDs: make([]string, len(p.Media)), MediaAssets: postAssets(&p, assets),
		PublishAt: NewTime(p.PublishAt), SocialAccountIDs: p.AccountIDs(),
		Targets: make([]Target, len(p.Targets)), TargetOverrides: newOverrides(p),
		TargetSummary: TargetSummary(s),
		ExternalID:    optional(p.ExternalID), Managed: (*Managed)(p.Managed), Labels: append([]string{}, p.Labels...),
		Title: optional(p.Title), PostStyle: optional(string(p.Style)),
		Extras:  newExtras(&p.Content),
		QueueID: optional(p.QueueID), Slot: newSlot(p.Slot), NotBefore: NewTime(p.NotBefore),
		SeriesID: optional(p.SeriesID), Occurrence: optional(string(p.Occurrence)), Detached: p.Detached,
		Approval: newPostApproval(&p), ProposedAt: newProposedTime(p.Proposed),
		ArchivedAt: NewTime(p.ArchivedAt), ResendOf: optional(p.ResendOf), ResentAs: optional(p.ResentAs),
		SourceID: optional(p.SourceID), SourceItemID: optional(p.ItemID),
		Version: p.Version, CreatedAt: NewTime(p.CreatedAt), UpdatedAt: NewTime(p.UpdatedAt),
	}
	for i := range p.Targets {
		out.Targets[i] = newTarget(&p, &p.Targets[i])
	}
	for i := range p.Media {
		out.MediaAssetIDs[i] = p.Media[i].AssetID
	}
	return out
}

func newOverrides(p schedctl.Post) []Override {
	list := p.Overrides()
	out := make([]Override, len(list))
	for i, o := range list {
		out[i] = Override{
			SocialAccountID: o.AccountID, Content: optional(o.Text), Options: orEmpty(o.Options), Poll: newPoll(o.Poll),
			ContentWarning: optional(o.ContentWarning), Visibility: optional(o.Visibility), Language: optional(o.Language),
		}
		if o.Thread != nil {
			out[i].Thread = new(newParts(o.Thread))
		}
		if o.Media != nil {
			out[i].Media = new(postMedia(o.Media))
		}
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

func newTarget(p *schedctl.Post, t *schedctl.Target) Target {
	return Target{
		ID: t.ID, SocialAccountID: t.AccountID, Platform: t.Platform, Status: t.Status,
		PublishAt: NewTime(t.PublishAt), PlatformPostID: optional(t.PlatformPostID),
		PlatformPostURL: optional(t.PlatformPostURL), PublishedAt: NewTime(t.PublishedAt),
		Attempts: t.Attempts, NextAttemptAt: NewTime(t.ShownNext()), Error: NewTargetError(t.Error),
		Parts: newTargetParts(p, t),
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
