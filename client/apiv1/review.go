package apiv1

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
)

// Approval is the review of a post or of a series.
type Approval struct {
	State       schedctl.ApprovalState `json:"state" doc:"pending: it waits for a decision; approved; changes_requested; or withdrawn." enum:"pending,approved,changes_requested,withdrawn"`
	RequestedBy KeyRef                 `json:"requested_by" doc:"The API key that asked for the approval."`
	RequestedAt *Time                  `json:"requested_at" doc:"When it asked." nullable:"false"`
	DecidedBy   *KeyRef                `json:"decided_by" doc:"Who decided; null before."`
	DecidedAt   *Time                  `json:"decided_at" doc:"When it decided; null before."`
	Note        *string                `json:"note" doc:"The note of the last step; null for none."`
	ApprovedBy  *string                `json:"approved_by" doc:"The address of the merged pull request that was the review; null for none."`
	LastChanges *ChangeRequest         `json:"last_changes_requested" doc:"The last request for changes. It stays after the post or series was submitted again, until the next decision; null for none."`
	Digest      string                 `json:"digest" doc:"A digest of what was submitted or approved: texts, title, accounts, media, overrides and card."`
	Card        *LinkCard              `json:"card" doc:"The link card that schedctl fetched for the reviewers, and that is published with the approval; for networks that fetch none themselves. Null if the post has none: it has no link, its page could not be fetched, or the review was withdrawn. Its picture is one of media_assets."`
	Previous    *ReviewedPost          `json:"previous" doc:"What the last decision about the post was about; null if there is none, or if nothing has changed since."`
}

// ChangeRequest is a request of a reviewer to change a post or a series.
type ChangeRequest struct {
	By     KeyRef `json:"by" doc:"Who asked for it."`
	At     *Time  `json:"at" doc:"When." nullable:"false"`
	Reason string `json:"reason" doc:"What has to change."`
}

// ReviewedPost is a post as it was when it was decided about.
type ReviewedPost struct {
	Content          string   `json:"content" doc:"The text."`
	MediaAssetIDs    []string `json:"media_asset_ids" doc:"The files."`
	SocialAccountIDs []string `json:"social_account_ids" doc:"The accounts."`
	Changed          []string `json:"changed" doc:"The names of the fields of the post that have changed since."`
}

// KeyRef says who did something: an API key, or a person through a share of the key. Both
// may be revoked.
type KeyRef struct {
	ID    string  `json:"id" doc:"The API key; starts with key_."`
	Name  string  `json:"name" doc:"The name of the key, or with a share the name of the person."`
	Share *string `json:"share" doc:"The share that the person used, which starts with shr_; null for none."`
}

// String returns the name for people. It says if a person used a share of the key.
func (k KeyRef) String() string {
	who := schedctl.KeyRef{Name: k.Name}
	if k.Share != nil {
		who.Share = *k.Share
	}
	return who.String()
}

func newKeyRef(k schedctl.KeyRef) KeyRef {
	return KeyRef{ID: k.ID, Name: k.Name, Share: optional(k.Share)}
}

// newOptionalKeyRef returns nil for the zero value.
func newOptionalKeyRef(k schedctl.KeyRef) *KeyRef {
	if k == (schedctl.KeyRef{}) {
		return nil
	}
	return new(newKeyRef(k))
}

// AuthorSource is the kind of an author that is a source.
const AuthorSource = "source"

// Author is the API key that made or changed an object, or the source that made a post. The
// key may be revoked, and the source removed.
type Author struct {
	ID   string `json:"id" doc:"Starts with key_, or with src_ for a source."`
	Name string `json:"name" doc:"The name of the key or the source."`
	Kind string `json:"kind" doc:"standard; agent for the key of an agent; source for a source." enum:"standard,agent,source"`
}

// Authors says who made an object, and who changed it last.
type Authors struct {
	CreatedBy *Author `json:"created_by" doc:"The API key that created it, or the source; posts of a series have that of the series. Null if it is not known: it was created by an older version of schedctl."`
	UpdatedBy *Author `json:"updated_by" doc:"The API key that changed it last; schedctl itself does not count. Null if it is not known."`
}

// NewAuthors returns the wire form of the authors of a post. find returns an API key, or
// nil. source is the name of the source of the post, if it is known.
func NewAuthors(t schedctl.Trail, source string, find func(keyID string) *schedctl.APIKey) Authors {
	author := func(id string) *Author {
		if k := find(id); k != nil {
			return &Author{ID: k.ID, Name: k.Name, Kind: keyKind(k)}
		}
		return nil
	}
	if t.SourceID != "" && source != "" {
		return Authors{CreatedBy: &Author{ID: t.SourceID, Name: source, Kind: AuthorSource}, UpdatedBy: author(t.UpdatedBy)}
	}
	return Authors{CreatedBy: author(t.CreatedBy), UpdatedBy: author(t.UpdatedBy)}
}

// ProposedTime is when a draft shall be published after its approval: at a time, or in
// the next free slot of a queue. The zero value is null in JSON: it removes the time.
type ProposedTime struct {
	Time     time.Time // ignored if NextSlot is set
	NextSlot bool
}

// String returns the wire form.
func (p ProposedTime) String() string {
	if p.NextSlot {
		return PublishNextSlot
	}
	return Time{p.Time}.String()
}

// MarshalJSON implements [json.Marshaler].
func (p ProposedTime) MarshalJSON() ([]byte, error) {
	if p == (ProposedTime{}) {
		return []byte("null"), nil
	}
	return json.Marshal(p.String())
}

// MarshalText returns the wire form: "next-slot", or the form of [Time].
func (p ProposedTime) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *ProposedTime) UnmarshalText(b []byte) error {
	if string(b) == PublishNextSlot {
		*p = ProposedTime{NextSlot: true}
		return nil
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return fmt.Errorf("proposed_at %q: want RFC 3339 or %q", b, PublishNextSlot)
	}
	*p = ProposedTime{Time: t.UTC()}
	return nil
}

// SubmitPost is the body of POST /posts/{id}/submit; it may be absent.
type SubmitPost struct {
	Note       *string       `json:"note,omitempty" doc:"For the reviewers, at most 5000 characters; null or absent for none." maxLength:"5000" nullable:"true"`
	ProposedAt *ProposedTime `json:"proposed_at,omitempty" doc:"When the post shall be published: a future time, RFC 3339 in UTC written with Z; or \"next-slot\". Null or absent for that of the draft." nullable:"true"`
}

// SubmitNew asks for the approval of a post that the request creates.
type SubmitNew struct {
	Note *string `json:"note,omitempty" doc:"For the reviewers, at most 5000 characters; null or absent for none." maxLength:"5000" nullable:"true"`
}

// ApprovePost is the body of POST /posts/{id}/approve; it may be absent.
type ApprovePost struct {
	PublishAt     *ProposedTime `json:"publish_at,omitempty" doc:"When to publish: a future time, RFC 3339 in UTC written with Z; or \"next-slot\". Null or absent for proposed_at of the post." nullable:"true"`
	QueueID       *string       `json:"queue_id,omitempty" doc:"With next-slot: the queue. Absent for the queue that names the accounts, or else the default queue." nullable:"true"`
	NotBefore     *Time         `json:"not_before,omitempty" doc:"With next-slot: take no slot before this time, RFC 3339 in UTC written with Z." nullable:"true"`
	Note          *string       `json:"note,omitempty" doc:"At most 5000 characters; null or absent for none." maxLength:"5000" nullable:"true"`
	AllowBlackout bool          `json:"allow_blackout,omitempty" doc:"Accept a time in a blackout that posts avoid."`
}

// SubmitSeries is the body of POST /series/{id}/submit; it may be absent.
type SubmitSeries struct {
	Note *string `json:"note,omitempty" doc:"For the reviewers, at most 5000 characters; null or absent for none." maxLength:"5000" nullable:"true"`
}

// ApproveSeries is the body of POST /series/{id}/approve; it may be absent.
type ApproveSeries struct {
	Note *string `json:"note,omitempty" doc:"At most 5000 characters; null or absent for none." maxLength:"5000" nullable:"true"`
}

// RequestChanges is the body of POST /posts/{id}/request-changes and
// POST /series/{id}/request-changes.
type RequestChanges struct {
	Note string `json:"note" doc:"What has to change, 1 to 5000 characters." minLength:"1" maxLength:"5000"`
}

// PostNote is a remark about a post. It is never published.
type PostNote struct {
	ID        string `json:"id" doc:"Starts with note_."`
	By        KeyRef `json:"by" doc:"Who wrote it."`
	Text      string `json:"text" doc:"The text."`
	CreatedAt *Time  `json:"created_at" doc:"When it was written." nullable:"false"`
}

// PostNoteEnvelope is the response of POST /posts/{id}/notes.
type PostNoteEnvelope struct {
	Note PostNote `json:"note" doc:"The note."`
}

// PostNoteList is all notes of a post.
type PostNoteList struct {
	Results []PostNote `json:"results" doc:"The notes, oldest first."`
	Count   int        `json:"count" doc:"The number of results."`
}

// AddNote is the body of POST /posts/{id}/notes.
type AddNote struct {
	Text string `json:"text" doc:"1 to 5000 characters." minLength:"1" maxLength:"5000"`
}

// NewPostNote returns the wire form of a note.
func NewPostNote(n schedctl.PostNote) PostNote {
	return PostNote{ID: n.ID, By: newKeyRef(n.By), Text: n.Text, CreatedAt: NewTime(n.CreatedAt)}
}

// newPostApproval returns the wire form of the review of a post.
func newPostApproval(p *schedctl.Post) *Approval {
	out := newApproval(&p.Review)
	if out != nil && p.Card != nil && out.State != schedctl.ApprovalWithdrawn {
		out.Card = newLinkPreview(*p.Card).Card
	}
	if out == nil || out.State == schedctl.ApprovalApproved {
		return out
	}
	if r := p.LastDecided(); r != nil {
		out.Previous = &ReviewedPost{Content: r.Text, MediaAssetIDs: make([]string, len(r.Media)), SocialAccountIDs: append([]string{}, r.Accounts...), Changed: r.Changed(p.Reviewed())}
		for i := range r.Media {
			out.Previous.MediaAssetIDs[i] = r.Media[i].AssetID
		}
	}
	return out
}

func newApproval(r *schedctl.Review) *Approval {
	a := r.Approval
	if a == nil {
		return nil
	}
	out := &Approval{
		State: a.State, RequestedBy: newKeyRef(a.RequestedBy), RequestedAt: NewTime(a.RequestedAt), DecidedBy: newOptionalKeyRef(a.DecidedBy), DecidedAt: NewTime(a.DecidedAt),
		Note: optional(a.Note), ApprovedBy: optional(a.Source), Digest: hex.EncodeToString(a.Digest[:]),
	}
	if c := r.ChangesRequested(); c != nil {
		out.LastChanges = &ChangeRequest{By: newKeyRef(c.By), At: NewTime(c.At), Reason: c.Reason}
	}
	return out
}

func newProposedTime(p schedctl.ProposedTime) *ProposedTime {
	if p == (schedctl.ProposedTime{}) {
		return nil
	}
	return &ProposedTime{Time: p.At, NextSlot: p.NextSlot}
}

// FormatPolicy returns the wire form of a policy of approvals: off, agents or all.
func FormatPolicy(p schedctl.ApprovalPolicy) string {
	if p == schedctl.ApprovalsOff {
		return "off"
	}
	return string(p)
}

// EditWorkspace is the body of PATCH /workspaces/{id}.
type EditWorkspace struct {
	Approvals *string `json:"approvals,omitempty" doc:"Which posts need an approval before they are published: off, agents or all." enum:"off,agents,all"`
	FourEyes  *bool   `json:"four_eyes,omitempty" doc:"Whether each text needs two people: an approver who has edited it cannot approve it."`
	Locale    *string `json:"locale,omitempty" doc:"The language in which pages of shares show dates." enum:"en,de,es,fr,it,nl,pt,sv"`
	Existing  string  `json:"existing,omitempty" doc:"What becomes of scheduled posts and active series that lack an approval which the change demands: approve (by this key, which needs posts:approve), or submit (they become drafts that wait for an approval and propose their time)." enum:"approve,submit"`
}
