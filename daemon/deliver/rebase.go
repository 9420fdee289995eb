package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxClockSkew is how far the clocks of nodes may differ before a time from another
// node is treated as one of a clock that was set back.
const maxClockSkew = time.Minute

// rebasePageSize is how many posts one transaction reads or changes.
const rebasePageSize = 100

// rebase moves retry times that were planned by a clock that was later set back. A
// retry in ten seconds could otherwise come in ten years. It runs at the start and
// whenever the clock was set back.
func (x *dispatcher) rebase(ctx context.Context, now time.Time) {
	setBacks := x.d.cfg.Clock.SetBacks()
	if setBacks == x.setBacks || x.stopping || !x.rebases.mayStart(now) {
		return
	}
	x.rebases.running = true
	x.jobs.Go(func() {
		err := x.d.rebaseAll(ctx)
		x.d.mail.report(func(x *dispatcher) { x.rebased(setBacks, err) })
	})
}

// rebased stores how many times the clock was set back, as far as handled.
func (x *dispatcher) rebased(setBacks int, err error) {
	if err != nil {
		x.logStoreState(x.rebases.failed(1, err, time.Now()), "moving retry times after the clock was set back", err)
		return
	}
	x.setBacks = setBacks
	x.logStoreState(x.rebases.succeeded(), "moving retry times after the clock was set back", nil)
}

// rebaseAll checks all posts that are being published.
func (d *Deliverer) rebaseAll(ctx context.Context) error {
	workspaces, err := storage.Read(ctx, d.cfg.Store.View, storage.Reader.Workspaces)
	for _, w := range workspaces {
		q := storage.PostQuery{WorkspaceID: w.ID, Statuses: []schedctl.Status{schedctl.Publishing}, Limit: rebasePageSize}
		for more := true; more && err == nil; {
			more, err = d.rebasePage(ctx, &q)
		}
		if err == nil {
			err = d.rebaseComments(ctx, w.ID)
		}
	}
	return err
}

// rebaseComments checks the latest posts of each account that were published by a clock
// that was later set back: their first comments may wait, and the posts count as published.
func (d *Deliverer) rebaseComments(ctx context.Context, workspace string) error {
	now := time.Now().Round(0)
	var ids []string
	err := d.cfg.Store.View(ctx, func(r storage.Reader) error {
		ids = nil
		accounts, err := r.Accounts(workspace)
		for i := 0; i < len(accounts) && err == nil; i++ {
			var published []storage.PublishedTarget
			published, err = r.PublishedTargets(accounts[i].ID, storage.PublishedTarget{}, rebasePageSize)
			for _, t := range published {
				if !t.At.After(now) {
					break
				}
				p, err := r.Post(workspace, t.PostID)
				if err != nil {
					return err
				}
				if d.coord.mayRebase(&p, now) && p.Rebase(now) && !slices.Contains(ids, p.ID) {
					ids = append(ids, p.ID)
				}
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.rebasePosts(ctx, workspace, ids)
}

// rebasePage checks one page of posts, advances the query, and reports whether there
// are more pages.
func (d *Deliverer) rebasePage(ctx context.Context, q *storage.PostQuery) (more bool, err error) {
	page, err := storage.Read(ctx, d.cfg.Store.View, func(r storage.Reader) (storage.PostPage, error) { return r.Posts(*q) })
	if err != nil {
		return false, err
	}
	var ids []string
	now := time.Now().Round(0)
	for _, p := range page.Posts {
		if d.coord.mayRebase(&p, now) && p.Rebase(now) {
			ids = append(ids, p.ID)
		}
	}
	q.After = page.Next
	return page.Next != nil, d.rebasePosts(ctx, q.WorkspaceID, ids)
}

func (d *Deliverer) rebasePosts(ctx context.Context, workspace string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return d.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		e, now := newEdits(tx), time.Now().UTC().Round(0)
		for _, id := range ids {
			p, err := e.post(workspace, id)
			if notFound(err) {
				continue
			}
			if err != nil {
				return err
			}
			if p.Rebase(now) {
				e.changedPost(p)
			}
		}
		return e.write()
	})
}
