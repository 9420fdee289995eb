package schedctl

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxContent is the longest content of a post, in Unicode code points.
const MaxContent = 5000

// MaxSearch is the longest text that posts can be searched for, in Unicode code
// points.
const MaxSearch = 200

// Post is a text with its media, a time and the accounts to publish it to. Its status is derived
// from its targets; see [Post.Status]. A zero time is not set.
//
// The methods that change a post return the events of the change. On an error, they
// return no events and do not change the post. They are not
// safe for concurrent use: a store gives each caller its own copy.
type Post struct {
	ID          string
	WorkspaceID string
	Content
	PublishAt  time.Time
	Targets    []Target
	CanceledAt time.Time // set by the cancel operation
	ExternalID string    // the client's own id for the post, unique in the workspace; may be empty
	Managed    *Managed  // the collection of files that the post belongs to, or nil
	Labels     []string  // sorted, without duplicates
	Style      PostStyle // what part 0 consists of, if a client has named it
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Version    int64 // 1 when created, +1 with every change

	Booking
	Review
	Trail

	// SeriesID and Occurrence say which occurrence of which series the post is. The
	// series may have been deleted. Both are empty for other posts.
	SeriesID   string
	Occurrence LocalTime

	// Detached means that the post was changed alone, so that edits of its series do not
	// change it.
	Detached bool
}

// Summary counts a post's targets by status.
type Summary struct {
	Total, Draft, Scheduled, Publishing, Published, Failed, Canceled int
}

// Summary returns the counts of the post's targets.
func (p *Post) Summary() Summary {
	s := Summary{Total: len(p.Targets)}
	for i := range p.Targets {
		switch p.Targets[i].Status {
		case Draft:
			s.Draft++
		case Scheduled:
			s.Scheduled++
		case Publishing:
			s.Publishing++
		case Published:
			s.Published++
		case Failed:
			s.Failed++
		case Canceled:
			s.Canceled++
		}
	}
	return s
}

// Status returns the status of the post, derived from its targets: canceled after the
// cancel operation; draft; publishing if any target is, or if some have finished and
// others wait; scheduled; failed if all have finished and at least one failed;
// published.
func (p *Post) Status() Status { return deriveStatus(!p.CanceledAt.IsZero(), p.Summary()) }

// AccountIDs returns the accounts of the post's targets, in their order.
func (p *Post) AccountIDs() []string {
	ids := make([]string, len(p.Targets))
	for i := range p.Targets {
		ids[i] = p.Targets[i].AccountID
	}
	return ids
}

// ContainsText reports whether matches returns true for the text of a part. It ignores
// overrides.
func (p *Post) ContainsText(matches func(string) bool) bool {
	return matches(p.Text) || slices.ContainsFunc(p.Thread, func(part Part) bool { return matches(part.Content) }) ||
		p.FirstComment != nil && matches(p.FirstComment.Content)
}

// TextSize returns the size of the texts that ContainsText reads, in bytes.
func (p *Post) TextSize() int {
	n := len(p.Text)
	for i := range p.Thread {
		n += len(p.Thread[i].Content)
	}
	if p.FirstComment != nil {
		n += len(p.FirstComment.Content)
	}
	return n
}

// Target returns the target with this id, or nil.
func (p *Post) Target(id string) *Target {
	for i := range p.Targets {
		if p.Targets[i].ID == id {
			return &p.Targets[i]
		}
	}
	return nil
}

// Clone returns a copy that shares nothing with p.
func (p *Post) Clone() Post {
	c := *p
	c.Labels, c.Content = slices.Clone(p.Labels), p.Content.clone()
	c.Managed = p.Managed.clone()
	c.Review = p.Review.clone()
	c.Targets = slices.Clone(p.Targets)
	for i := range c.Targets {
		c.Targets[i] = p.Targets[i].clone()
	}
	return c
}

// Millis returns t in UTC, rounded up to milliseconds, so that no post is due before
// the requested time.
func Millis(t time.Time) time.Time {
	ms := t.UTC().Truncate(time.Millisecond)
	if ms.Before(t) {
		ms = ms.Add(time.Millisecond)
	}
	return ms
}

// NewPost holds the fields of a new post.
type NewPost struct {
	WorkspaceID string
	Content
	Accounts  []Account // resolved; see [ResolveAccounts]
	Overrides []Override

	PublishAt time.Time // zero for a draft
	Booking   Booking   // of the slot at PublishAt; zero for a fixed time
	Now       bool      // publish at once; PublishAt is ignored
	Proposed  ProposedTime
	By        Actor
	Source    string // approves the post; see [Approval.Source]
	Annotation
}

// Create returns a new post: a draft, scheduled, or queued.
// Errors: [ValidationFailed], [ContentTooLong], [InvalidPublishAt],
// [InvalidSocialAccounts].
func Create(n NewPost, now time.Time) (Post, []Event, error) {
	now = Millis(now)
	p := Post{
		ID: NewID(PostPrefix, now), WorkspaceID: n.WorkspaceID, Content: n.Content.clone(),
		CreatedAt: now, UpdatedAt: now, Version: 1, Review: Review{Proposed: n.Proposed},
	}
	p.wrote(n.By)
	p.CreatedBy, p.UpdatedBy = n.By.Key.ID, n.By.Key.ID
	if err := p.check(); err != nil {
		return Post{}, nil, err
	}
	if err := n.Proposed.check(now); err != nil {
		return Post{}, nil, err
	}
	if err := p.annotate(n.Annotation); err != nil {
		return Post{}, nil, err
	}
	p.Targets = p.targetsFor(n.Accounts, now)
	if err := p.override(n.Overrides); err != nil {
		return Post{}, nil, err
	}
	if n.Source != "" {
		p.approveBySource(n.By, n.Source, now)
	}
	var job []EventType
	switch {
	case n.Now:
		if err := p.start(TriggerQueue, now, now); err != nil {
			return Post{}, nil, err
		}
	case !n.PublishAt.IsZero():
		if err := p.start(TriggerSchedule, n.PublishAt, now); err != nil {
			return Post{}, nil, err
		}
		p.Booking = n.Booking
		job = []EventType{EventPostScheduled}
	}
	events := p.events(now, append([]EventType{EventPostCreated}, job...)...)
	return p, p.queued(events, now, nil), nil
}

// Rebook moves a new post, which is not stored yet, to a slot. It reports whether that
// changes the post.
func (p *Post) Rebook(at time.Time, b Booking) (moved bool) {
	at = Millis(at)
	moved = !at.Equal(p.PublishAt) || !b.equal(p.Booking)
	p.PublishAt, p.Booking = at, b
	for i := range p.Targets {
		p.Targets[i].PublishAt = at
	}
	return moved
}

// CheckContent returns nil for 1–5000 code points with a visible one among them, that hold no
// NUL and are valid UTF-8. Errors: [ContentTooLong] and
// [ValidationFailed].
func CheckContent(content string) error { return checkContent("content", content) }

func checkContent(field, content string) error {
	n := utf8.RuneCountInString(content)
	switch {
	case !utf8.ValidString(content):
		return Errorf(ValidationFailed, field, "content is not valid UTF-8")
	case strings.ContainsRune(content, 0):
		return Errorf(ValidationFailed, field, "content contains a NUL character; remove it")
	case n > MaxContent:
		return Errorf(ContentTooLong, field, "content has %d characters; the limit is %d", n, MaxContent)
	case !HasVisible(content):
		return Errorf(ValidationFailed, field, "content is empty; write at least one visible character")
	}
	return nil
}

// targetsFor returns one target for each account, and keeps existing targets.
func (p *Post) targetsFor(accounts []Account, now time.Time) []Target {
	targets := make([]Target, 0, len(accounts))
	for _, a := range accounts {
		if i := slices.IndexFunc(p.Targets, func(t Target) bool { return t.AccountID == a.ID }); i >= 0 {
			targets = append(targets, p.Targets[i])
			continue
		}
		targets = append(targets, Target{
			ID: NewID(TargetPrefix, now), AccountID: a.ID, Platform: a.Platform, Status: Draft,
		})
	}
	return targets
}

// start gives every target its job: scheduled at a future time, or queued now.
func (p *Post) start(by Trigger, at, now time.Time) error {
	if len(p.Targets) == 0 {
		return Errorf(InvalidSocialAccounts, "social_account_ids", "a post needs at least one account; give social_account_ids (--to)")
	}
	if by == TriggerSchedule {
		if err := checkFuture("publish_at", at, now); err != nil {
			return err
		}
	}
	return p.startAt(by, at)
}

// startAt is start for a post with accounts, at any time.
func (p *Post) startAt(by Trigger, at time.Time) error {
	p.PublishAt = Millis(at)
	for i := range p.Targets {
		t := &p.Targets[i]
		if err := t.move(by); err != nil {
			return err
		}
		t.PublishAt = p.PublishAt
		if t.Status == Publishing {
			t.NextAttemptAt = p.PublishAt
		}
	}
	return nil
}

func checkFuture(field string, at, now time.Time) error {
	if at.After(now) {
		return nil
	}
	return Errorf(InvalidPublishAt, field, "%s %s is not in the future; it is now %s", field,
		at.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
}

// changed sets the version and the time of a change.
func (p *Post) changed(now time.Time) {
	p.UpdatedAt = now
	p.Version++
}

// events returns post events of the given types.
func (p *Post) events(now time.Time, types ...EventType) []Event {
	events := make([]Event, 0, len(types)+len(p.Targets))
	for _, typ := range types {
		events = append(events, Event{
			ID: NewID(EventPrefix, now), Type: typ, CreatedAt: now,
			WorkspaceID: p.WorkspaceID, PostID: p.ID, Status: p.Status(),
		})
	}
	return events
}

// queued appends a post.queued event for each target that waits to be claimed and is
// not in already.
func (p *Post) queued(events []Event, now time.Time, already map[string]bool) []Event {
	for i := range p.Targets {
		t := &p.Targets[i]
		if _, waiting := t.Due(); waiting && !already[t.ID] {
			events = append(events, p.targetEvent(EventPostQueued, t, now))
		}
	}
	return events
}

func (p *Post) targetEvent(typ EventType, t *Target, now time.Time) Event {
	return Event{
		ID: NewID(EventPrefix, now), Type: typ, CreatedAt: now,
		WorkspaceID: p.WorkspaceID, PostID: p.ID, TargetID: t.ID, AccountID: t.AccountID,
		Platform: t.Platform, Status: t.Status,
		PlatformPostID: t.PlatformPostID, PlatformPostURL: t.PlatformPostURL,
		PublishedAt: t.PublishedAt, Error: t.Error, Parts: slices.Clone(t.Done),
	}
}
