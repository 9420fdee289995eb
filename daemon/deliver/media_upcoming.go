package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// read returns the entries of the due index that are due soon.
func (p *preparer) read(ctx context.Context, now time.Time) (due []schedctl.Due, err error) {
	until := now.Add(videoLead).UnixMilli()
	err = p.d.cfg.Store.View(ctx, func(r storage.Reader) error {
		due = nil
		return r.Due(schedctl.Due{At: now.UnixMilli()}, func(e schedctl.Due) bool {
			if e.At > until || len(due) == maxUpcoming {
				return false
			}
			due = append(due, e)
			return true
		})
	})
	return due, err
}

// keepOnly forgets the targets that are no longer due soon.
func (p *preparer) keepOnly(due []schedctl.Due) {
	soon := make(map[schedctl.ULID]bool, len(due))
	for _, e := range due {
		soon[e.Target] = true
	}
	for target := range p.upcoming {
		if !soon[target] {
			delete(p.upcoming, target)
		}
	}
}

// readPosts reads the posts of some targets: those that are not known, have moved or have
// media, and the next ones, which may have got media since.
func (p *preparer) readPosts(ctx context.Context, batch []schedctl.Due) error {
	return p.d.cfg.Store.View(ctx, func(r storage.Reader) error {
		if err := prepare(r, batch, func(e *schedctl.Due) string { return e.TargetID() }); err != nil {
			return err
		}
		for _, e := range batch {
			c, later, err := p.d.upcomingCall(r, e.TargetID())
			switch {
			case err != nil && !notFound(err):
				return err
			case later:
				delete(p.upcoming, e.Target) // and read it again
			default:
				p.update(e, c)
			}
		}
		return nil
	})
}

// update remembers what was read about a target. c is nil if it needs no preparation.
func (p *preparer) update(e schedctl.Due, c *publisherCall) {
	u := p.upcoming[e.Target]
	if u == nil || c == nil {
		u = &upcomingTarget{}
		p.upcoming[e.Target] = u
	}
	if u.at != e.At {
		u.startAt = time.Time{}
	}
	u.at, u.call = e.At, c
}

// upcomingCall returns a call for the preparation of a target, or nil if there is nothing
// to prepare. later is true if that can change without a change of the post: the account
// cannot be used now, or another node is preferred for it.
func (d *Deliverer) upcomingCall(r storage.Reader, targetID string) (c *publisherCall, later bool, err error) {
	route, err := r.Route(targetID)
	if err != nil {
		return nil, false, err
	}
	post, err := r.Post(route.WorkspaceID, route.PostID)
	if err != nil {
		return nil, false, err
	}
	target := post.Target(targetID)
	if target == nil || !d.prepares(&post, target) {
		return nil, false, nil
	}
	if d.cfg.Member != nil && !d.cfg.Member.Mine(target.AccountID) {
		return nil, true, nil
	}
	account, err := r.Account(route.WorkspaceID, target.AccountID)
	now := time.Now()
	_, held := account.PostHeldAt(post.Labels, now)
	if err != nil || account.Status != schedctl.AccountConnected || held || pause(&account, now) > 0 {
		return nil, err == nil, err
	}
	attempt := schedctl.Attempt{WorkspaceID: post.WorkspaceID, PostID: post.ID, TargetID: targetID, AccountID: account.ID, Part: len(target.Done)}
	c = d.newCall(nil, attempt, &post, target, &account)
	if _, ok := c.publisher.(publish.MediaPublisher); !ok && !c.staged() {
		return nil, false, nil
	}
	return c, false, nil
}

// dropUnneeded drops the jobs of targets that were canceled, deleted or moved away.
func (p *preparer) dropUnneeded(ctx context.Context) error {
	var unneeded []jobKey
	err := p.d.cfg.Store.View(ctx, func(r storage.Reader) error {
		unneeded = nil
		for _, key := range p.d.media.keys() {
			if u := p.upcoming[ulid(key.target)]; u != nil && u.call != nil {
				continue
			}
			needed, err := p.d.needsFiles(r, key)
			if err != nil {
				return err
			}
			if !needed {
				unneeded = append(unneeded, key)
			}
		}
		return nil
	})
	for _, key := range unneeded {
		p.d.media.drop(key)
	}
	return err
}

// prepares reports whether something of a target can be prepared.
func (d *Deliverer) prepares(p *schedctl.Post, t *schedctl.Target) bool {
	return hasMedia(p, t) || d.stagesOf(t.Platform)
}

// hasMedia reports whether a part of a target has files.
func hasMedia(p *schedctl.Post, t *schedctl.Target) bool {
	for i := range p.PartCount(t) {
		if len(p.PartFor(t, i).Media) > 0 {
			return true
		}
	}
	return false
}

// needsFiles reports whether a part of a target may be published soon.
func (d *Deliverer) needsFiles(r storage.Reader, key jobKey) (bool, error) {
	route, err := r.Route(key.target)
	if notFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	post, err := r.Post(route.WorkspaceID, route.PostID)
	if notFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t := post.Target(key.target)
	if t == nil || key.part < len(t.Done) || !d.prepares(&post, t) {
		return false, nil
	}
	return isSoon(t), nil
}
