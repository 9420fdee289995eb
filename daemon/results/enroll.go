package results

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// pageSize is how many publications of an account are read at once. A look reads one page of
// each account, unless all of it is new.
const pageSize = 20

// enroll stores the next reading of each publication that has none. At the start it looks at
// all posts that can still be read, and afterwards at the latest ones of each account.
func (r *Reader) enroll(ctx context.Context) error {
	first, now := !r.enrolled.Load(), time.Now()
	var found []schedctl.Results
	err := r.cfg.Store.View(ctx, func(s storage.Reader) error {
		found = nil
		for a, err := range storage.EachAccount(s) {
			if err != nil {
				return err
			}
			_, rules, _, ok := r.rulesOf(a)
			if !ok {
				continue
			}
			list, err := newOf(s, a, rules, now, first)
			if err != nil {
				return err
			}
			found = append(found, list...)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for len(found) > 0 {
		n := min(len(found), 100)
		if err := r.store(ctx, found[:n]); err != nil {
			return err
		}
		found = found[n:]
	}
	r.enrolled.Store(true)
	return nil
}

// newOf returns results for the publications of an account that have none and will be read,
// the newest first. With all, it looks at all that can still be read.
func newOf(s storage.Reader, a *schedctl.Account, rules publish.ResultsRules, now time.Time, all bool) (found []schedctl.Results, err error) {
	var after storage.PublishedTarget
	for {
		page, err := s.PublishedTargets(a.ID, after, pageSize)
		if err != nil || len(page) == 0 {
			return found, err
		}
		ids := make([]string, len(page))
		for i := range page {
			ids[i] = page[i].TargetID
		}
		known, err := s.Results(a.WorkspaceID, ids)
		if err != nil {
			return nil, err
		}
		has := make(map[string]bool, len(known))
		for i := range known {
			has[known[i].TargetID] = true
		}
		for i := range page {
			p := &page[i]
			next := rules.Next(p.At, now)
			if p.At.IsZero() || next.IsZero() {
				return found, nil // and all others are older
			}
			if !has[p.TargetID] {
				found = append(found, schedctl.Results{
					TargetID: p.TargetID, WorkspaceID: p.WorkspaceID, PostID: p.PostID, AccountID: a.ID, PublishedAt: p.At, NextAt: next,
				})
			}
		}
		if len(page) < pageSize || !all && len(known) > 0 {
			return found, nil
		}
		after = page[len(page)-1]
	}
}

// store puts new results, unless the target has some by now, or is gone with its post.
func (r *Reader) store(ctx context.Context, list []schedctl.Results) error {
	return r.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		for _, v := range list {
			post, err := tx.Post(v.WorkspaceID, v.PostID)
			if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && post.Target(v.TargetID) == nil {
				continue
			}
			if err != nil {
				return err
			}
			known, err := tx.Results(v.WorkspaceID, []string{v.TargetID})
			if err != nil {
				return err
			}
			if len(known) == 0 {
				if err := tx.PutResults(v); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
