package tui_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/tui/screen"
)

var zone = time.FixedZone("CET", 3600)

// now is the time of all tests, a Saturday.
var now = time.Date(2026, 11, 21, 12, 0, 0, 0, zone)

func at(d time.Duration) *apiv1.Time { return apiv1.NewTime(now.Add(d)) }

func ptr[T any](v T) *T { return &v }

// fake is an in-memory daemon.
type fake struct {
	mu              sync.Mutex // mu guards the fields below
	posts           []apiv1.Post
	accounts        []apiv1.Account
	webhooks        []apiv1.Webhook
	deliveries      []apiv1.Delivery
	calls           []string
	fails           map[string]error // by method
	created         map[string]apiv1.Post
	lastEdit        apiv1.EditPost
	lastCreate      apiv1.CreatePost
	groups          []apiv1.AccountGroup
	snippets        []apiv1.Snippet
	uploads         map[string]apiv1.MediaAsset // files that can be uploaded, by path
	lastRetry       apiv1.RetryPost
	lastAdd         apiv1.AddAccount
	lastAccountEdit apiv1.EditAccount
	validated       string // the post of the last Validate
	calm            bool   // no attempt has failed
	plan            plan
	review          review
	streams         [][]apiv1.Event
	after           []string
}

func newFake() *fake {
	return &fake{
		fails: map[string]error{}, created: map[string]apiv1.Post{},
		review: review{notes: map[string][]apiv1.PostNote{}, once: map[string]bool{}},
		accounts: []apiv1.Account{
			{ID: "acct_1", Platform: "mastodon", Name: "me", Username: "me@example.social", Status: schedctl.AccountConnected, Limits: apiv1.Limits{MaxCharacters: ptr(500), Unit: "characters"}},
			{ID: "acct_2", Platform: "bluesky", Name: "sky", Username: "me.example", Status: schedctl.AccountConnected, Limits: apiv1.Limits{MaxCharacters: ptr(300), Unit: "graphemes"}},
			{ID: "acct_3", Platform: "http", Name: "hook", Username: "hook", Status: schedctl.AccountError, Error: &apiv1.TargetError{Kind: schedctl.KindAuth, Message: "the token was revoked"}},
		},
	}
}

// enter records a call and returns its scripted error.
func (f *fake) enter(name string) error {
	f.calls = append(f.calls, name)
	return f.fails[name]
}

func (f *fake) fail(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fails[name] = err
}

func (f *fake) called(name string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		if c == name {
			n++
		}
	}
	return n
}

func (f *fake) post(t testing.TB, id string) apiv1.Post {
	t.Helper()
	p, err := f.Post(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (f *fake) Accounts(context.Context) ([]apiv1.Account, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.accounts), f.enter("Accounts")
}

func (f *fake) AccountGroups(context.Context) ([]apiv1.AccountGroup, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.groups), f.enter("AccountGroups")
}

func (f *fake) Snippets(context.Context) ([]apiv1.Snippet, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.snippets), f.enter("Snippets")
}

func (f *fake) VerifyAccount(_ context.Context, id string) (apiv1.Account, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.accounts {
		if f.accounts[i].ID == id {
			f.accounts[i].Status, f.accounts[i].Error = schedctl.AccountConnected, nil
			return f.accounts[i], f.enter("VerifyAccount")
		}
	}
	return apiv1.Account{}, gone()
}

func (f *fake) Platforms(context.Context) (map[string]apiv1.PlatformEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return map[string]apiv1.PlatformEntry{
		"feed": {Name: "feed"},
		"mastodon": {
			Name: "mastodon",
			Credentials: []apiv1.PlatformField{
				{Name: "instance_url", About: "the server, such as https://mastodon.example", Required: true},
				{Name: "access_token", About: "a token that may read and write", Required: true, Secret: true},
			},
			Options: []apiv1.PlatformField{
				{Name: "visibility", About: "public, unlisted or private"}, {Name: "sensitive", About: "true or false"},
			},
		},
	}, f.enter("Platforms")
}

func (f *fake) AddAccount(_ context.Context, a apiv1.AddAccount) (apiv1.Account, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lastAdd = a
	if err := f.enter("AddAccount"); err != nil {
		return apiv1.Account{}, err
	}
	added := apiv1.Account{ID: fmt.Sprintf("acct_%d", len(f.accounts)+1), Platform: a.Platform, Name: a.Name, Status: schedctl.AccountConnected}
	f.accounts = append(f.accounts, added)
	return added, nil
}

func (f *fake) EditAccount(_ context.Context, id string, a apiv1.EditAccount) (apiv1.Account, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lastAccountEdit = a
	if err := f.enter("EditAccount"); err != nil {
		return apiv1.Account{}, err
	}
	for i := range f.accounts {
		if f.accounts[i].ID == id {
			if a.Name != nil {
				f.accounts[i].Name = *a.Name
			}
			return f.accounts[i], nil
		}
	}
	return apiv1.Account{}, gone()
}

func (f *fake) Webhooks(context.Context) ([]apiv1.Webhook, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.webhooks, f.enter("Webhooks")
}

func (f *fake) Deliveries(context.Context, string, string) (apiv1.DeliveryList, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return apiv1.DeliveryList{Results: slices.Clone(f.deliveries), Count: len(f.deliveries)}, f.enter("Deliveries")
}

func (f *fake) ReplayDelivery(_ context.Context, _, id string) (apiv1.Delivery, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.deliveries {
		if f.deliveries[i].ID == id {
			f.deliveries[i].Status = schedctl.DeliveryPending
			return f.deliveries[i], f.enter("ReplayDelivery")
		}
	}
	return apiv1.Delivery{}, gone()
}

func gone() error { return schedctl.Errorf(schedctl.NotFound, "", "there is no such thing") }

func (f *fake) Posts(_ context.Context, q screen.Query) (apiv1.PostList, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("Posts"); err != nil {
		return apiv1.PostList{}, err
	}
	found := f.selected(q)
	start := 1 + slices.IndexFunc(found, func(p apiv1.Post) bool { return p.ID == q.Cursor }) // after the last of the page before
	end := min(len(found), start+q.Limit)
	list := apiv1.PostList{Results: slices.Clone(found[start:end])}
	list.Count = len(list.Results)
	if end < len(found) {
		list.NextCursor = ptr(found[end-1].ID)
	}
	return list, nil
}

func (f *fake) selected(q screen.Query) (found []apiv1.Post) {
	for _, p := range f.posts {
		if p.ArchivedAt != nil {
			continue
		}
		at := plannedAt(q, p)
		in := at == nil || (q.After.IsZero() || !at.Before(q.After)) && (q.Before.IsZero() || at.Before(q.Before))
		if (len(q.Statuses) == 0 || slices.Contains(q.Statuses, p.Status) || p.Status == schedctl.Draft && q.WithProposals() && at != nil) && in && (q.Approval == "" || p.Approval != nil && p.Approval.State == q.Approval) && strings.Contains(p.Content, q.Search) && (q.AccountID == "" || slices.Contains(p.SocialAccountIDs, q.AccountID)) &&
			(q.QueueID == "" || p.QueueID != nil && *p.QueueID == q.QueueID) && (q.Label == "" || slices.Contains(p.Labels, q.Label)) {
			found = append(found, p)
		}
	}
	if field, descending := strings.CutPrefix(q.Sort, "-"); field == "publish_at" {
		slices.SortStableFunc(found, func(a, b apiv1.Post) int {
			c := cmp.Or(plannedAt(q, a).Compare(plannedAt(q, b).Time), strings.Compare(a.ID, b.ID))
			if descending {
				return -c
			}
			return c
		})
	}
	return found
}

// plannedAt returns the time of a post in a list. A draft that waits for an approval has the
// proposed one if the list has proposals.
func plannedAt(q screen.Query, p apiv1.Post) *apiv1.Time {
	if q.WithProposals() && p.Approval != nil && p.Approval.State == schedctl.ApprovalPending && p.ProposedAt != nil && !p.ProposedAt.NextSlot {
		return &apiv1.Time{Time: p.ProposedAt.Time}
	}
	return p.PublishAt
}

func (f *fake) Post(_ context.Context, id string) (apiv1.Post, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("Post"); err != nil {
		return apiv1.Post{}, err
	}
	if i := f.index(id); i >= 0 {
		return f.posts[i], nil
	}
	return apiv1.Post{}, gone()
}

func (f *fake) index(id string) int {
	return slices.IndexFunc(f.posts, func(p apiv1.Post) bool { return p.ID == id })
}

func (f *fake) Timeline(_ context.Context, id string) (apiv1.Timeline, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	tl := apiv1.Timeline{PostID: id, Events: []apiv1.TimelineEvent{
		{ID: "evt_1", Type: schedctl.EventPostCreated, CreatedAt: at(-time.Hour)},
		{ID: "evt_2", Type: schedctl.EventPostScheduled, CreatedAt: at(-59 * time.Minute)},
	}}
	if !f.calm {
		tl.Targets = []apiv1.TargetTimeline{{Target: apiv1.Target{SocialAccountID: "acct_1"}, Attempts: []apiv1.Attempt{
			{Number: 1, StartedAt: at(-30 * time.Minute), Outcome: schedctl.OutcomeNotPublished, Error: &apiv1.TargetError{Kind: schedctl.KindNetwork, Message: "connection refused"}},
		}}}
	}
	return tl, f.enter("Timeline")
}

func (f *fake) Validate(_ context.Context, id string, p apiv1.CreatePost) (apiv1.Validation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := apiv1.Validation{Allowed: true}
	f.validated = id
	for _, id := range p.SocialAccountIDs {
		a := apiv1.AccountValidation{SocialAccountID: id, Allowed: true, Length: 1000 + len(p.Content)}
		add := func(kind schedctl.PartKind, text string) {
			part := apiv1.PartValidation{Index: len(a.Parts), Kind: kind, Length: 1000 + len(text)}
			for _, acct := range f.accounts {
				if acct.ID == id {
					part.Limit = acct.Limits.MaxCharacters
				}
			}
			a.Parts = append(a.Parts, part)
		}
		add(schedctl.PartPost, p.Content)
		for _, part := range p.Thread {
			add(schedctl.PartReply, part.Content)
		}
		if p.FirstComment != nil {
			add(schedctl.PartComment, p.FirstComment.Content)
		}
		v.Accounts = append(v.Accounts, a)
	}
	return v, f.enter("Validate")
}

func (f *fake) lastValidated() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.validated
}

func (f *fake) Create(_ context.Context, p apiv1.CreatePost, key string) (apiv1.Post, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lastCreate = p
	if known, ok := f.created[key]; ok {
		return known, f.enter("Create")
	}
	post := apiv1.Post{ID: fmt.Sprintf("post_new%d", len(f.created)), Content: p.Content, SocialAccountIDs: p.SocialAccountIDs, TargetOverrides: p.TargetOverrides, Labels: p.Labels, Status: schedctl.Draft, Version: 1, CreatedAt: at(0)}
	post.Media, post.Thread, post.FirstComment = p.Media, p.Thread, p.FirstComment
	for _, m := range p.Media {
		for _, a := range f.uploads {
			if a.ID == m.ID {
				post.MediaAssets = append(post.MediaAssets, a)
			}
		}
	}
	if p.Submit != nil {
		post.Approval, post.ProposedAt = &apiv1.Approval{State: schedctl.ApprovalPending, RequestedBy: f.review.self, RequestedAt: at(0)}, p.ProposedAt
	}
	if p.PublishAt != nil {
		post.Status, post.PublishAt = schedctl.Scheduled, at(0)
		if !p.PublishAt.Now {
			f.book(&post, *p.PublishAt, p.QueueID, p.NotBefore)
		}
	}
	f.created[key], f.posts = post, append(f.posts, post)
	return post, f.enter("Create")
}

// change changes a post like a daemon: only this version.
func (f *fake) change(name string, v screen.Version, do func(*apiv1.Post)) (apiv1.Post, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter(name); err != nil {
		return apiv1.Post{}, err
	}
	i := f.index(v.ID)
	switch {
	case i < 0:
		return apiv1.Post{}, gone()
	case v.Number != 0 && f.posts[i].Version != v.Number:
		return apiv1.Post{}, schedctl.Errorf(schedctl.VersionMismatch, "", "the post was changed")
	}
	do(&f.posts[i])
	f.posts[i].Version++
	return f.posts[i], nil
}

func (f *fake) Edit(_ context.Context, v screen.Version, e apiv1.EditPost) (apiv1.Post, error) {
	return f.change("Edit", v, func(p *apiv1.Post) {
		f.lastEdit = e
		fields.Copy(p, e)
		if c := p.FirstComment; c != nil && c.Content == "" && len(c.Media) == 0 {
			p.FirstComment = nil
		}
		if p.Poll != nil && len(p.Poll.Options) == 0 {
			p.Poll = nil
		}
		if e.PublishAt != nil {
			f.book(p, *e.PublishAt, e.QueueID, e.NotBefore)
		}
		if e.ProposedAt != nil {
			p.ProposedAt = e.ProposedAt
		}
	})
}

func (f *fake) Schedule(_ context.Context, v screen.Version, s apiv1.SchedulePost) (apiv1.Post, error) {
	return f.change("Schedule", v, func(p *apiv1.Post) { f.book(p, s.PublishAt, s.QueueID, s.NotBefore) })
}

func (f *fake) Publish(_ context.Context, v screen.Version) (apiv1.Post, error) {
	return f.change("Publish", v, func(p *apiv1.Post) { p.PublishAt, p.Status = at(0), schedctl.Publishing })
}

func (f *fake) Unschedule(_ context.Context, v screen.Version) (apiv1.Post, error) {
	return f.change("Unschedule", v, func(p *apiv1.Post) {
		p.ProposedAt = &apiv1.ProposedTime{Time: p.PublishAt.Time}
		p.PublishAt, p.Status, p.Slot, p.QueueID = nil, schedctl.Draft, nil, nil
	})
}

func (f *fake) Cancel(_ context.Context, v screen.Version) (apiv1.Post, error) {
	return f.change("Cancel", v, func(p *apiv1.Post) { p.Status = schedctl.Canceled })
}

func (f *fake) Archive(_ context.Context, v screen.Version) (apiv1.Post, error) {
	return f.change("Archive", v, func(p *apiv1.Post) { p.ArchivedAt = at(0) })
}

func (f *fake) Unarchive(_ context.Context, v screen.Version) (apiv1.Post, error) {
	return f.change("Unarchive", v, func(p *apiv1.Post) { p.ArchivedAt = nil })
}

func (f *fake) Resend(ctx context.Context, v screen.Version, e apiv1.EditPost) (apiv1.Post, error) {
	f.mu.Lock()
	err := f.enter("Resend")
	f.mu.Unlock()
	old, err2 := f.Post(ctx, v.ID)
	if err = errors.Join(err, err2); err != nil {
		return old, err
	}
	create := fields.Request(old)
	fields.Apply(e, &create)
	create.PublishAt = e.PublishAt
	if e.SocialAccountIDs != nil {
		create.SocialAccountIDs = *e.SocialAccountIDs
	}
	return f.Create(ctx, create, "resend "+v.ID)
}

func (f *fake) Retry(_ context.Context, id string, r apiv1.RetryPost) (apiv1.Post, error) {
	return f.change("Retry", screen.Version{ID: id}, func(p *apiv1.Post) {
		f.lastRetry = r
		p.Status = schedctl.Publishing
	})
}

func (f *fake) Delete(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("Delete"); err != nil {
		return err
	}
	f.posts = slices.Delete(f.posts, f.index(id), f.index(id)+1)
	return nil
}

func (f *fake) Upload(_ context.Context, path string, progress func(sent, size int64)) (apiv1.MediaAsset, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("Upload"); err != nil {
		return apiv1.MediaAsset{}, err
	}
	a, ok := f.uploads[path]
	if !ok {
		return apiv1.MediaAsset{}, schedctl.Errorf(schedctl.MediaInvalid, "", "open %s: no such file or directory", path)
	}
	progress(a.SizeBytes/2, a.SizeBytes)
	return a, nil
}

// Follow sends the events of the next stream and then breaks off. After the last
// stream it waits until ctx ends.
func (f *fake) Follow(ctx context.Context, after string, notify func(apiv1.Event)) error {
	f.mu.Lock()
	f.after = append(f.after, after)
	err := f.enter("Follow")
	var events []apiv1.Event
	last := len(f.streams) == 0
	if !last && err == nil {
		events, f.streams = f.streams[0], f.streams[1:]
	}
	f.mu.Unlock()
	if err != nil {
		return err
	}
	notify(apiv1.Event{ID: "evt_0"})
	for _, e := range events {
		notify(e)
	}
	if last {
		<-ctx.Done()
		return ctx.Err()
	}
	return screen.ErrUnreachable
}
