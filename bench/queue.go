package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
)

// The size of the queue case: other queues of the workspace, a post a day for a year, and
// the days that are read.
const (
	otherQueues = 99
	queuedPosts = 365
	slotDays    = 90
)

// measureQueue compares the slots of a queue with a page of as many posts. A commit
// before each read makes the daemon build each response.
func measureQueue(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.waiting(ctx, smallPosts)
	if err != nil {
		return nil, err
	}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		slots, posts, err := fillQueue(ctx, d)
		if err != nil {
			return err
		}
		change, err := invalidator(ctx, d)
		if err != nil {
			return err
		}
		load := readLoad{connections: 1, count: b.atLeast(200, 400), n: n, change: change}
		subject, control := load, load
		subject.paths, control.paths = []string{slots}, []string{posts}
		var c cost
		all, err := compare(ctx, b.rounds, subject.measure(d, &c), control.measure(d, new(cost)))
		if err != nil {
			return err
		}
		name := fmt.Sprintf("GET slots of %d days / GET a page of %d posts, both uncached after a commit", slotDays, slotDays)
		out = append(out, all[0].row(name, medianFigure, goal{atMost: 1.5}, "µs").with(&c))
		return nil
	})
	return out, err
}

// fillQueue creates queues and posts in the slots of one of them. It returns the paths of
// the slots of slotDays days, and of as many posts.
func fillQueue(ctx context.Context, d *child.Daemon) (slots, posts string, err error) {
	feeds, err := accountIDs(ctx, d, "feed")
	if err != nil {
		return "", "", err
	}
	var made apiv1.QueueEnvelope
	for i := range otherQueues + 1 {
		body := fmt.Sprintf(`{"name":"queue %d","timezone":"Europe/Berlin","times":[{"days":["mon","tue","wed","thu","fri","sat","sun"],"at":"09:00"}],"gap":"10m","social_account_ids":[%q]}`, i, feeds[0])
		if err := d.Call(ctx, "POST", "/queues", body, &made); err != nil {
			return "", "", err
		}
	}
	from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 30) // after the other posts of the account
	at := apiv1.Time{Time: from}.String()
	for i := range queuedPosts {
		notBefore := apiv1.Time{Time: from.AddDate(0, 0, i)}
		body := fmt.Sprintf(`{"content":"Post number %d of the queue","social_account_ids":[%q],"publish_at":"next-slot","queue_id":%q,"not_before":%q}`, i, feeds[0], made.Queue.ID, notBefore)
		if err := d.Call(ctx, "POST", "/posts", body, nil); err != nil {
			return "", "", err
		}
	}
	period := url.Values{"after": {at}, "before": {apiv1.Time{Time: from.AddDate(0, 0, slotDays)}.String()}, "limit": {fmt.Sprint(slotDays)}}
	page := url.Values{"queue_id": {made.Queue.ID}, "sort": {"publish_at"}, "publish_after": {at}, "limit": {fmt.Sprint(slotDays)}}
	slots, posts = "/queues/"+made.Queue.ID+"/slots?"+period.Encode(), "/posts?"+page.Encode()
	return slots, posts, checkRows(ctx, d, slots, posts)
}

// checkRows returns an error unless both paths have a row for each day, and all slots are
// taken.
func checkRows(ctx context.Context, d *child.Daemon, slots, posts string) error {
	var taken apiv1.QueueSlots
	if err := d.Call(ctx, "GET", slots, "", &taken); err != nil {
		return err
	}
	var page listPage
	if err := d.Call(ctx, "GET", posts, "", &page); err != nil {
		return err
	}
	if len(taken.Results) != slotDays || len(page.Results) != slotDays {
		return fmt.Errorf("there are %d slots and %d posts, want %d", len(taken.Results), len(page.Results), slotDays)
	}
	for i, s := range taken.Results {
		if s.PostID == nil || *s.PostID != page.Results[i].ID {
			return fmt.Errorf("slot %s is %s, want the post %s in it", s.Local, s.State, page.Results[i].ID)
		}
	}
	return nil
}
