package oracle

import (
	"fmt"
	"slices"
	"time"
)

// change applies an allowed request, and returns its post. Ids of new posts and targets
// are taken from the response.
func (m *model) change(k Key, r Request, got Response, now time.Time) (*post, error) {
	if r.Op != Timeline && got.Post == nil {
		return nil, fmt.Errorf("the response has no post")
	}
	p := m.find(r.Post)
	switch r.Op {
	case Create:
		return m.create(k, r, got, now)
	case Edit:
		return p, m.edit(p, r, got, now)
	case Schedule, Publish:
		return p, m.scheduleOrPublish(p, r, got, now)
	case Cancel:
		for _, t := range p.targets {
			if progress := t.progress(); *progress != "published" {
				*progress = "canceled"
				t.setRetry(time.Time{}, time.Time{})
			}
		}
		p.canceled = true
		p.changed(now)
		m.emit("post.canceled", p, nil, now)
	case Unschedule:
		m.unschedule(p, now)
	case Retry:
		m.retry(p, r, now)
	}
	return p, nil
}

func (m *model) create(k Key, r Request, got Response, now time.Time) (*post, error) {
	p := &post{Post: Post{
		ID: got.Post.ID, Workspace: k.Workspace, Content: *r.Content, Media: r.media(), CreatedAt: now, UpdatedAt: now, Version: 1,
	}, author: k.Name}
	if err := m.adopt(p.ID); err != nil {
		return nil, err
	}
	if _, err := m.retarget(p, r.accounts(), got, now); err != nil {
		return nil, err
	}
	p.Preview.Mode = "auto"
	r.Changes.apply(p)
	m.posts = append(m.posts, p)
	switch {
	case r.Now:
		p.queue(now)
	case !r.At.IsZero():
		p.schedule(r.At)
		p.inSlot = r.NextSlot
	}
	m.emit("post.created", p, nil, now)
	if !r.At.IsZero() {
		m.emit("post.scheduled", p, nil, now)
	}
	if r.schedulesPost() {
		m.emitQueued(p, p.targets, now)
	}
	return p, nil
}

func (m *model) edit(p *post, r Request, got Response, now time.Time) error {
	before := p.public()
	var added []*target
	if r.Content != nil {
		p.Content = *r.Content
	}
	if r.Media != nil {
		p.Media = *r.Media
	}
	if r.Accounts != nil {
		var err error
		if added, err = m.retarget(p, *r.Accounts, got, now); err != nil {
			return err
		}
	}
	r.Changes.apply(p)
	at := r.At
	p.inSlot = p.inSlot && at.IsZero()
	if at.IsZero() {
		at = before.PublishAt // zero for a draft
	}
	if !at.IsZero() {
		p.schedule(at)
	}
	same := slices.Equal(targetIDs(before), targetIDs(p.public()))
	after := p.public()
	if same && p.Content == before.Content && slices.Equal(p.Media, before.Media) && after.Extras.text() == before.Extras.text() && at.Equal(before.PublishAt) {
		return nil
	}
	p.changed(now)
	m.emit("post.updated", p, nil, now)
	if !at.Equal(before.PublishAt) {
		m.emit("post.scheduled", p, nil, now)
	}
	switch {
	case at.IsZero(): // a draft has no jobs
	case before.PublishAt.IsZero():
		m.emitQueued(p, p.targets, now)
	default:
		m.emitQueued(p, added, now)
	}
	return nil
}

// scheduleOrPublish schedules a post, or publishes it now.
func (m *model) scheduleOrPublish(p *post, r Request, got Response, now time.Time) error {
	if r.Accounts != nil {
		if _, err := m.retarget(p, *r.Accounts, got, now); err != nil {
			return err
		}
	}
	p.inSlot = false
	p.changed(now)
	if r.Op == Schedule {
		p.schedule(r.At)
		m.emit("post.scheduled", p, nil, now)
	} else {
		p.queue(now)
	}
	m.emitQueued(p, p.targets, now)
	return nil
}

// unschedule makes a scheduled post a draft.
func (m *model) unschedule(p *post, now time.Time) {
	if p.status() == "draft" {
		return
	}
	for _, t := range p.targets {
		t.Status, t.PublishAt = "draft", time.Time{}
		t.setRetry(time.Time{}, time.Time{})
	}
	p.PublishAt, p.inSlot = time.Time{}, false
	p.changed(now)
	m.emit("post.updated", p, nil, now)
}

func (m *model) retry(p *post, r Request, now time.Time) {
	var queued []*target
	for _, t := range p.targets {
		if t.waitsForNetwork() && t.isNamed(r) {
			t.NextAttemptAt, t.latest = now, now
			m.accounts[t.Account].recover()
			m.accounts[t.Account].busy = now
			continue
		}
		if t.isRetried(r) {
			t.forced = t.forced || r.Force
			*t.progress() = "publishing"
			t.queuedAt, t.tries, t.calls, t.unconfirmed, t.retryPlanned = now, 0, 0, false, false
			t.setRetry(now, now)
			queued = append(queued, t)
		}
	}
	p.changed(now)
	m.emitQueued(p, queued, now)
}

func (m *model) emitQueued(p *post, targets []*target, now time.Time) {
	for _, t := range targets {
		m.emit("post.queued", p, t, now)
	}
}

// retarget sets the accounts of a post, in this order. It keeps the targets of accounts
// that stay, and returns the new ones with their ids.
func (m *model) retarget(p *post, accounts []string, got Response, now time.Time) (added []*target, err error) {
	if len(got.Post.Targets) != len(accounts) {
		return nil, fmt.Errorf("the post has %d targets, want %d", len(got.Post.Targets), len(accounts))
	}
	var targets []*target
	for i, id := range accounts {
		at := slices.IndexFunc(p.targets, func(t *target) bool { return t.Account == id })
		if at >= 0 {
			targets = append(targets, p.targets[at])
			continue
		}
		t := &target{Target: Target{ID: got.Post.Targets[i].ID, Account: id, Status: "draft"}, createdAt: now}
		if err := m.adopt(t.ID); err != nil {
			return nil, err
		}
		targets, added = append(targets, t), append(added, t)
	}
	p.targets = targets
	return added, nil
}

// schedule sets the time of all targets.
func (p *post) schedule(at time.Time) {
	p.PublishAt = at
	for _, t := range p.targets {
		t.Status, t.PublishAt, t.queuedAt = "scheduled", at, at
	}
}

// queue makes all targets due now.
func (p *post) queue(now time.Time) {
	p.PublishAt = now
	for _, t := range p.targets {
		t.Status, t.PublishAt, t.queuedAt = "publishing", now, now
		t.setRetry(now, now)
	}
}

func targetIDs(p Post) (ids []string) {
	for _, t := range p.Targets {
		ids = append(ids, t.ID)
	}
	return ids
}
