package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// approvalPlan is the size of an approval loop.
type approvalPlan struct {
	clients, posts int // clients of each role; posts that all clients share
	accounts       int
	kills          int
}

// approvalLoop kills a daemon while clients edit, submit, approve, withdraw, schedule and
// publish the same posts, in a workspace whose posts all need an approval. Each request is
// retried with its key until it is acknowledged. The network must get only texts and
// accounts that an approver has approved who has not submitted them.
//
// The quick run has 24 kills instead of 300.
func approvalLoop(ctx context.Context, h *harness) (result, error) {
	plan := approvalPlan{clients: 2, posts: 8, accounts: 3, kills: 300}
	if h.quick {
		plan.kills = 24
	}
	total := newTally()
	w, err := h.startWorld(ctx, setting{name: "approval"}, total)
	if err != nil {
		return result{}, err
	}
	defer w.end()
	a, err := w.newApprovalWorld(ctx, plan)
	if err != nil {
		return result{}, err
	}
	if err := a.run(ctx, plan, total); err != nil {
		return result{}, err
	}
	a.judge(total)
	return total.result(), nil
}

// approvalWorld is a workspace with the clients that review its posts.
type approvalWorld struct {
	*world
	accounts []string
	clients  []*approvalClient

	mu       sync.Mutex // mu guards what follows
	posts    []string
	approved map[string][][]string // the accounts for which a text was approved
}

// roles are the keys of the clients with their scopes.
var roles = map[string][]schedctl.Scope{
	"author":   {schedctl.ScopePostsRead, schedctl.ScopePostsWrite},
	"approver": {schedctl.ScopePostsRead, schedctl.ScopePostsApprove},
	"editor":   {schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopePostsApprove},
}

func (w *world) newApprovalWorld(ctx context.Context, plan approvalPlan) (*approvalWorld, error) {
	a := &approvalWorld{world: w, approved: map[string][][]string{}}
	for range plan.accounts {
		id, err := w.connectOne(ctx, idempotent, nil)
		if err != nil {
			return nil, err
		}
		a.accounts = append(a.accounts, id)
	}
	w.network.setModes(idempotent, accepting, accepting, acceptingLate, droppingConnection)
	var me apiv1.Me
	if err := w.daemon().Call(ctx, "GET", "/me", "", &me); err != nil {
		return nil, err
	}
	if err := w.daemon().Call(ctx, "PATCH", "/workspaces/"+me.Workspace.ID, `{"approvals":"all","existing":"approve"}`, nil); err != nil {
		return nil, err
	}
	for role, scopes := range roles {
		made, err := createReliably[apiv1.CreatedAPIKey](ctx, w, "/api-keys", apiv1.CreateAPIKey{Name: role, Scopes: scopes}, "key-"+role)
		if err != nil {
			return nil, err
		}
		for n := range plan.clients {
			name := fmt.Sprintf("%s-%d", role, n)
			a.clients = append(a.clients, &approvalClient{approvalWorld: a, role: role, name: name, key: made.Secret, random: w.random("approval/" + name)})
		}
	}
	a.posts = make([]string, plan.posts)
	return a, nil
}

// run lets the clients work while the daemon is killed, and leaves a running daemon.
func (a *approvalWorld) run(ctx context.Context, plan approvalPlan, total *tally) error {
	var workers []worker
	for _, c := range a.clients {
		workers = append(workers, repeatedly(c.name, c.step))
	}
	err := whileWorking(ctx, workers, func() error { return a.killTimes(ctx, plan.kills, total) })
	for _, c := range a.clients {
		total.count("rounds", c.sent)
	}
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Second): // the last posts are published
	}
	return err
}

// judge compares what the network has got with what was approved.
func (a *approvalWorld) judge(total *tally) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.network.mu.Lock()
	defer a.network.mu.Unlock()
	for _, d := range a.network.targets {
		n, err := strconv.Atoi(d.account)
		if err != nil || n >= len(a.accounts) {
			a.judged.violation(wrongStatus, "the network has the account %q", d.account)
			continue
		}
		for _, text := range d.contents {
			if !a.mayPublish(text, a.accounts[n]) {
				a.judged.violation(wrongStatus, "%q was published on account %d, and was never approved for it", text, n)
			}
		}
		total.count("published", len(d.contents))
	}
	total.count("approved", len(a.approved))
}

// mayPublish reports whether another key has approved the text for the account.
func (a *approvalWorld) mayPublish(text, account string) bool {
	for _, accounts := range a.approved[text] {
		if slices.Contains(accounts, account) {
			return true
		}
	}
	return false
}

// approvalClient sends the requests of one key. One goroutine owns it.
type approvalClient struct {
	*approvalWorld
	role, name, key string
	random          *rand.Rand
	sent            int
}

// step sends one request about a post.
func (c *approvalClient) step(ctx context.Context) error {
	c.mu.Lock()
	i := c.random.IntN(len(c.posts))
	id := c.posts[i]
	c.mu.Unlock()
	path, writes := "/posts/"+id, c.role != "approver"
	simple := func(verb string, body any) error {
		_, _, err := c.request(ctx, "POST", path+"/"+verb, body, "")
		return err
	}
	switch n := c.random.IntN(16); {
	case id == "":
		return c.replace(ctx, i)
	case n < 5 && writes:
		return c.edit(ctx, path)
	case n < 8 && writes:
		return simple("submit", map[string]any{"proposed_at": c.soon()})
	case n < 12 && c.role != "author":
		return c.approve(ctx, path)
	case n == 12 && writes:
		return simple("withdraw", nil)
	case n == 13 && writes:
		return simple("unschedule", nil)
	case n == 14 && writes:
		return c.change(ctx, "POST", path+"/schedule", map[string]any{"publish_at": c.soon(), "social_account_ids": c.someOf()})
	case n == 15 && writes:
		return c.change(ctx, "POST", path+"/publish-now", map[string]any{"social_account_ids": c.someOf()})
	}
	return c.replace(ctx, i)
}

func (c *approvalClient) soon() apiv1.Time {
	return apiv1.Time{Time: time.Now().Add(time.Duration(5+c.random.IntN(40)) * time.Millisecond)}
}

// someOf returns some of the accounts.
func (c *approvalClient) someOf() []string {
	return c.accounts[c.random.IntN(len(c.accounts)):]
}

// replace makes a new post instead of a finished or missing one.
func (c *approvalClient) replace(ctx context.Context, i int) error {
	c.mu.Lock()
	id := c.posts[i]
	c.mu.Unlock()
	if id != "" {
		p, ok, err := c.request(ctx, "GET", "/posts/"+id, nil, "")
		if err != nil || ok && (p.Status == schedctl.Draft || p.Status == schedctl.Scheduled) {
			return err
		}
	}
	if c.role == "approver" {
		return nil
	}
	p, ok, err := c.request(ctx, "POST", "/posts", map[string]any{"content": c.text(), "social_account_ids": c.someOf()}, "")
	if err != nil || !ok {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.posts[i] = p.ID
	return nil
}

// text returns a new text that names the role of its author.
func (c *approvalClient) text() string { return fmt.Sprintf("%s %d", c.name, c.sent) }

// edit changes the text of a post, and sometimes its accounts.
func (c *approvalClient) edit(ctx context.Context, path string) error {
	body := map[string]any{"content": c.text()}
	if c.random.IntN(3) == 0 {
		body["social_account_ids"] = c.someOf()
	}
	return c.change(ctx, "PATCH", path, body)
}

// change changes the text or the accounts of a post. If an approver changes an approved
// post that another key has submitted, the change is approved.
func (c *approvalClient) change(ctx context.Context, method, path string, body any) error {
	p, ok, err := c.request(ctx, method, path, body, "")
	if err != nil || !ok || p.Approval == nil || p.Approval.State != schedctl.ApprovalApproved {
		return err
	}
	if method == "PATCH" && (c.role != "editor" || p.Approval.RequestedBy.Name == c.role) {
		c.judged.violation(wrongStatus, "%s changed an approved post of %s, and it stays approved", c.name, p.Approval.RequestedBy.Name)
	}
	if c.role == "editor" && p.Approval.RequestedBy.Name != c.role {
		c.note(p)
	}
	return nil
}

// approve approves the version that it has read.
func (c *approvalClient) approve(ctx context.Context, path string) error {
	seen, ok, err := c.request(ctx, "GET", path, nil, "")
	if err != nil || !ok {
		return err
	}
	_, ok, err = c.request(ctx, "POST", path+"/approve", map[string]any{"publish_at": c.soon()}, `"`+strconv.FormatInt(seen.Version, 10)+`"`)
	if err != nil || !ok {
		return err
	}
	if seen.Approval == nil || seen.Approval.RequestedBy.Name == c.role {
		c.judged.violation(wrongStatus, "%s approved %q, which its own key has submitted", c.name, seen.Content)
	}
	c.note(seen)
	return nil
}

// note records that a post was approved as it is.
func (c *approvalClient) note(p apiv1.Post) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.approved[p.Content] = append(c.approved[p.Content], p.SocialAccountIDs)
}

// request sends a request until there is a response, and returns the post and whether the
// request was accepted.
func (c *approvalClient) request(ctx context.Context, method, path string, body any, match string) (p apiv1.Post, ok bool, err error) {
	var idempotencyKey string
	if method != "GET" {
		idempotencyKey = fmt.Sprintf("%s-%d", c.name, c.sent)
		c.sent++
	}
	r, err := newWrite(method, path, body, idempotencyKey)
	if err != nil {
		return p, false, err
	}
	r.Key, r.IfMatch = c.key, match
	if err := c.send(ctx, r); err != nil || !r.acknowledged() {
		return p, false, err
	}
	var envelope apiv1.PostEnvelope
	err = json.Unmarshal(r.Response.Body, &envelope)
	return envelope.Post, err == nil, err
}
