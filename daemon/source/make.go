package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

const (
	// perLook is how many posts a source makes at once.
	perLook = 3

	// perHour is how many posts of the mode now a source makes in an hour.
	perHour = 3

	// retryAfter is how long an item waits if its accounts or its queue cannot take a post.
	retryAfter = time.Hour
)

// makeDue makes the posts of the items that are due, the oldest first, within the limits of
// the source. The others wait.
func (j *job) makeDue(ctx context.Context) error {
	var items []schedctl.SourceItem
	err := j.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		items, err = waiting(r, &j.source)
		return err
	})
	if err != nil {
		return err
	}
	now := schedctl.Millis(j.cfg.Now())
	made := 0
	for i := range items {
		item := &items[i]
		if now.Before(item.DueAt) {
			continue
		}
		later := j.allowed(made, now)
		switch {
		case now.Sub(item.FirstSeenAt) > schedctl.ItemWait+j.source.Delay && now.Sub(item.PublishedAt) > schedctl.ItemWait:
			err = j.settle(ctx, item, schedctl.ItemOverLimit, "the source had made its posts of each day, and the item waited for a week")
		case !later.IsZero():
			err = j.wait(ctx, item, later, "the source makes no more posts until then")
		default:
			var posted bool
			posted, err = j.makeOne(ctx, item)
			if posted {
				made++
			}
		}
		if err != nil || ctx.Err() != nil {
			return errorsJoin(err, ctx.Err())
		}
	}
	j.result.Posts += made
	return nil
}

// allowed returns the zero time if the source may make another post, and otherwise when it may.
func (j *job) allowed(made int, now time.Time) time.Time {
	s := &j.source
	switch {
	case made >= perLook:
		return now.Add(s.Interval)
	case s.MadeSince(now.Add(-24*time.Hour)) >= s.MaxPerDay:
		return s.Made[max(0, len(s.Made)-s.MaxPerDay)].Add(24 * time.Hour)
	case s.Mode == schedctl.SourceNow && s.MadeSince(now.Add(-time.Hour)) >= perHour:
		return s.Made[len(s.Made)-perHour].Add(time.Hour)
	}
	return time.Time{}
}

// makeOne makes the post of an item, unless it became one that makes none.
func (j *job) makeOne(ctx context.Context, item *schedctl.SourceItem) (posted bool, err error) {
	var c content
	if err := json.Unmarshal(item.Content, &c); err != nil {
		return false, j.settle(ctx, item, schedctl.ItemFailed, "its stored content cannot be read")
	}
	s := &j.source
	if s.Kind == schedctl.SourceFeed && s.Delay > 0 && !c.Draft && item.SeenAt.Before(s.BodyAt) {
		return false, j.settle(ctx, item, schedctl.ItemSkipped, "it left the feed before its post was made")
	}
	matcher, err := compile(s)
	if err != nil {
		return false, err
	}
	if reason := matcher.Match(c.Item); reason != "" {
		return false, j.settle(ctx, item, schedctl.ItemFiltered, reason)
	}
	posted, err = j.post(ctx, item, c)
	if errors.Is(err, errDuplicate) {
		return false, j.settle(ctx, item, schedctl.ItemDuplicate, "another source made a post of its link for one of the accounts")
	}
	return posted, err
}

var errDuplicate = errors.New("another source made a post of the link")

// post makes the post of an item with the mode of the source.
func (j *job) post(ctx context.Context, item *schedctl.SourceItem, c content) (posted bool, err error) {
	mode := j.source.Mode
	if c.Draft {
		mode = schedctl.SourceDraft
	}
	err = j.attempts(ctx, item, c, mode)
	switch code := schedctl.CodeOf(err); code {
	case "":
		return true, nil
	case schedctl.InvalidSocialAccounts, schedctl.QueueFull, schedctl.NoQueue, schedctl.InBlackout, schedctl.MediaNotReady:
		return false, j.wait(ctx, item, j.cfg.Now().Add(retryAfter), messageOf(err))
	case schedctl.ValidationFailed, schedctl.ContentTooLong, schedctl.DuplicateContent, schedctl.MediaInvalid, schedctl.ExternalIDExists, schedctl.AccountNotAllowed, schedctl.InsufficientScope, schedctl.ApprovalMissing, schedctl.KeyNotAllowed:
		return false, j.settle(ctx, item, schedctl.ItemFailed, messageOf(err))
	}
	if errors.Is(err, errTaken) || errors.Is(err, errDuplicate) || ctx.Err() != nil {
		return false, err
	}
	reason := "the post could not be made; it is tried again"
	if e, ok := errors.AsType[*schedctl.Error](err); ok {
		reason, err = e.Message, nil
	}
	return false, errorsJoin(err, j.wait(ctx, item, j.cfg.Now().Add(retryAfter), reason))
}

// attempts makes the post of an item with its picture, or without a picture that the networks
// of the accounts refuse. Where the post needs an approval, it asks for it.
func (j *job) attempts(ctx context.Context, item *schedctl.SourceItem, c content, mode schedctl.SourceMode) error {
	p, err := j.picture(ctx, item, c)
	if err != nil {
		return err
	}
	try := func(p picture) error {
		err := j.attempt(ctx, item, c, mode, p)
		if mode.Publishes() && schedctl.CodeOf(err) == schedctl.ApprovalMissing {
			err = j.attempt(ctx, item, c, schedctl.SourceSubmit, p)
		}
		return err
	}
	err = try(p)
	code := schedctl.CodeOf(err)
	if p.assetID != "" && !j.source.ImageRequired && (code == schedctl.MediaInvalid || code == schedctl.ValidationFailed) {
		err = try(picture{note: "The post has no picture: " + messageOf(err)})
	}
	return err
}

// attempt makes the post of an item, and stores it with the item.
func (j *job) attempt(ctx context.Context, item *schedctl.SourceItem, c content, mode schedctl.SourceMode, p picture) error {
	for {
		request := usecase.Request{Key: j.key, Now: j.cfg.Now()}
		decision := j.cfg.Cases.Decide(&request, func(fn func(storage.Reader) error) error { return j.cfg.Store.View(ctx, fn) })
		n, err := j.newPost(ctx, item, c, mode)
		if err != nil {
			return err
		}
		if p.assetID != "" {
			n.Media, n.MediaField = []schedctl.PostMedia{{AssetID: p.assetID}}, "media"
		}
		created, err := decision.CreatePost(ctx, n, func(id string) (a schedctl.Account, err error) {
			err = j.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
				a, err = r.Account(j.source.WorkspaceID, id)
				return err
			})
			return a, err
		})
		if err != nil {
			return err
		}
		created.SourceID, created.ItemID, created.UpdatedBy = j.source.ID, item.ID, ""
		address := item.Link
		if address == "" {
			address = item.Title
		}
		for _, text := range []string{fmt.Sprintf("Made by the source %s of %s", j.source.Name, address), p.note} {
			created.AddNote(j.author(), text, j.cfg.Now()) // an empty text, and one that is too long, are no note
		}
		if err = j.store(ctx, item, created, &request); !usecase.Again(err) {
			return err
		}
	}
}

// author is who writes the notes of the posts of the source.
func (j *job) author() schedctl.Actor {
	return schedctl.Actor{Key: schedctl.KeyRef{ID: j.key.ID, Name: j.key.Name}}
}

// store stores a post and its item in one transaction, if both the source and the item are as
// they were.
func (j *job) store(ctx context.Context, item *schedctl.SourceItem, created *usecase.CreatedPost, request *usecase.Request) error {
	now := schedctl.Millis(request.Now)
	var source schedctl.Source
	err := j.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		s, err := j.mine(tx)
		if err == nil && s.Version != j.source.Version { // the post has the old settings
			err = errTaken
		}
		if err != nil {
			return err
		}
		if !j.asked { // before the item is read, so that sources lock their items in the same order
			if twice, err := duplicate(tx, &s, item, now); err != nil || twice {
				return cmp.Or(err, errDuplicate)
			}
		}
		current, err := tx.SourceItem(item.WorkspaceID, item.ID)
		if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && (current.State != item.State || current.Round != item.Round) {
			return errTaken
		}
		if err != nil {
			return err
		}
		if _, err := created.Store(tx); err != nil {
			return err
		}
		current.Settle(schedctl.ItemPosted, "")
		current.PostID, current.Round, current.Content = created.ID, current.Round+1, nil
		s.AddMade(now)
		source = s
		err = errorsJoin(tx.PutSourceItem(current), tx.PutSource(s), tx.AddAudit(schedctl.AuditEntry{
			ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: s.WorkspaceID, At: now, KeyID: j.key.ID, KeyName: j.key.Name,
			Action: "createPost", ResourceID: created.ID, Detail: "by the source " + s.ID,
		}))
		return err
	})
	if err == nil {
		j.source = source
		j.cfg.Counted(schedctl.ItemPosted)
	}
	return err
}

// settle stores what became of an item that makes no post.
func (j *job) settle(ctx context.Context, item *schedctl.SourceItem, state schedctl.ItemState, reason string) error {
	j.cfg.Counted(state)
	return j.change(ctx, item, func(i *schedctl.SourceItem) {
		i.Settle(state, reason)
		if state != schedctl.ItemFailed && state != schedctl.ItemOverLimit {
			i.Content = nil
		}
	})
}

// wait lets an item wait for a time.
func (j *job) wait(ctx context.Context, item *schedctl.SourceItem, until time.Time, reason string) error {
	return j.change(ctx, item, func(i *schedctl.SourceItem) { i.DueAt, i.Reason = schedctl.Millis(until), reason })
}

func (j *job) change(ctx context.Context, item *schedctl.SourceItem, change func(*schedctl.SourceItem)) error {
	return j.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		if _, err := j.mine(tx); err != nil {
			return err
		}
		current, err := tx.SourceItem(item.WorkspaceID, item.ID)
		if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && current.State != item.State {
			return nil
		}
		if err != nil {
			return err
		}
		change(&current)
		return tx.PutSourceItem(current)
	})
}
