package schedctl

import (
	"slices"
	"time"
)

// ApprovalPolicy says whose posts need an approval before they are published.
type ApprovalPolicy string

// The policies. The zero value means ApprovalsOff.
const (
	ApprovalsOff    ApprovalPolicy = ""
	ApprovalsAgents ApprovalPolicy = "agents" // posts that an agent wrote or edited last, or starts
	ApprovalsAll    ApprovalPolicy = "all"
)

// ApprovalState is what the reviewers say about a post.
type ApprovalState string

// The states of an approval.
const (
	ApprovalPending          ApprovalState = "pending"
	ApprovalApproved         ApprovalState = "approved"
	ApprovalChangesRequested ApprovalState = "changes_requested"
	ApprovalWithdrawn        ApprovalState = "withdrawn"
)

// ApprovalStates lists the states.
func ApprovalStates() []ApprovalState {
	return []ApprovalState{ApprovalPending, ApprovalApproved, ApprovalChangesRequested, ApprovalWithdrawn}
}

// KeyRef says who did something, in a record that may outlive the API key and the share.
type KeyRef struct {
	ID    string // of the API key
	Name  string // of the key, or of the person who acted through a share of it
	Share string // the id of that share; empty for none
}

// String returns the name for people. It says if a person used a share of the key.
func (k KeyRef) String() string {
	if k.Share != "" {
		return k.Name + " (with a share)"
	}
	return k.Name
}

// Approval is the review of a post.
type Approval struct {
	State       ApprovalState
	RequestedBy KeyRef
	RequestedAt time.Time
	DecidedBy   KeyRef    // of the last decision; zero before
	DecidedAt   time.Time // of the last decision; zero before
	Note        string    // of the last step; may be empty
	Source      string    // the address of the merged pull request that was the review, which one key can bring; may be empty

	// Digest is the [Post.ReviewDigest] of what was submitted last, or approved.
	Digest [32]byte
}

// ChangeRequest is a request of a reviewer to change a post or a series.
type ChangeRequest struct {
	By     KeyRef
	At     time.Time
	Reason string
}

// Review says who wrote what a post publishes, and who approved it.
type Review struct {
	Approval *Approval    // the last one, or nil
	Proposed ProposedTime // of a draft
	EditorID string       // the API key that last set a field of the [Post.ReviewDigest]; may be empty

	// ByAgent and Restricted say that the key that made the post, or edited it last, is
	// an agent's, or needs approvals itself.
	ByAgent    bool
	Restricted bool

	// Decided is the [Post.Reviewed] of the last decision about the post; empty before.
	Decided string

	// Changes is the last request for changes, until an approval. Nil for none; see
	// [Review.ChangesRequested].
	Changes *ChangeRequest

	Notes []PostNote // oldest first

	// Card is the link card that was fetched for reviewers, and that is published with the
	// approval. With [PreviewNone], the page of its URL could not be fetched, and no card is
	// published. Nil if none was fetched.
	Card *LinkPreview
}

// IsZero reports whether all fields are empty.
func (r *Review) IsZero() bool {
	return r.Approval == nil && r.Proposed == (ProposedTime{}) && r.EditorID == "" && !r.ByAgent && !r.Restricted && r.Decided == "" && len(r.Notes) == 0 && r.Card == nil && r.Changes == nil
}

// ChangesRequested returns the last request for changes, which stays after the post or series
// was submitted again. It is nil if there is none, or if an approval followed.
func (r *Review) ChangesRequested() *ChangeRequest {
	if a := r.Approval; r.Changes == nil && a != nil && a.State == ApprovalChangesRequested { // of an older version of schedctl
		return &ChangeRequest{By: a.DecidedBy, At: a.DecidedAt, Reason: a.Note}
	}
	return r.Changes
}

// decided records a decision, whose approval is a: a request for changes stays until the next
// decision.
func (r *Review) decided(a *Approval) {
	r.Approval, r.Changes = a, nil
	r.Changes = r.ChangesRequested()
}

// PlannedAt returns the time of a post, or the proposed one of a draft. It is zero without
// either, and for a draft that proposes the next slot.
func (p *Post) PlannedAt() time.Time {
	if p.PublishAt.IsZero() {
		return p.Proposed.At
	}
	return p.PublishAt
}

// IsProposal reports whether the post is a draft that waits for an approval and proposes a
// time.
func (p *Post) IsProposal() bool {
	return p.Approval != nil && p.Approval.State == ApprovalPending && !p.Proposed.At.IsZero() && p.Status() == Draft
}

// clone returns a copy that shares no memory with r.
func (r *Review) clone() Review {
	c := *r
	if r.Approval != nil {
		c.Approval = new(*r.Approval)
	}
	if r.Changes != nil {
		c.Changes = new(*r.Changes)
	}
	c.Notes = slices.Clone(r.Notes)
	if r.Card != nil {
		c.Card = new(*r.Card)
	}
	return c
}

// Actor is who performs an operation. The zero Actor is schedctl itself.
type Actor struct {
	Key        KeyRef
	Agent      bool // the key of an agent
	Restricted bool // the key needs approvals
	Approver   bool // the key may approve
	FourEyes   bool // the workspace wants two people for each text; set for approvers
}

// bound reports whether approvals cover times for the actor.
func (a Actor) bound() bool { return a.Agent || a.Restricted }

var errTimeApproved = Errorf(ApprovalMissing, "",
	"the time was approved with the text, and this key cannot change either; withdraw the approval, and submit the change")

// KeepsTime returns nil if the actor may change an approved post from was to p. Agents, and
// keys that need approvals, may publish it only as approved, at the approved time and in the
// approved slot: an edit that ended the approval would let them choose any time. Errors:
// [ApprovalMissing].
func (p *Post) KeepsTime(was *Post, by Actor) error {
	approved := was.PublishAt
	if was.Status() == Draft {
		approved = was.Proposed.At
	}
	kept := p.Approved() && p.Status() == Scheduled && p.PublishAt.Equal(approved) && p.Booking.equal(was.Booking)
	if by.bound() && was.Approved() && !kept {
		return errTimeApproved
	}
	return nil
}

// KeepsTimes returns nil if the actor may change the times of the series, which was approved
// as was, from those of base. Errors: [ApprovalMissing], as of [Post.KeepsTime].
func (s *Series) KeepsTimes(was, base *Series, by Actor) error {
	same := s.Timezone == base.Timezone && s.Start == base.Start && s.Rule == base.Rule && slices.Equal(s.Exdates, base.Exdates) &&
		s.AheadDays == base.AheadDays && s.QueueID == base.QueueID
	if by.bound() && was.Approved() && !same {
		return errTimeApproved
	}
	return nil
}

// Approved reports whether what the post publishes now is approved.
func (p *Post) Approved() bool {
	return p.Approval != nil && p.Approval.State == ApprovalApproved && p.Approval.Digest == p.ReviewDigest()
}

// NeedsApproval reports whether the post may be published on the account only with an
// approval.
func (p *Post) NeedsApproval(a *Account) bool {
	switch {
	case p.Restricted, a.Approvals == ApprovalsAll, a.RequiresApproval():
		return true
	}
	return a.Approvals == ApprovalsAgents && p.ByAgent
}

// StartedBy returns nil if the actor may start the post on the accounts, and records what
// later checks need to know about the actor. Call it after each change that starts the
// post or leaves it scheduled. Errors: [ApprovalMissing].
func (p *Post) StartedBy(by Actor, accounts []Account, now time.Time) error {
	if p.Approval != nil && p.Approval.Digest != p.ReviewDigest() { // the start has changed the accounts
		p.wrote(by)
		if _, err := p.review(by, Millis(now)); err != nil {
			return err
		}
		if p.Status() == Draft { // each text needs two people
			return errNotApproved
		}
	}
	if err := p.CheckApproved(by, accounts); err != nil {
		return err
	}
	p.ByAgent, p.Restricted = p.ByAgent || by.Agent, p.Restricted || by.Restricted
	return nil
}

// CheckApproved returns nil if the actor may start the post on the accounts. Errors:
// [ApprovalMissing].
func (p *Post) CheckApproved(by Actor, accounts []Account) error {
	if p.Approved() {
		return nil
	}
	needed := by.Restricted
	for i := range accounts {
		a := &accounts[i]
		needed = needed || p.NeedsApproval(a) || by.Agent && a.Approvals == ApprovalsAgents
	}
	if !needed {
		return nil
	}
	return errNotApproved
}

var errNotApproved = Errorf(ApprovalMissing, "", "this post needs the approval of another key; submit it with POST /posts/{id}/submit (schedctl post submit)")

// OptionApproval is the name of the option of accounts whose posts all need an approval.
// Its only value is [ApprovalRequired]. Accounts of every platform have it.
const (
	OptionApproval   = "approval"
	ApprovalRequired = "required"
)

// RequiresApproval reports whether the account has [OptionApproval].
func (a *Account) RequiresApproval() bool {
	return a.Options.String(OptionApproval) == ApprovalRequired
}

// SamePolicy reports whether the same posts need an approval on two accounts.
func (a *Account) SamePolicy(b *Account) bool {
	return a.Approvals == b.Approvals && a.RequiresApproval() == b.RequiresApproval()
}

// lacksApproval reports whether a target was not published because it was not approved.
// Such a post can be submitted and approved again, and then retried.
func (p *Post) lacksApproval() bool {
	return slices.ContainsFunc(p.Targets, func(t Target) bool {
		return t.Status == Failed && t.Error != nil && t.Error.Kind == KindApproval
	})
}
