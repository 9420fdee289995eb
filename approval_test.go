package schedctl

import (
	"encoding/hex"
	"slices"
	"testing"
	"time"
)

var (
	author   = Actor{Key: KeyRef{ID: "key_author", Name: "author"}}
	agent    = Actor{Key: KeyRef{ID: "key_agent", Name: "agent"}, Agent: true}
	reviewer = Actor{Key: KeyRef{ID: "key_reviewer", Name: "reviewer"}, Approver: true}
)

var reviewTime = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

// reviewDraft returns a draft that by has written for one account.
func reviewDraft(t *testing.T, by Actor) Post {
	t.Helper()
	p, _, err := Create(NewPost{WorkspaceID: "ws_1", Content: Content{Text: "a text"}, Accounts: []Account{{ID: "acct_1", Platform: "mastodon"}}, By: by}, reviewTime)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func submitted(t *testing.T, by Actor) Post {
	t.Helper()
	p := reviewDraft(t, by)
	if _, err := p.Submit(Submission{By: by, Note: "please"}, reviewTime); err != nil {
		t.Fatal(err)
	}
	return p
}

func approvedPost(t *testing.T) Post {
	t.Helper()
	p := submitted(t, author)
	if _, err := p.Approve(Decision{By: reviewer, PublishAt: reviewTime.Add(time.Hour)}, reviewTime); err != nil {
		t.Fatal(err)
	}
	return p
}

// approvedDraft returns an approved post without a time.
func approvedDraft(t *testing.T) Post {
	t.Helper()
	p := submitted(t, author)
	p.Approval.State, p.Approval.DecidedBy = ApprovalApproved, reviewer.Key
	return p
}

// TestTakingBack ends approvals of posts that are not published yet.
func TestTakingBack(t *testing.T) {
	for name, take := range map[string]func(*Post) error{
		"request-changes": func(p *Post) error {
			_, err := p.RequestChanges(Decision{By: reviewer, Note: "wait"}, reviewTime)
			return err
		},
		"by its editor": func(p *Post) error {
			p.EditorID = reviewer.Key.ID
			_, err := p.RequestChanges(Decision{By: Actor{Key: reviewer.Key, Approver: true, FourEyes: true}, Note: "wait"}, reviewTime)
			return err
		},
		"withdraw": func(p *Post) error { _, err := p.Withdraw(reviewer, reviewTime); return err },
	} {
		p := approvedPost(t)
		at := p.PublishAt
		if err := take(&p); err != nil || p.Status() != Draft || p.Proposed.At != at || !p.PublishAt.IsZero() || p.Approved() || p.Approval.DecidedBy != reviewer.Key {
			t.Errorf("%s: %v; %s, proposed %v, approval %+v", name, err, p.Status(), p.Proposed, p.Approval)
		}
		claimed := approvedPost(t)
		if _, err := claimed.Begin(Claim{TargetID: claimed.Targets[0].ID}, at); err != nil {
			t.Fatal(err)
		}
		wantCode(t, take(&claimed), PostNotDraft)
		plain := reviewDraft(t, author)
		if _, err := plain.Schedule(at, nil, reviewTime); err != nil {
			t.Fatal(err)
		}
		wantCode(t, take(&plain), ApprovalNotPending)
	}
}

// TestRequestForChangesStays guards that the last request for changes is known until the next
// decision, whatever happens to the post in between.
func TestRequestForChangesStays(t *testing.T) {
	person := reviewer
	person.Key = KeyRef{ID: reviewer.Key.ID, Name: "Dana", Share: "shr_1"}
	p := submitted(t, author)
	step := func(name, reason string, by KeyRef, take func() error) {
		t.Helper()
		if err := take(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		stored := p.Clone()
		switch c := stored.ChangesRequested(); {
		case reason == "" && c != nil:
			t.Errorf("%s: the request for changes is %+v", name, c)
		case reason != "" && (c == nil || *c != ChangeRequest{By: by, At: reviewTime, Reason: reason}):
			t.Errorf("%s: the request for changes is %+v, want %q of %+v", name, c, reason, by)
		}
	}
	submit := func() error {
		_, err := p.Submit(Submission{By: author, Note: "again"}, reviewTime.Add(time.Minute))
		return err
	}
	request := func(by Actor, reason string) func() error {
		return func() error { _, err := p.RequestChanges(Decision{By: by, Note: reason}, reviewTime); return err }
	}
	step("before", "", KeyRef{}, func() error { return nil })
	step("request", "shorter", person.Key, request(person, "shorter"))
	step("edit", "shorter", person.Key, func() error {
		_, err := p.Edit(Edit{ContentChange: ContentChange{Text: new("text")}, By: author}, reviewTime)
		return err
	})
	step("submit", "shorter", person.Key, submit)
	step("withdraw", "shorter", person.Key, func() error { _, err := p.Withdraw(author, reviewTime); return err })
	step("submit again", "shorter", person.Key, submit)
	step("another request", "longer", reviewer.Key, request(reviewer, "longer"))
	p.Changes = nil // as an older version of schedctl stored it
	step("submit after an upgrade", "longer", reviewer.Key, submit)
	step("approve", "", KeyRef{}, func() error {
		_, err := p.Approve(Decision{By: reviewer, Note: "good", PublishAt: reviewTime.Add(time.Hour)}, reviewTime)
		return err
	})
	step("take back", "wait", reviewer.Key, request(reviewer, "wait"))
	p.Changes = nil
	step("withdraw after an upgrade", "wait", reviewer.Key, func() error { _, err := p.Withdraw(author, reviewTime); return err })
	step("settle", "wait", reviewer.Key, func() error {
		_, err := p.Settle(Settlement{Existing: ExistingSubmit, By: reviewer}, reviewTime)
		return err
	})
	step("settle as approved", "", KeyRef{}, func() error {
		_, err := p.Settle(Settlement{Existing: ExistingApprove, By: reviewer}, reviewTime)
		return err
	})
}

// TestFourEyes edits approved posts as an approver.
func TestFourEyes(t *testing.T) {
	for _, four := range []bool{false, true} {
		by := Actor{Key: KeyRef{ID: "key_second"}, Approver: true, FourEyes: four}
		p := approvedPost(t)
		at := p.PublishAt
		events, err := p.Edit(Edit{ContentChange: ContentChange{Text: new("mended")}, By: by}, reviewTime)
		if err != nil {
			t.Fatal(err)
		}
		edited := slices.ContainsFunc(events, func(e Event) bool { return e.Type == EventPostApproved && e.Edited })
		switch {
		case four && (edited || p.Status() != Draft || p.Approval.State != ApprovalPending || p.Proposed.At != at):
			t.Errorf("with four eyes: %s, approval %+v, proposed %v, events %v", p.Status(), p.Approval, p.Proposed, events)
		case !four && (!edited || p.Status() != Scheduled || !p.Approved() || p.Approval.DecidedBy != by.Key):
			t.Errorf("with two: %s, approval %+v, events %v", p.Status(), p.Approval, events)
		}
	}
}

func wantCode(t *testing.T, err error, want Code) {
	t.Helper()
	if got := CodeOf(err); got != want {
		t.Fatalf("got code %q (%v), want %q", got, err, want)
	}
}

func TestApproveSchedules(t *testing.T) {
	p := approvedPost(t)
	if p.Status() != Scheduled || !p.Approved() || p.Approval.DecidedBy != reviewer.Key || p.Approval.RequestedBy != author.Key {
		t.Fatalf("got %s, approval %+v", p.Status(), p.Approval)
	}
}

func TestReviewRefuses(t *testing.T) {
	p := submitted(t, author)
	_, err := p.Approve(Decision{By: author, PublishAt: reviewTime.Add(time.Hour)}, reviewTime)
	wantCode(t, err, SelfApproval)
	_, err = p.Approve(Decision{By: reviewer, PublishAt: reviewTime}, reviewTime)
	wantCode(t, err, InvalidPublishAt)
	_, err = p.Submit(Submission{By: author}, reviewTime)
	wantCode(t, err, ApprovalNotPending)
	_, err = p.RequestChanges(Decision{By: reviewer}, reviewTime)
	wantCode(t, err, ValidationFailed)
	if p.Version != 2 || p.Status() != Draft {
		t.Fatalf("a refused step changed the post: version %d, %s", p.Version, p.Status())
	}
	if _, err := p.Edit(Edit{ContentChange: ContentChange{Text: new("by the reviewer")}, By: reviewer}, reviewTime); err != nil {
		t.Fatal(err)
	}
	for _, by := range []Actor{{Key: reviewer.Key, Approver: true, FourEyes: true}, {Key: reviewer.Key, Approver: true, Restricted: true}} {
		_, err = p.Approve(Decision{By: by, PublishAt: reviewTime.Add(time.Hour)}, reviewTime)
		wantCode(t, err, SelfApproval)
	}
	events, err := p.Approve(Decision{By: reviewer, PublishAt: reviewTime.Add(time.Hour)}, reviewTime)
	if err != nil || events[0].Type != EventPostApproved || !events[0].Edited {
		t.Fatalf("an approver's own edit: %v, %+v", err, events)
	}
	scheduled := approvedPost(t)
	_, err = scheduled.Submit(Submission{By: author}, reviewTime)
	wantCode(t, err, PostNotDraft)
	draft := reviewDraft(t, author)
	_, err = draft.Approve(Decision{By: reviewer, PublishAt: reviewTime.Add(time.Hour)}, reviewTime)
	wantCode(t, err, ApprovalNotPending)
}

func TestRequestChangesAndWithdraw(t *testing.T) {
	p := submitted(t, author)
	if _, err := p.RequestChanges(Decision{By: reviewer, Note: "shorter"}, reviewTime); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Edit(Edit{ContentChange: ContentChange{Text: new("short")}, By: author}, reviewTime); err != nil {
		t.Fatal(err)
	}
	if p.Approval.State != ApprovalChangesRequested {
		t.Fatalf("an edit made the state %s", p.Approval.State)
	}
	if _, err := p.Withdraw(author, reviewTime); err != nil {
		t.Fatal(err)
	}
	_, err := p.Withdraw(author, reviewTime)
	wantCode(t, err, ApprovalNotPending)
	if _, err := p.Submit(Submission{By: author}, reviewTime); err != nil {
		t.Fatal(err)
	}
}

func TestEditOfApprovedPost(t *testing.T) {
	accounts := []Account{{ID: "acct_1", Approvals: ApprovalsAll}}
	edit := Edit{ContentChange: ContentChange{Text: new("another text")}}

	p := approvedPost(t)
	edit.By = author
	if _, err := p.Edit(edit, reviewTime); err != nil {
		t.Fatal(err)
	}
	wantCode(t, p.CheckApproved(author, accounts), ApprovalMissing)
	if p.Approval.State != ApprovalWithdrawn {
		t.Fatalf("the state of a scheduled post is %s", p.Approval.State)
	}

	p = approvedPost(t)
	edit.By = Actor{Key: KeyRef{ID: "key_other"}, Approver: true}
	if _, err := p.Edit(edit, reviewTime); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckApproved(edit.By, accounts); err != nil || p.Approval.DecidedBy != edit.By.Key {
		t.Fatalf("another approver's edit: %v, decided by %v", err, p.Approval.DecidedBy)
	}

	p = approvedPost(t)
	if _, err := p.Edit(Edit{PublishAt: reviewTime.Add(2 * time.Hour), By: author}, reviewTime); err != nil || !p.Approved() {
		t.Fatalf("moving the time: %v, approved %t", err, p.Approved())
	}
	if _, err := p.Unschedule(author, reviewTime); err != nil || p.Approval.State != ApprovalWithdrawn || p.Approval.DecidedBy != author.Key {
		t.Fatalf("unscheduling: %v, approval %+v", err, p.Approval)
	}
	p = approvedDraft(t)
	before := p.Approval.Digest
	for _, text := range []string{"changed", "a text"} {
		if _, err := p.Edit(Edit{ContentChange: ContentChange{Text: &text}, By: author}, reviewTime); err != nil {
			t.Fatal(err)
		}
	}
	if p.Approval.State != ApprovalPending || p.Approval.Digest != before {
		t.Fatalf("after an undone edit: %s, same digest %t", p.Approval.State, p.Approval.Digest == before)
	}
}

func TestWhoNeedsApproval(t *testing.T) {
	for name, test := range map[string]struct {
		writer, starter Actor
		account         Account
		want            Code
	}{
		"off":                    {agent, agent, Account{}, ""},
		"all":                    {author, author, Account{Approvals: ApprovalsAll}, ApprovalMissing},
		"agents, by a person":    {author, author, Account{Approvals: ApprovalsAgents}, ""},
		"agents, by an agent":    {agent, author, Account{Approvals: ApprovalsAgents}, ApprovalMissing},
		"agents, agent starts":   {author, agent, Account{Approvals: ApprovalsAgents}, ApprovalMissing},
		"account":                {author, author, Account{Options: Options{OptionApproval: ApprovalRequired}}, ApprovalMissing},
		"key of the writer":      {Actor{Key: author.Key, Restricted: true}, author, Account{}, ApprovalMissing},
		"key of the starter":     {author, Actor{Key: agent.Key, Restricted: true}, Account{}, ApprovalMissing},
		"approver without asker": {author, reviewer, Account{Approvals: ApprovalsAll}, ApprovalMissing},
	} {
		p := reviewDraft(t, test.writer)
		if got := CodeOf(p.CheckApproved(test.starter, []Account{test.account})); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestReviewDigestCoversWhatIsPublished(t *testing.T) {
	base := reviewDraft(t, author)
	changes := map[string]func(*Post){
		"content":   func(p *Post) { p.Text = "b" },
		"title":     func(p *Post) { p.Title = "b" },
		"media":     func(p *Post) { p.Media = []PostMedia{{AssetID: "asset_1"}} },
		"alt text":  func(p *Post) { p.Media = []PostMedia{{AssetID: "asset_1", AltText: "x", HasAltText: true}} },
		"bytes":     func(p *Post) { p.Media = []PostMedia{{AssetID: "asset_1", SHA256: [32]byte{1}}} },
		"thread":    func(p *Post) { p.Thread = []Part{{Content: "x"}} },
		"comment":   func(p *Post) { p.FirstComment = &Part{Content: "x"} },
		"poll":      func(p *Post) { p.Poll = &Poll{Options: []string{"a", "b"}} },
		"preview":   func(p *Post) { p.LinkPreview.Mode = PreviewNone },
		"language":  func(p *Post) { p.Language = "de" },
		"accounts":  func(p *Post) { p.Targets = append(p.Targets, Target{AccountID: "acct_2"}) },
		"override":  func(p *Post) { p.Targets[0].Text = "x" },
		"options":   func(p *Post) { p.Targets[0].Options = Options{"visibility": "x"} },
		"own media": func(p *Post) { p.Targets[0].Media = []PostMedia{} },
	}
	seen := map[[32]byte]string{base.ReviewDigest(): "nothing"}
	for name, change := range changes {
		p := base.Clone()
		change(&p)
		if other, found := seen[p.ReviewDigest()]; found {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[p.ReviewDigest()] = name
	}
	p := base.Clone()
	p.PublishAt, p.Labels, p.Booking.QueueID = reviewTime, []string{"x"}, "que_1"
	if p.ReviewDigest() != base.ReviewDigest() {
		t.Error("the digest covers a time, the queue or an annotation")
	}
}

func TestOccurrenceOfApprovedSeries(t *testing.T) {
	s := Series{ID: NewID(SeriesPrefix, reviewTime), WorkspaceID: "ws_1", Template: reviewDraft(t, agent), Rule: "FREQ=DAILY", Variants: []string{"one", "two"}}
	s.Template.Approval = &Approval{State: ApprovalApproved, DecidedBy: reviewer.Key, Digest: s.ReviewDigest()}
	p, _, err := NewOccurrence(&s, Occurrence{Local: "2026-12-08T09:00", Index: 1, At: reviewTime.Add(time.Hour)}, reviewTime)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Approved() || p.Text != "two" {
		t.Fatalf("the occurrence %q is approved: %t", p.Text, p.Approved())
	}
	s.Variants = []string{"three"}
	if s.Approved() {
		t.Fatal("the approval of a series survives a change of its texts")
	}
}

func TestKeysOfAgents(t *testing.T) {
	now := reviewTime
	for name, test := range map[string]struct {
		key  APIKey
		want Code
	}{
		"agent":            {APIKey{Agent: true, Scopes: []Scope{ScopePostsRead, ScopePostsDraft}, CreatedAt: now, ExpiresAt: now.Add(MaxAgentKeyLife)}, ""},
		"agent forever":    {APIKey{Agent: true, CreatedAt: now}, ValidationFailed},
		"agent too long":   {APIKey{Agent: true, CreatedAt: now, ExpiresAt: now.Add(MaxAgentKeyLife + time.Second)}, ValidationFailed},
		"agent approves":   {APIKey{Agent: true, Scopes: []Scope{ScopePostsApprove}, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}, ValidationFailed},
		"agent makes keys": {APIKey{Agent: true, Scopes: []Scope{ScopeKeysWrite}, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}, ValidationFailed},
		"drafts, approves": {APIKey{Scopes: []Scope{ScopePostsDraft, ScopePostsApprove}}, ValidationFailed},
		"approves":         {APIKey{Scopes: []Scope{ScopePostsWrite, ScopePostsApprove}}, ""},
	} {
		if got := CodeOf(test.key.CheckKind()); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestPullRequestApproves(t *testing.T) {
	accounts := []Account{{ID: "acct_1", Platform: "mastodon", Approvals: ApprovalsAll}}
	p, _, err := Create(NewPost{
		WorkspaceID: "ws_1", Content: Content{Text: "a text"}, Accounts: accounts, By: reviewer, Source: "https://example.com/pull/1", PublishAt: reviewTime.Add(time.Hour),
	}, reviewTime)
	if err != nil || p.CheckApproved(reviewer, accounts) != nil || p.Approval.Source != "https://example.com/pull/1" {
		t.Fatalf("got %v, approval %+v", err, p.Approval)
	}
	if _, err := p.Edit(Edit{ContentChange: ContentChange{Text: new("changed")}, By: reviewer}, reviewTime); err != nil {
		t.Fatal(err)
	}
	wantCode(t, p.CheckApproved(reviewer, accounts), ApprovalMissing)
	if _, err := p.Edit(Edit{Source: "https://example.com/pull/2", By: reviewer}, reviewTime); err != nil || p.CheckApproved(reviewer, accounts) != nil {
		t.Fatalf("approving the change: %v, %+v", err, p.Approval)
	}
}

// TestReviewDigestIsStored guards that posts which were approved by an earlier version stay
// approved, and that a post has the same digest after it was stored.
func TestReviewDigestIsStored(t *testing.T) {
	p := reviewDraft(t, author)
	p.Media = []PostMedia{{AssetID: "media_1", SHA256: [32]byte{1}, AltText: "alt", HasAltText: true}}
	p.Thread = []Part{{Content: "two"}}
	p.FirstComment = &Part{Content: "first"}
	p.Poll = &Poll{Options: []string{"a", "b"}}
	p.Presentation = Presentation{ContentWarning: "w", Visibility: "public", Language: "en"}
	p.Targets[0].Text, p.Targets[0].Options = "own", Options{"visibility": "unlisted"}
	digest := p.ReviewDigest()
	const want = "1874db50e9a281b6d11f6b8201065f39a868f8ce575ebe53dd37c7b9d411f5a7"
	if got := hex.EncodeToString(digest[:]); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
	for name, change := range map[string]func(*Post){
		"media of a part":   func(p *Post) { p.Thread[0].Media = []PostMedia{} },
		"media of comment":  func(p *Post) { p.FirstComment.Media = []PostMedia{} },
		"an order of names": func(p *Post) { p.Targets[0].Options = Options{"visibility": "unlisted"} },
	} {
		q := p.Clone()
		change(&q)
		if q.ReviewDigest() != digest {
			t.Errorf("%s changes the digest", name)
		}
	}
	plain := reviewDraft(t, author)
	empty := plain.Clone()
	empty.Media, empty.Thread, empty.Targets[0].Options = []PostMedia{}, []Part{}, Options{}
	if plain.ReviewDigest() != empty.ReviewDigest() {
		t.Error("empty lists change the digest")
	}
}

func TestStartedBy(t *testing.T) {
	accounts := []Account{{ID: "acct_1", Platform: "mastodon"}, {ID: "acct_2", Platform: "mastodon"}}
	required := []Account{{ID: "acct_1", Approvals: ApprovalsAll}, {ID: "acct_2", Approvals: ApprovalsAll}}

	p := reviewDraft(t, author)
	if err := p.StartedBy(agent, accounts[:1], reviewTime); err != nil || !p.ByAgent {
		t.Errorf("a start by an agent: %v, by an agent %t", err, p.ByAgent)
	}
	for _, test := range []struct {
		by   Actor
		want Code
	}{{author, ApprovalMissing}, {Actor{Key: reviewer.Key, Approver: true, Restricted: true}, ApprovalMissing}, {reviewer, ""}} {
		p := approvedDraft(t)
		if _, err := p.Schedule(reviewTime.Add(time.Hour), &accounts, reviewTime); err != nil {
			t.Fatal(err)
		}
		wantCode(t, p.StartedBy(test.by, required, reviewTime), test.want)
		if approved := p.Approved(); approved != (test.want == "") || p.EditorID != test.by.Key.ID {
			t.Errorf("with other accounts, started by %s: approved %t, edited by %s", test.by.Key.Name, approved, p.EditorID)
		}
	}
}

func TestFirstKeysMayShare(t *testing.T) {
	old := slices.DeleteFunc(FirstScopes(), func(s Scope) bool { return s == ScopeSharesWrite || s == ScopeSourcesWrite })
	k := APIKey{Scopes: slices.Clone(old)}
	if !k.LetShare() || !k.Allows(ScopeSharesWrite) || !k.Allows(ScopeSourcesWrite) || len(k.Scopes) != len(old)+2 || k.LetShare() {
		t.Errorf("the first key has the scopes %v", k.Scopes)
	}
	for name, other := range map[string]APIKey{
		"limited": {Scopes: old, AccountIDs: []string{"acct_1"}}, "a reader": {Scopes: old[:1]}, "an agent": {Scopes: old, Agent: true},
	} {
		if other.LetShare() {
			t.Errorf("%s may share", name)
		}
	}
}

func TestFirstKeysMayApprove(t *testing.T) {
	old := []Scope{ScopePostsRead, ScopePostsWrite, ScopePostsDraft, ScopeAccountsRead, ScopeAccountsWrite, ScopeWebhooksRead, ScopeWebhooksWrite, ScopeKeysWrite, ScopeWorkspacesWrite}
	k := APIKey{Scopes: slices.Clone(old)}
	if !k.LetApprove() || !k.Allows(ScopePostsApprove) || k.Allows(ScopePostsDraft) || !k.Allows(ScopeWorkspacesWrite) || len(k.Scopes) != len(old) || k.CheckKind() != nil {
		t.Errorf("the first key has the scopes %v", k.Scopes)
	}
	if k.LetApprove() {
		t.Error("a key changes twice")
	}
	for name, other := range map[string]APIKey{
		"limited": {Scopes: old, AccountIDs: []string{"acct_1"}}, "a writer": {Scopes: old[:3]}, "no keys": {Scopes: slices.Concat(old[:7], old[8:])},
	} {
		if other.LetApprove() {
			t.Errorf("%s may approve", name)
		}
	}
	if f := FirstScopes(); slices.Contains(f, ScopePostsDraft) || !slices.Contains(f, ScopePostsApprove) {
		t.Errorf("first scopes: %v", f)
	}
}

// TestSettledSeriesKeepsTheLastRequest guards that a series of an older version of schedctl
// keeps the reason of a request for changes when a stricter policy makes it wait again.
func TestSettledSeriesKeepsTheLastRequest(t *testing.T) {
	t.Parallel()
	boss := Actor{Key: KeyRef{ID: "key_boss", Name: "boss"}, Approver: true}
	s := Series{ID: NewID(SeriesPrefix, reviewTime), WorkspaceID: "ws_1", Template: reviewDraft(t, agent), Rule: "FREQ=DAILY"}
	s.Template.Approval = &Approval{State: ApprovalChangesRequested, DecidedBy: boss.Key, DecidedAt: reviewTime, Note: "too often"}
	if _, err := s.Settle(Settlement{Existing: ExistingSubmit, By: boss}, reviewTime); err != nil {
		t.Fatal(err)
	}
	if c := s.Template.ChangesRequested(); c == nil || c.Reason != "too often" || s.Template.Approval.State != ApprovalPending {
		t.Errorf("%+v, %+v", c, s.Template.Approval)
	}
}
