package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// queuePlan is the size of a queue loop.
type queuePlan struct {
	clients, accounts, live int // live posts of each client
	kills                   int // of a lone daemon
	nodeKills               int // of each of several daemons
}

// queueLoop kills a lone daemon, and three daemons on one PostgreSQL, while clients take
// slots of a queue, move posts in it and cancel them. Each request is retried with its
// key until it is acknowledged. No account may have two live posts in a slot, no slot may
// be skipped without a reason, and a repeated key must return the same slot.
//
// The quick run has 24 and 15 kills instead of 300 and 150.
func queueLoop(ctx context.Context, h *harness) (result, error) {
	plan := queuePlan{clients: 8, accounts: 5, live: 30, kills: 300, nodeKills: 50}
	if h.quick {
		plan.kills, plan.nodeKills = 24, 5
	}
	total := newTally()
	return onOneAndNodes(total,
		func() error { return h.queueOnOne(ctx, plan, total) },
		func() (result, error) { return h.queueOnNodes(ctx, plan, total) })
}

// queueOnOne runs the loop on one daemon.
func (h *harness) queueOnOne(ctx context.Context, plan queuePlan, total *tally) error {
	w, err := h.startWorld(ctx, setting{name: "queue"}, total)
	if err != nil {
		return err
	}
	defer w.end()
	return w.queueRun(ctx, plan, total, func() error { return w.killTimes(ctx, plan.kills, total) })
}

// queueOnNodes runs the loop on several daemons.
func (h *harness) queueOnNodes(ctx context.Context, plan queuePlan, total *tally) (result, error) {
	return h.killNodes(ctx, "queue-nodes", total, func(f *nodeFaultRun) error {
		return f.world.queueRun(ctx, plan, total, func() error { return f.killAll(ctx, plan.nodeKills) })
	})
}

// queueRun lets clients use a queue while breakIt runs, and then judges the queue.
// breakIt must leave running daemons.
func (w *world) queueRun(ctx context.Context, plan queuePlan, total *tally, breakIt func() error) error {
	q, err := w.newQueueWorld(ctx, plan)
	if err != nil {
		return err
	}
	var workers []worker
	for _, c := range q.clients {
		workers = append(workers, repeatedly(c.name, c.step))
	}
	if err := whileWorking(ctx, workers, breakIt); err != nil {
		return err
	}
	total.count("acknowledged", q.writeCount())
	return q.judge(ctx)
}

// queueWorld is a queue with the clients that use it.
type queueWorld struct {
	*world
	queue    schedctl.Queue
	accounts []string
	clients  []*queueClient
	from     time.Time // posts take later slots only, so that the daemon publishes none of them
}

func (w *world) newQueueWorld(ctx context.Context, plan queuePlan) (*queueWorld, error) {
	q := &queueWorld{world: w, from: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 3)}
	for range plan.accounts {
		id, err := w.connectOne(ctx, idempotent, nil)
		if err != nil {
			return nil, err
		}
		q.accounts = append(q.accounts, id)
	}
	slices.Sort(q.accounts)
	const queue = `{"name":"torture","timezone":"Europe/Berlin","gap":"1h","times":[{"days":["mon","tue","wed","thu","fri","sat","sun"],"at":"02:30"},
		{"days":["mon","tue","wed","thu","fri","sat","sun"],"at":"09:00"},{"days":["mon","wed","sat"],"at":"10:00"},{"days":["tue","sun"],"at":"23:45"}]}`
	made, err := createReliably[apiv1.QueueEnvelope](ctx, w, "/queues", json.RawMessage(queue), "queue")
	if err != nil {
		return nil, err
	}
	q.queue = schedctl.Queue{ID: made.Queue.ID, Timezone: made.Queue.Timezone}
	for _, t := range made.Queue.Times {
		at, _ := t.Domain()
		q.queue.Times = append(q.queue.Times, at)
	}
	for n := range plan.clients {
		name := fmt.Sprintf("%s-client-%d", w.name, n)
		q.clients = append(q.clients, &queueClient{queueWorld: q, name: name, random: w.random(name), most: plan.live})
	}
	return q, nil
}

// writeCount returns the number of acknowledged writes.
func (q *queueWorld) writeCount() (n int) {
	for _, c := range q.clients {
		n += len(c.writes)
	}
	return n
}

// queueClient takes slots, moves its posts and cancels them. One goroutine owns it.
type queueClient struct {
	*queueWorld
	name   string
	random *rand.Rand
	most   int // live posts

	writes   []*write
	live     []apiv1.Post // as in the last acknowledged responses
	canceled []string
	held     []heldSlot // slots that its posts have or had
}

// heldSlot is a slot of an account.
type heldSlot struct {
	account string
	local   schedctl.LocalTime
}

// step sends one request until it is acknowledged.
func (c *queueClient) step(ctx context.Context) error {
	switch n := c.random.IntN(10); {
	case len(c.live) == 0 || n < 6 && len(c.live) < c.most:
		return c.take(ctx)
	case n < 8:
		return c.move(ctx, c.random.IntN(len(c.live)))
	default:
		return c.cancel(ctx, c.random.IntN(len(c.live)))
	}
}

// notBefore returns a limit for a request: mostly the same one, sometimes a later one.
func (c *queueClient) notBefore() time.Time {
	if c.random.IntN(5) > 0 {
		return c.from
	}
	return c.from.AddDate(0, 0, c.random.IntN(20))
}

func (c *queueClient) take(ctx context.Context) error {
	body := map[string]any{
		"content": fmt.Sprintf("%s %d", c.name, len(c.writes)), "social_account_ids": oneOrTwo(c.random, c.accounts),
		"publish_at": apiv1.PublishNextSlot, "not_before": apiv1.Time{Time: c.notBefore()},
	}
	p, err := c.write(ctx, "POST", "/posts", body)
	if err == nil {
		c.live = append(c.live, p)
	}
	return err
}

func (c *queueClient) move(ctx context.Context, i int) error {
	body := map[string]any{"publish_at": apiv1.PublishNextSlot, "not_before": apiv1.Time{Time: c.notBefore()}}
	p, err := c.write(ctx, "PATCH", "/posts/"+c.live[i].ID, body)
	if err == nil {
		c.live[i] = p
	}
	return err
}

func (c *queueClient) cancel(ctx context.Context, i int) error {
	p, err := c.write(ctx, "POST", "/posts/"+c.live[i].ID+"/cancel", map[string]any{})
	if err == nil {
		c.live = slices.Delete(c.live, i, i+1)
		c.canceled = append(c.canceled, p.ID)
	}
	return err
}

// write sends a request with a key until it is acknowledged, and returns the post.
func (c *queueClient) write(ctx context.Context, method, path string, body any) (p apiv1.Post, err error) {
	r, err := newWrite(method, path, body, fmt.Sprintf("%s-%d", c.name, len(c.writes)))
	if err != nil {
		return p, err
	}
	c.writes = append(c.writes, r)
	if err := c.send(ctx, r); err != nil {
		return p, err
	}
	if !r.acknowledged() {
		return p, fmt.Errorf("%s %s: %d %s", method, path, r.Status, r.Response.Body)
	}
	var answer apiv1.PostEnvelope
	if err := json.Unmarshal(r.Response.Body, &answer); err != nil {
		return p, err
	}
	p = answer.Post
	if p.Slot == nil || p.PublishAt == nil || p.QueueID == nil || *p.QueueID != c.queue.ID {
		return p, fmt.Errorf("%s %s: the post has no slot: %s", method, path, strings.TrimSpace(string(r.Response.Body)))
	}
	for _, a := range p.SocialAccountIDs {
		c.held = append(c.held, heldSlot{a, schedctl.LocalTime(p.Slot.Local)})
	}
	return p, nil
}
