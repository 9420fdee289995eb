package planner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// zoneMetadata is the name of the digest of the zones in use.
const zoneMetadata = "zone digest"

// zoneYears is how many years of rules the digest covers.
const zoneYears = 3

// checkZones moves future posts and blackouts if the rules of their zones have changed
// since the last start, as with a new version of the time zone database.
func (p *Planner) checkZones(ctx context.Context) error {
	var digest, stored []byte
	var workspaces []schedctl.Workspace
	err := p.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		if workspaces, err = r.Workspaces(); err != nil {
			return err
		}
		zones, err := zonesInUse(r, workspaces)
		if err != nil {
			return err
		}
		digest = digestOf(zones, time.Now())
		stored, err = r.Metadata(zoneMetadata)
		return err
	})
	if err != nil || bytes.Equal(digest, stored) {
		return err
	}
	if stored != nil {
		if err := p.resolveAgain(ctx, workspaces); err != nil {
			return err
		}
	}
	return p.cfg.Store.Update(ctx, func(tx storage.Tx) error { return tx.PutMetadata(zoneMetadata, digest) })
}

// zonesInUse returns the zones of all queues, series and open blackouts, sorted.
func zonesInUse(r storage.Reader, workspaces []schedctl.Workspace) ([]string, error) {
	zones := map[string]bool{}
	for _, w := range workspaces {
		queues, err := r.Queues(w.ID)
		if err != nil {
			return nil, err
		}
		for i := range queues {
			zones[queues[i].Timezone] = true
		}
		blackouts, err := r.Blackouts(w.ID)
		if err != nil {
			return nil, err
		}
		for i := range blackouts {
			zones[blackouts[i].Timezone] = true
		}
		for after := ""; ; {
			list, err := r.SeriesList(w.ID, after, batch)
			if err != nil {
				return nil, err
			}
			for i := range list {
				zones[list[i].Timezone], after = true, list[i].ID
			}
			if len(list) < batch {
				break
			}
		}
	}
	list := make([]string, 0, len(zones))
	for z := range zones {
		list = append(list, z)
	}
	slices.Sort(list)
	return list, nil
}

// digestOf returns the SHA-256 of the clock changes of zones, from the start of this
// year on.
func digestOf(zones []string, now time.Time) []byte {
	h := sha256.New()
	start := time.Date(now.UTC().Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	end := start.AddDate(zoneYears, 0, 0)
	for _, name := range zones {
		loc, err := time.LoadLocation(name)
		if err != nil {
			fmt.Fprintf(h, "%q unknown\n", name)
			continue
		}
		last := -1 << 31
		for t := start; t.Before(end); t = t.Add(6 * time.Hour) {
			if _, offset := t.In(loc).Zone(); offset != last {
				fmt.Fprintf(h, "%q %d %d\n", name, t.Unix(), offset)
				last = offset
			}
		}
	}
	return h.Sum(nil)
}

// resolveAgain moves the future posts and the blackouts whose local times have other
// instants now.
func (p *Planner) resolveAgain(ctx context.Context, workspaces []schedctl.Workspace) error {
	for _, w := range workspaces {
		if err := p.resolveBlackouts(ctx, w.ID); err != nil {
			return err
		}
		query := storage.PostQuery{
			WorkspaceID: w.ID, Statuses: []schedctl.Status{schedctl.Scheduled}, PublishAfter: time.Now(), Sort: storage.PublishAscending, Limit: batch,
		}
		for more := true; more; more = query.After != nil {
			page, err := storage.Read(ctx, p.cfg.Store.View, func(r storage.Reader) (storage.PostPage, error) { return r.Posts(query) })
			if err != nil {
				return err
			}
			for i := range page.Posts {
				if err := p.resolvePost(ctx, &page.Posts[i]); err != nil {
					return err
				}
			}
			query.After = page.Next
			p.lastTick.Store(time.Now().UnixMilli())
		}
	}
	return nil
}

// resolvePost moves a post to the instant that its local time has now. A post whose new
// slot is taken, or has passed, stays where it is.
func (p *Planner) resolvePost(ctx context.Context, seen *schedctl.Post) error {
	if seen.Detached || seen.Slot == (schedctl.Slot{}) && seen.SeriesID == "" {
		return nil
	}
	err := p.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		post, err := tx.Post(seen.WorkspaceID, seen.ID)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return nil
		}
		if err != nil || post.Detached || post.Status() != schedctl.Scheduled {
			return err
		}
		at, err := instantOf(tx, &post)
		if err != nil || at.Equal(post.PublishAt) || !at.After(time.Now()) {
			return err
		}
		events, err := post.Edit(schedctl.Edit{PublishAt: at, Booking: post.Booking, BySeries: true}, time.Now())
		if err != nil {
			return err
		}
		return errors.Join(tx.PutPost(post), tx.AddEvents(events...))
	})
	if schedctl.CodeOf(err) == schedctl.SlotTaken {
		p.cfg.Logger.Warn("a post keeps its time: its slot is taken at the time that its zone has now", "post", seen.ID)
		return nil
	}
	return err
}

// instantOf returns the instant of the local time of a post, or its current time if the
// zone is not known.
func instantOf(r storage.Reader, p *schedctl.Post) (time.Time, error) {
	local, zone := p.Slot.Local, p.Slot.Timezone
	if local == "" {
		s, err := r.Series(p.WorkspaceID, p.SeriesID)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return p.PublishAt, nil
		}
		if err != nil {
			return time.Time{}, err
		}
		local, zone = p.Occurrence, s.Timezone
	}
	loc, err := schedctl.LoadZone("timezone", zone)
	if err != nil {
		return p.PublishAt, nil
	}
	at, _ := local.In(loc)
	return at.UTC(), nil
}

// resolveBlackouts moves the open blackouts of a workspace, with their copies.
func (p *Planner) resolveBlackouts(ctx context.Context, workspaceID string) error {
	return p.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		list, err := tx.Blackouts(workspaceID)
		if err != nil {
			return err
		}
		var moved []schedctl.Blackout
		for _, b := range list {
			next := b.Clone()
			if !b.SettledAt.IsZero() || next.Resolve() != nil || next.OnAccount() == b.OnAccount() {
				continue
			}
			next.Version, next.UpdatedAt = b.Version+1, schedctl.Millis(time.Now())
			if err := tx.PutBlackout(next); err != nil {
				return err
			}
			moved = append(moved, next)
		}
		if len(moved) == 0 {
			return nil
		}
		accounts, err := tx.Accounts(workspaceID)
		if err != nil {
			return err
		}
		for i := range accounts {
			a := &accounts[i]
			for j := range moved {
				if moved[j].Covers(a.ID) {
					a.SetBlackout(&moved[j])
				}
			}
			if err := tx.PutAccount(*a); err != nil {
				return err
			}
		}
		return nil
	})
}
