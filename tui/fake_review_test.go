package tui_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// review is what a fake knows about reviews.
type review struct {
	self    apiv1.KeyRef // the key of the browser
	keys    []apiv1.APIKey
	notes   map[string][]apiv1.PostNote // by post
	approve apiv1.ApprovePost           // of the last call
	submit  apiv1.SubmitPost            // of the last call
	once    map[string]bool             // idempotency keys of notes
	share   apiv1.CreateShare           // of the last call
}

// step changes the approval of a post as the daemon does. decision means that the post must
// wait for an approval.
func (f *fake) step(name string, v screen.Version, decision bool, do func(*apiv1.Post)) (apiv1.Post, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter(name); err != nil {
		return apiv1.Post{}, err
	}
	i := f.index(v.ID)
	if i < 0 {
		return apiv1.Post{}, gone()
	}
	p := &f.posts[i]
	pending := p.Approval != nil && p.Approval.State == schedctl.ApprovalPending
	switch {
	case p.Version != v.Number:
		return apiv1.Post{}, schedctl.Errorf(schedctl.VersionMismatch, "", "the post was changed")
	case decision && !pending:
		return apiv1.Post{}, schedctl.Errorf(schedctl.ApprovalNotPending, "", "the post does not wait for an approval")
	case decision && p.Approval.RequestedBy.ID == f.review.self.ID:
		return apiv1.Post{}, schedctl.Errorf(schedctl.SelfApproval, "", "the key that asked cannot decide")
	}
	a := apiv1.Approval{}
	if p.Approval != nil {
		a = *p.Approval
	}
	p.Approval = &a
	do(p)
	p.Version++
	return *p, nil
}

func (f *fake) Submit(_ context.Context, v screen.Version, s apiv1.SubmitPost, _ string) (apiv1.Post, error) {
	return f.step("Submit", v, false, func(p *apiv1.Post) {
		f.review.submit = s
		*p.Approval = apiv1.Approval{State: schedctl.ApprovalPending, RequestedBy: f.review.self, RequestedAt: at(0), Note: s.Note}
		if s.ProposedAt != nil {
			p.ProposedAt = s.ProposedAt
		}
	})
}

func (f *fake) Approve(_ context.Context, v screen.Version, a apiv1.ApprovePost, _ string) (apiv1.Post, error) {
	return f.step("Approve", v, true, func(p *apiv1.Post) {
		f.review.approve = a
		f.decide(p, schedctl.ApprovalApproved, a.Note)
		when := p.ProposedAt
		if a.PublishAt != nil {
			when = a.PublishAt
		}
		if p.Status != schedctl.Failed {
			f.book(p, apiv1.PublishTime{Time: when.Time, NextSlot: when.NextSlot}, a.QueueID, a.NotBefore)
		}
		p.ProposedAt = nil
	})
}

func (f *fake) decide(p *apiv1.Post, state schedctl.ApprovalState, note *string) {
	p.Approval.State, p.Approval.DecidedBy, p.Approval.DecidedAt, p.Approval.Note = state, &f.review.self, at(0), note
}

func (f *fake) RequestChanges(_ context.Context, v screen.Version, note, _ string) (apiv1.Post, error) {
	return f.step("RequestChanges", v, true, func(p *apiv1.Post) { f.decide(p, schedctl.ApprovalChangesRequested, &note) })
}

func (f *fake) Withdraw(_ context.Context, v screen.Version) (apiv1.Post, error) {
	return f.step("Withdraw", v, false, func(p *apiv1.Post) { p.Approval.State = schedctl.ApprovalWithdrawn })
}

func (f *fake) Notes(_ context.Context, id string) ([]apiv1.PostNote, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.review.notes[id]), f.enter("Notes")
}

func (f *fake) AddNote(_ context.Context, id, text, once string) (apiv1.PostNote, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := apiv1.PostNote{ID: fmt.Sprint("note_", len(f.review.notes[id])), By: f.review.self, Text: text, CreatedAt: at(0)}
	if !f.review.once[once] {
		f.review.notes[id] = append(f.review.notes[id], n)
	}
	f.review.once[once] = true
	return n, f.enter("AddNote")
}

func (f *fake) CreateShare(_ context.Context, s apiv1.CreateShare) (apiv1.ShareAddress, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("CreateShare"); err != nil {
		return apiv1.ShareAddress{}, err
	}
	f.review.share = s
	end := at(7 * 24 * time.Hour)
	if s.ExpiresAt != nil {
		end = s.ExpiresAt
	}
	return apiv1.ShareAddress{
		Share: apiv1.Share{ID: "shr_1", Kind: s.Kind, Name: s.Name, Can: *s.Can, PostIDs: s.PostIDs, ExpiresAt: end},
		URL:   "https://posts.example/s/" + strings.Repeat("a", 43),
	}, nil
}

func (f *fake) RevokeShare(context.Context, string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.enter("RevokeShare")
}

func (f *fake) APIKeys(context.Context) ([]apiv1.APIKey, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.review.keys, f.enter("APIKeys")
}

// change makes a change by someone else.
func (f *fake) changeOf(id string, do func(*apiv1.Post)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.posts[f.index(id)]
	if p.Approval != nil {
		p.Approval = ptr(*p.Approval)
	}
	do(p)
	p.Version++
}

// waiting returns a draft that waits for an approval.
func waiting(id, content string, by apiv1.KeyRef, proposed *apiv1.ProposedTime, note string) apiv1.Post {
	p := draftPost(id, content)
	p.Version, p.ProposedAt = 2, proposed
	p.Approval = &apiv1.Approval{State: schedctl.ApprovalPending, RequestedBy: by, RequestedAt: at(-2 * time.Hour)}
	if note != "" {
		p.Approval.Note = &note
	}
	return p
}

// The keys of a reviewed workspace.
var (
	claude = apiv1.KeyRef{ID: "key_1", Name: "claude"}
	vera   = apiv1.KeyRef{ID: "key_2", Name: "vera"}
	noor   = apiv1.KeyRef{ID: "key_3", Name: "noor"}
)

func proposed(t time.Time) *apiv1.ProposedTime { return &apiv1.ProposedTime{Time: t} }

// reviewed is a daemon with posts that wait for an approval, in all states of a review. The
// key of the browser is that of vera.
func reviewed() *fake {
	f := newFake()
	f.calm = true
	f.review.self = vera
	f.review.keys = []apiv1.APIKey{{ID: claude.ID, Name: claude.Name, Kind: apiv1.KeyAgent}, {ID: vera.ID, Name: vera.Name, Kind: apiv1.KeyStandard}, {ID: noor.ID, Name: noor.Name, Kind: apiv1.KeyStandard}}
	launch := waiting("post_r1", "Release 1.4 is out: threads, queues and a review before anything is published.\n\nhttps://example.com/releases/1.4", claude, proposed(day(23, "09:00")), "for the release, please check the link")
	launch.SocialAccountIDs = []string{"acct_1", "acct_2"}
	launch.Targets = append(launch.Targets, apiv1.Target{ID: "pt_r1b", SocialAccountID: "acct_2", Platform: "bluesky", Status: schedctl.Draft})
	launch.Media = []apiv1.PostMedia{{ID: "media_1", AltText: ptr("The list of releases")}}
	launch.MediaAssets = []apiv1.MediaAsset{{ID: "media_1", FileName: "releases.png", MIMEType: "image/png", SizeBytes: 48_200, Width: ptr(1200), Height: ptr(630)}}
	launch.TargetOverrides = []apiv1.Override{{SocialAccountID: "acct_2", Content: ptr("Release 1.4 is out")}}
	weather := waiting("post_r4", "Tomorrow's weather, which was proposed for this morning", claude, proposed(day(21, "08:00")), "")
	weather.Approval.DecidedBy, weather.Approval.DecidedAt = &noor, at(-20*time.Hour)
	weather.Approval.LastChanges = &apiv1.ChangeRequest{By: apiv1.KeyRef{ID: noor.ID, Name: "Dana", Share: ptr("shr_1")}, At: at(-20 * time.Hour), Reason: "mind the spelling"}
	weather.Approval.Previous = &apiv1.ReviewedPost{Content: "Tomorrow's whether", SocialAccountIDs: []string{"acct_1", "acct_2"}, Changed: []string{"content", "social_account_ids"}}
	sent := draftPost("post_r6", "Sent back to its author")
	sent.Version = 3
	sent.Approval = &apiv1.Approval{State: schedctl.ApprovalChangesRequested, RequestedBy: claude, RequestedAt: at(-3 * time.Hour), DecidedBy: &vera, DecidedAt: at(-time.Hour), Note: ptr("name the version")}
	approved := scheduled("post_r7", "Approved and scheduled", 3*time.Hour)
	approved.Approval = &apiv1.Approval{State: schedctl.ApprovalApproved, RequestedBy: claude, RequestedAt: at(-5 * time.Hour), DecidedBy: &noor, DecidedAt: at(-4 * time.Hour)}
	merged := scheduled("post_r8", "Approved by a merged pull request", 27*time.Hour)
	merged.Approval = &apiv1.Approval{State: schedctl.ApprovalApproved, RequestedBy: noor, RequestedAt: at(-5 * time.Hour), DecidedBy: &noor, DecidedAt: at(-5 * time.Hour), ApprovedBy: ptr("https://github.com/me/posts/pull/7")}
	f.posts = []apiv1.Post{
		waiting("post_r2", "Without a proposed time", noor, nil, ""),
		waiting("post_r3", "In the next slot", claude, &apiv1.ProposedTime{NextSlot: true}, ""),
		launch,
		weather,
		waiting("post_r5", "My own request", vera, proposed(day(24, "17:00")), ""),
		sent, approved, merged,
		draftPost("post_r9", "An idea"),
	}
	f.review.notes = map[string][]apiv1.PostNote{"post_r1": {
		{ID: "note_1", By: noor, Text: "The numbers are from the annual report.", CreatedAt: at(-90 * time.Minute)},
	}}
	return f
}

// asVera gives the browser the key of vera, which may do everything.
func asVera(c *tui.Config) {
	c.Key = apiv1.APIKey{ID: vera.ID, Name: vera.Name, Kind: apiv1.KeyStandard, Scopes: []schedctl.Scope{
		schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopePostsApprove, schedctl.ScopeKeysWrite,
	}}
}

// old is a daemon without approvals.
type old struct{ *fake }

func (o old) Posts(ctx context.Context, q screen.Query) (apiv1.PostList, error) {
	if q.Approval != "" {
		return apiv1.PostList{}, schedctl.Errorf(schedctl.ValidationFailed, "approval", "unknown parameter")
	}
	return o.fake.Posts(ctx, q)
}
