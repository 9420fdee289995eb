package storagetest

import (
	"errors"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// write executes a request and returns the changed post, or nil for a deleted one.
func (s *modelSubject) write(tx storage.Tx, ws string, r oracle.Request) (*schedctl.Post, error) {
	if r.Op == oracle.Create {
		accounts, err := s.resolve(tx, ws, r.Accounts)
		if err != nil {
			return nil, err
		}
		media, err := resolveMedia(tx, ws, r.Media)
		if err != nil {
			return nil, err
		}
		n := schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: *r.Content}, PublishAt: r.At, Now: r.Now}
		if media != nil {
			n.Media = *media
		}
		if accounts != nil {
			n.Accounts = *accounts
		}
		if err := setModelExtras(tx, &n, r.Changes); err != nil {
			return nil, err
		}
		if r.NextSlot {
			if err := s.takeSlot(tx, &n); err != nil {
				return nil, err
			}
		}
		post, events, err := schedctl.Create(n, s.now)
		if err != nil {
			return nil, err
		}
		return &post, errors.Join(tx.PutPost(post), tx.AddEvents(events...))
	}
	post, err := tx.Post(ws, r.Post)
	if err != nil {
		return nil, err
	}
	if r.Op == oracle.Delete {
		if err := post.CheckOperation(schedctl.OpDelete); err != nil {
			return nil, err
		}
		return nil, tx.DeletePost(ws, post.ID)
	}
	version := post.Version
	events, err := s.change(tx, &post, r)
	if err != nil || post.Version == version {
		return &post, err
	}
	return &post, errors.Join(tx.PutPost(post), tx.AddEvents(events...))
}

// change applies a request to a post.
func (s *modelSubject) change(tx storage.Tx, p *schedctl.Post, r oracle.Request) ([]schedctl.Event, error) {
	if err := p.CheckOperation(schedctl.Operation(r.Op)); err != nil {
		return nil, err
	}
	switch r.Op {
	case oracle.Cancel:
		return p.Cancel(s.now)
	case oracle.Unschedule:
		return p.Unschedule(schedctl.Actor{}, s.now)
	case oracle.Retry:
		return s.retry(tx, p, schedctl.Retry{TargetIDs: r.Targets, Force: r.Force})
	}
	if err := malformedModelRequest(p, r); err != nil {
		return nil, err
	}
	ids := r.Accounts
	if ids == nil && p.Status() == schedctl.Draft && (r.Op != oracle.Edit || !r.At.IsZero()) {
		own := p.AccountIDs()
		ids = &own
	}
	accounts, err := s.resolve(tx, p.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	switch r.Op {
	case oracle.Schedule:
		return p.Schedule(r.At, accounts, s.now)
	case oracle.Publish:
		return p.PublishNow(accounts, s.now)
	}
	media, err := resolveMedia(tx, p.WorkspaceID, r.Media)
	if err != nil {
		return nil, err
	}
	e := schedctl.Edit{ContentChange: schedctl.ContentChange{Text: r.Content, Media: media}, Accounts: accounts, PublishAt: r.At}
	if err := editModelExtras(tx, p.WorkspaceID, &e, r.Changes); err != nil {
		return nil, err
	}
	before := p.Clone()
	events, err := p.Edit(e, s.now)
	if err == nil && r.At.IsZero() {
		err = s.checkSlotStays(tx, &before, p)
	}
	return events, err
}

// resolveMedia returns the media of a request, or nil if it has none.
func resolveMedia(tx storage.Reader, ws string, ids *[]string) (*[]schedctl.PostMedia, error) {
	if ids == nil {
		return nil, nil
	}
	list := []schedctl.PostMedia{}
	for _, id := range *ids {
		a, err := tx.MediaAsset(ws, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return nil, schedctl.Errorf(schedctl.ValidationFailed, "media", "there is no asset %s", id)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, schedctl.PostMedia{AssetID: a.ID, SHA256: a.SHA256})
	}
	return &list, nil
}

// malformedModelRequest refuses what the API refuses before it applies the rules.
func malformedModelRequest(p *schedctl.Post, r oracle.Request) error {
	none := r.Content == nil && r.Media == nil && r.Changes == oracle.Changes{} && r.Accounts == nil && r.At.IsZero() && !r.Null
	switch {
	case r.Now, r.Op == oracle.Schedule && r.At.IsZero(), r.Null && p.Status() == schedctl.Scheduled:
		return schedctl.Errorf(schedctl.InvalidPublishAt, "", "not supported here")
	case r.Op == oracle.Edit && none:
		return schedctl.Errorf(schedctl.ValidationFailed, "", "changes nothing")
	}
	return nil
}

func (s *modelSubject) resolve(tx storage.Reader, ws string, ids *[]string) (*[]schedctl.Account, error) {
	if ids == nil {
		return nil, nil
	}
	accounts, err := schedctl.ResolveAccounts(*ids, func(id string) (schedctl.Account, bool) {
		a, err := tx.Account(ws, id)
		return a, err == nil
	})
	return &accounts, err
}

// retry also ends the pause of accounts to be queried at once.
func (s *modelSubject) retry(tx storage.Tx, p *schedctl.Post, r schedctl.Retry) ([]schedctl.Event, error) {
	var errs []error
	for _, t := range p.Targets {
		if !t.WaitsForNetwork() || (len(r.TargetIDs) > 0 && !slices.Contains(r.TargetIDs, t.ID)) {
			continue
		}
		a, err := tx.Account(p.WorkspaceID, t.AccountID)
		a.EndDisruption()
		errs = append(errs, err, tx.PutAccount(a))
	}
	events, err := p.Retry(r, s.now)
	return events, errors.Join(append(errs, err)...)
}

// seenPost returns a post as clients see it.
func seenPost(p schedctl.Post) oracle.Post {
	seen := oracle.Post{
		ID: p.ID, Workspace: p.WorkspaceID, Content: p.Text, Status: string(p.Status()), PublishAt: p.PublishAt,
		Version: p.Version, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Media: mediaIDs(p.Media), Extras: seenExtras(p),
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		seen.Targets = append(seen.Targets, oracle.Target{
			ID: t.ID, Account: t.AccountID, Status: string(t.Status), PublishAt: t.PublishAt, NextAttemptAt: t.ShownNext(),
			PublishedAt: t.PublishedAt, Attempts: t.Attempts, Error: seenFault(t.Error), Parts: seenParts(p, t),
		})
	}
	return seen
}

func mediaIDs(media []schedctl.PostMedia) (ids []string) {
	for _, m := range media {
		ids = append(ids, m.AssetID)
	}
	return ids
}

func seenFault(e *schedctl.TargetError) oracle.Fault {
	if e == nil {
		return oracle.Fault{}
	}
	return oracle.Fault{Kind: string(e.Kind), Outcome: string(e.Outcome), Retryable: e.Retryable}
}
