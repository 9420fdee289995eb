package main

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// maxResent is how many writes of each client are sent again.
const maxResent = 100

// judge compares the queue with the acknowledged responses. The clients have ended, and
// every request that had an effect was acknowledged.
func (q *queueWorld) judge(ctx context.Context) error {
	stored, err := q.posts(ctx)
	if err != nil {
		return err
	}
	q.judgePosts(stored)
	if err := q.judgeSkipped(); err != nil {
		return err
	}
	for _, c := range q.clients {
		for _, i := range c.random.Perm(len(c.writes))[:min(maxResent, len(c.writes))] {
			if err := q.resend(ctx, c.writes[i]); err != nil {
				return err
			}
		}
	}
	for _, account := range q.accounts {
		if err := q.judgeSlots(ctx, account); err != nil {
			return err
		}
	}
	return nil
}

// judgePosts checks that the daemon has exactly the acknowledged posts, in their slots,
// and that no account has two live posts in a slot.
func (q *queueWorld) judgePosts(stored map[string]apiv1.Post) {
	known := map[string]bool{}
	holder := map[heldSlot]string{}
	for _, c := range q.clients {
		for _, p := range c.live {
			known[p.ID] = true
			s, found := stored[p.ID]
			switch {
			case !found:
				q.judged.violation(lostRecord, "post %s was acknowledged and is missing", p.ID)
				continue
			case s.Slot == nil || *s.Slot != *p.Slot || s.Status != schedctl.Scheduled || !s.PublishAt.Equal(p.PublishAt.Time):
				q.judged.violation(lostRecord, "post %s was acknowledged in slot %v, and is %s in %v", p.ID, *p.Slot, s.Status, s.Slot)
				continue
			}
			for _, a := range s.SocialAccountIDs {
				at := heldSlot{a, schedctl.LocalTime(s.Slot.Local)}
				if other := holder[at]; other != "" {
					q.judged.violation(doneTwice, "account %s has posts %s and %s in slot %s", a, other, p.ID, at.local)
				}
				holder[at] = p.ID
			}
		}
		for _, id := range c.canceled {
			if known[id] = true; stored[id].Status != schedctl.Canceled {
				q.judged.violation(lostRecord, "post %s was canceled, and is %q", id, stored[id].Status)
			}
		}
	}
	for id := range stored {
		if !known[id] {
			q.judged.violation(doneTwice, "no request was acknowledged with post %s", id)
		}
	}
}

// judgeSkipped checks that each slot before that of a live post has, or had, a post of
// one of its accounts.
func (q *queueWorld) judgeSkipped() error {
	loc, err := time.LoadLocation(q.queue.Timezone)
	if err != nil {
		return err
	}
	held := map[heldSlot]bool{}
	for _, c := range q.clients {
		for _, h := range c.held {
			held[h] = true
		}
	}
	for _, c := range q.clients {
		for _, p := range c.live {
			for slot := range q.queue.Slots(p.NotBefore.Time, p.PublishAt.Time, loc) {
				if !slices.ContainsFunc(p.SocialAccountIDs, func(a string) bool { return held[heldSlot{a, slot.Local}] }) {
					q.judged.violation(wrongStatus, "post %s has slot %s, and slot %s was never taken by its accounts", p.ID, p.Slot.Local, slot.Local)
				}
			}
		}
	}
	return nil
}

// judgeSlots checks that the daemon shows each slot of an account as the clients know it,
// and that the next post takes the first free one.
func (q *queueWorld) judgeSlots(ctx context.Context, account string) error {
	holder := map[string]string{}
	for _, c := range q.clients {
		for _, p := range c.live {
			if slices.Contains(p.SocialAccountIDs, account) {
				holder[p.Slot.Local] = p.ID
			}
		}
	}
	query := url.Values{"social_account_id": {account}, "after": {apiv1.Time{Time: q.from}.String()}, "limit": {"1000"}}
	var shown apiv1.QueueSlots
	if err := q.daemon().Call(ctx, "GET", "/queues/"+q.queue.ID+"/slots?"+query.Encode(), "", &shown); err != nil {
		return err
	}
	first := ""
	for _, s := range shown.Results {
		id := ""
		if s.PostID != nil {
			id = *s.PostID
		}
		if id != holder[s.Local] {
			q.judged.violation(wrongStatus, "slot %s of account %s is %s by %q, want %q", s.Local, account, s.State, id, holder[s.Local])
		}
		if s.State == apiv1.SlotFree && first == "" {
			first = s.Local
		}
		delete(holder, s.Local)
	}
	if len(holder) > 0 {
		q.judged.violation(wrongStatus, "the slots of account %s lack %v", account, holder)
	}
	c := q.clients[0]
	p, err := c.write(ctx, "POST", "/posts", map[string]any{
		"content": "the last one", "social_account_ids": []string{account}, "publish_at": apiv1.PublishNextSlot, "not_before": apiv1.Time{Time: q.from},
	})
	if err == nil && p.Slot.Local != first {
		q.judged.violation(wrongStatus, "the first free slot of account %s is %s, and a post takes %s", account, first, p.Slot.Local)
	}
	if err == nil {
		c.live = append(c.live, p)
	}
	return err
}
