package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/daemon/source/template"
	"github.com/schedctl/schedctl/storage"
)

const (
	// previewed is how many items a preview shows.
	previewed = 3

	// claimPoll is how often a fetch that was asked for looks whether another one has ended.
	claimPoll = 100 * time.Millisecond
)

// Fetch reads the feed of a source now, without regard to its interval and its pauses after
// failures. It waits for a fetch that is at work. Errors: SOURCE_HELD for a source that is held
// or paused, VALIDATION_FAILED for a webhook.
func (r *Runner) Fetch(ctx context.Context, workspaceID, id string) (Result, error) {
	for {
		s, err := storage.Read(ctx, r.cfg.Store.View, func(s storage.Reader) (schedctl.Source, error) { return s.Source(workspaceID, id) })
		switch {
		case err != nil:
			return Result{}, err
		case s.Kind != schedctl.SourceFeed:
			return Result{}, schedctl.Errorf(schedctl.ValidationFailed, "", "a source of kind webhook has no feed; send it items")
		case s.State == schedctl.SourceHeld || s.State == schedctl.SourcePaused:
			return Result{}, schedctl.Errorf(schedctl.SourceHeldBack, "", "the source is %s; release or resume it first", s.State)
		}
		if !r.cfg.Now().Before(s.ClaimedUntil) {
			return r.work(ctx, workspaceID, id, true)
		}
		select {
		case <-ctx.Done():
			return Result{}, ctx.Err()
		case <-time.After(claimPoll):
		}
	}
}

// Check returns why a source cannot be stored, or nil: its templates, its filter or its links.
// Errors: VALIDATION_FAILED.
func Check(s *schedctl.Source) error {
	fail := func(field string, err error) error {
		return schedctl.Errorf(schedctl.ValidationFailed, field, "%s: %v", field, err)
	}
	if err := template.Check(s.Template); err != nil {
		return fail("template", err)
	}
	for _, o := range s.Overrides {
		if err := template.Check(o.Template); err != nil {
			return fail("overrides", err)
		}
	}
	if err := (template.LinkOptions{Strip: s.Link.Strip, Params: s.Link.Params}).Check(); err != nil {
		return fail("link.params", err)
	}
	if _, err := compile(s); err != nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "filter", "filter.%v", err)
	}
	return nil
}

// CheckHeader returns why the header of a source cannot be sent, or nil. Errors:
// VALIDATION_FAILED, without the value.
func CheckHeader(name, value string) error {
	if err := fetch.CheckHeader(name, value); err != nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "header", "header: %v", err)
	}
	return nil
}

// Preview is what a source that is not stored would make.
type Preview struct {
	Feed    *feed.Feed
	KnownBy schedctl.SourceIdentity
	Posts   []PreviewPost // of the newest items
}

// PreviewPost is the post that an item would make.
type PreviewPost struct {
	Item  schedctl.SourceItem
	Texts []Text
	Image string // or empty
}

// Preview reads the feed of a source that is not stored. It stores nothing. Errors:
// SOURCE_NOT_A_FEED, and those about accounts.
func (r *Runner) Preview(ctx context.Context, s schedctl.Source, c Credentials, key *schedctl.APIKey) (p Preview, err error) {
	open := *r
	open.cfg.Open = func(*schedctl.Source) (Credentials, error) { return c, nil }
	s.BodyHash, s.ETag, s.LastModified = "", "", ""
	d, err := open.get(ctx, &s, key)
	if err != nil {
		return p, notAFeed(err, d)
	}
	accounts, err := r.accounts(ctx, &s)
	if err != nil {
		return p, err
	}
	keys, repeated := d.feed.Keys(identity(&s))
	p.Feed, p.KnownBy = d.feed, schedctl.IdentityGUID
	if s.Identity == schedctl.IdentityLink || repeated && s.Identity == schedctl.IdentityAuto {
		p.KnownBy = schedctl.IdentityLink
	}
	matcher, err := compile(&s)
	if err != nil {
		return p, err
	}
	entries := make([]entry, len(keys))
	for i := range keys {
		entries[i] = entry{Item: d.feed.Items[i], keys: keys[i]}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return b.Published.Compare(a.Published) })
	for _, e := range entries[:min(previewed, len(entries))] {
		item := newItem(&s, e, schedctl.Millis(r.cfg.Now()))
		item.Settle(schedctl.ItemWaiting, "")
		if reason := matcher.Match(e.Item); reason != "" {
			item.Settle(schedctl.ItemFiltered, reason)
		}
		post := PreviewPost{Item: item, Texts: r.texts(&s, accounts, content{Item: e.Item})}
		if len(e.Images) > 0 && s.Image != schedctl.ImageNone {
			post.Image = e.Images[0].URL
		}
		p.Posts = append(p.Posts, post)
	}
	return p, nil
}

// notAFeed returns the error for a URL without a feed. It names the feeds of a web page.
func notAFeed(err error, d document) error {
	refusal := schedctl.Errorf(schedctl.SourceNotAFeed, "url", "%v", err)
	if _, failed := errors.AsType[*fetch.Failure](err); failed || d.result == nil {
		return refusal
	}
	var found []string
	for _, f := range feed.Feeds(d.result.Body, d.result.ContentType, d.result.URL) {
		found = append(found, f.URL)
	}
	if len(found) > 0 {
		refusal.Message += "; the page names these feeds: " + strings.Join(found, ", ")
	}
	return refusal
}

// Sent is an item that another program sends.
type Sent struct {
	ExternalID string
	feed.Item
}

// Send stores an item of a webhook source, and makes its post if it is due. known reports that
// an item with this external id was sent before, and is returned as it is. draft makes a
// draft, whatever the mode of the source is. Errors: VALIDATION_FAILED for a feed.
func (r *Runner) Send(ctx context.Context, workspaceID, id string, sent Sent, draft bool) (item schedctl.SourceItem, known bool, err error) {
	now := schedctl.Millis(r.cfg.Now())
	if sent.Published.IsZero() {
		sent.Published = now
	}
	err = r.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		s, err := tx.Source(workspaceID, id)
		if err != nil {
			return err
		}
		if s.Kind != schedctl.SourceWebhook {
			return schedctl.Errorf(schedctl.ValidationFailed, "", "a source of kind feed takes no items; make one of kind webhook")
		}
		e := entry{Item: sent.Item, keys: sentKeys(sent)}
		k, err := newKnown(tx, &s, []feed.Keys{e.keys}, now)
		if err != nil {
			return err
		}
		if old := k.find(e.keys); old != nil {
			item, known = *old, true
			return nil
		}
		matcher, err := compile(&s)
		if err != nil {
			return err
		}
		item = newItem(&s, e, now)
		if reason := matcher.Match(e.Item); reason != "" {
			item.Settle(schedctl.ItemFiltered, reason)
		} else {
			item.State, item.DueAt, item.Content = schedctl.ItemWaiting, dueAt(&s, e.Published, now), content{e.Item, draft}.encode()
		}
		if s.State == schedctl.SourceActive {
			s.WakeAt = now
		}
		s.LastFetchAt, s.LastSuccessAt = now, now
		return errorsJoin(tx.PutSourceItem(item), tx.PutSource(s))
	})
	if err != nil || known || item.State != schedctl.ItemWaiting {
		return item, known, err
	}
	if _, err := r.work(ctx, workspaceID, id, false); err != nil {
		r.cfg.Logger.Warn("making the post of a sent item failed; it waits", "source", id, "error", err)
	}
	item, err = storage.Read(ctx, r.cfg.Store.View, func(s storage.Reader) (schedctl.SourceItem, error) { return s.SourceItem(workspaceID, item.ID) })
	return item, false, err
}

// sentKeys returns the key of an item that was sent: its external id alone, because the sender
// decides what the same item is.
func sentKeys(s Sent) feed.Keys {
	sum := sha256.Sum256([]byte("g\x00" + s.ExternalID))
	return feed.Keys{GUID: "g" + hex.EncodeToString(sum[:16])}
}

// Post makes the post of an item that made none, or that has changed, now. The limits of the
// source do not count, but what its key may do does. Errors: those of the post, NOT_FOUND,
// SOURCE_HELD, VALIDATION_FAILED for an item without content.
func (r *Runner) Post(ctx context.Context, workspaceID, id, itemID string) (item schedctl.SourceItem, err error) {
	j, err := r.claim(ctx, workspaceID, id, true)
	if err != nil {
		return item, err
	}
	if j == nil {
		return item, schedctl.Errorf(schedctl.SourceHeldBack, "", "the source is held, paused or at work; release or resume it, or try again in a minute")
	}
	j.asked = true
	defer func() { err = errorsJoin(err, j.release(context.WithoutCancel(ctx))) }()
	read := func(s storage.Reader) (schedctl.SourceItem, error) { return s.SourceItem(workspaceID, itemID) }
	if item, err = storage.Read(ctx, r.cfg.Store.View, read); err != nil {
		return item, err
	}
	if item.SourceID != id || item.State == schedctl.ItemPosted {
		return item, schedctl.Errorf(schedctl.ValidationFailed, "", "the item made the post %s already", item.PostID)
	}
	c := content{Item: feed.Item{Title: item.Title, Link: item.Link, Author: item.Author, Published: item.PublishedAt}}
	if len(item.Content) > 0 && json.Unmarshal(item.Content, &c) != nil {
		return item, schedctl.Errorf(schedctl.ValidationFailed, "", "the stored content of the item cannot be read")
	}
	mode := j.source.Mode
	if c.Draft {
		mode = schedctl.SourceDraft
	}
	if err = j.attempts(ctx, &item, c, mode); err != nil {
		return item, err
	}
	return storage.Read(ctx, r.cfg.Store.View, read)
}
