package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var (
	_ storage.Preparer = (*reader)(nil)
	_ storage.Preparer = (*tx)(nil)
)

// prepared holds records that were read ahead, until the transaction changes them. A
// nil route belongs to a missing target. Every prepared target and account has a list,
// which may be empty.
type prepared struct {
	routes   map[string]*storage.Route
	posts    map[string]schedctl.Post
	accounts map[string]schedctl.Account
	attempts map[string][]schedctl.Attempt // by target
	running  map[string][]schedctl.Attempt // by account
}

// Prepare implements [storage.Preparer], in one round trip.
func (r *reader) Prepare(targetIDs []string) error {
	r.prepared.expect(targetIDs)
	return r.send(statement{
		sql:  "SELECT id, workspace_id, post_id, account_id FROM targets WHERE id = ANY($1)",
		args: []any{parseValid(targetIDs)},
		scan: func(rows pgx.Rows) error {
			var id string
			var route storage.Route
			destinations := []any{
				&idField{schedctl.TargetPrefix, &id, false}, &idField{schedctl.WorkspacePrefix, &route.WorkspaceID, false},
				&idField{schedctl.PostPrefix, &route.PostID, false}, &idField{schedctl.AccountPrefix, &route.AccountID, false},
			}
			for rows.Next() {
				if err := rows.Scan(destinations...); err != nil {
					return err
				}
				r.prepared.setRoute(id, route)
			}
			return rows.Err()
		},
	})
}

// parseValid returns the UUIDs of targets and skips malformed ids.
func parseValid(targetIDs []string) []pgtype.UUID {
	ids := make([]pgtype.UUID, 0, len(targetIDs))
	for _, id := range targetIDs {
		if target, err := parse(schedctl.TargetPrefix, id); err == nil {
			ids = append(ids, target)
		}
	}
	return ids
}

// expect marks targets as prepared and missing.
func (p *prepared) expect(targetIDs []string) {
	if p.routes == nil {
		p.routes = make(map[string]*storage.Route, len(targetIDs))
	}
	for _, id := range targetIDs {
		p.routes[id] = nil
	}
}

// setRoute stores the route of a prepared target.
func (p *prepared) setRoute(targetID string, route storage.Route) {
	if _, asked := p.routes[targetID]; asked {
		p.routes[targetID] = &route
	}
}

// What belongs to targets. Rows are locked in order of their ids, posts before
// accounts, so that transactions that prepare the same targets wait for each other
// instead of deadlocking. The queries after the locks read the locked state.
const (
	postsOfTargets    = "WHERE id IN (SELECT post_id FROM targets WHERE targets.id = ANY($1)) ORDER BY id FOR NO KEY UPDATE"
	siblingsOfTargets = "WHERE post_id IN (SELECT post_id FROM targets AS asked WHERE asked.id = ANY($1)) ORDER BY post_id, place"
	accountsOfTargets = "WHERE id IN (SELECT account_id FROM targets WHERE targets.id = ANY($1)) ORDER BY id FOR NO KEY UPDATE"
	attemptsOfTargets = "WHERE target_id = ANY($1) ORDER BY target_id, number"
	runningOfTargets  = "WHERE finished_at IS NULL AND account_id IN (SELECT account_id FROM targets WHERE targets.id = ANY($1)) ORDER BY started_at, id"
)

// forceIndexPlans makes the server plan the transaction's queries once for any number
// of targets, and with indexes. With outdated statistics it would otherwise scan tables
// of some ten thousand rows, and plan each query every time.
var forceIndexPlans = statement{sql: "SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)"}

// Prepare implements [storage.Preparer], in one round trip.
func (tx *tx) Prepare(targetIDs []string) error {
	var of []schedctl.Account
	var running []schedctl.Attempt
	ids := parseValid(targetIDs)
	err := tx.preparePosts(targetIDs, selects(accounts, &of, accountsOfTargets, ids), selects(attempts, &running, runningOfTargets, ids))
	if err != nil {
		return err
	}
	tx.cacheAccounts(of...)
	tx.prepared.keepAccounts(of)
	tx.prepared.addRunning(targetIDs, running)
	return nil
}

// PreparePosts implements [storage.Preparer], in one round trip.
func (tx *tx) PreparePosts(targetIDs []string) error { return tx.preparePosts(targetIDs) }

// PreparePosts implements [storage.Preparer].
func (r *reader) PreparePosts(targetIDs []string) error { return r.Prepare(targetIDs) }

// preparePosts reads what belongs to targets except their accounts, and then runs more.
func (tx *tx) preparePosts(targetIDs []string, more ...statement) error {
	ids := parseValid(targetIDs)
	var heads []postRow
	var rows []targetRow
	var made []schedctl.Attempt
	err := tx.send(slices.Concat([]statement{
		forceIndexPlans, selects(posts, &heads, postsOfTargets, ids), selects(targets, &rows, siblingsOfTargets, ids),
		selects(attempts, &made, attemptsOfTargets, ids),
	}, more)...)
	if err != nil {
		return err
	}
	found := withTargets(heads, rows)
	for i := range found {
		tx.cachePost(&found[i])
	}
	tx.prepared.expect(targetIDs)
	tx.prepared.addPosts(found)
	tx.prepared.addAttempts(targetIDs, made)
	return nil
}

// addPosts stores posts with the routes of their targets.
func (p *prepared) addPosts(posts []schedctl.Post) {
	if p.posts == nil {
		p.posts = make(map[string]schedctl.Post, len(posts))
	}
	for _, post := range posts {
		p.posts[post.ID] = post
		for i := range post.Targets {
			t := &post.Targets[i]
			p.setRoute(t.ID, storage.Route{WorkspaceID: post.WorkspaceID, PostID: post.ID, AccountID: t.AccountID})
		}
	}
}

// keepAccounts stores accounts.
func (p *prepared) keepAccounts(accounts []schedctl.Account) {
	if p.accounts == nil {
		p.accounts = make(map[string]schedctl.Account, len(accounts))
	}
	for _, a := range accounts {
		p.accounts[a.ID] = a
	}
}

// addAttempts stores the attempts of targets.
func (p *prepared) addAttempts(targetIDs []string, made []schedctl.Attempt) {
	if p.attempts == nil {
		p.attempts = make(map[string][]schedctl.Attempt, len(targetIDs))
	}
	for _, id := range targetIDs {
		p.attempts[id] = nil
	}
	for _, a := range made {
		p.attempts[a.TargetID] = append(p.attempts[a.TargetID], a)
	}
}

// addRunning stores the running attempts of the targets' accounts.
func (p *prepared) addRunning(targetIDs []string, running []schedctl.Attempt) {
	if p.running == nil {
		p.running = make(map[string][]schedctl.Attempt)
	}
	for _, id := range targetIDs {
		if route := p.routes[id]; route != nil {
			p.running[route.AccountID] = nil
		}
	}
	sortByAge(running)
	for _, a := range running {
		p.running[a.AccountID] = append(p.running[a.AccountID], a)
	}
}

// attempt returns a prepared attempt as it is stored, or nil.
func (p *prepared) attempt(targetID string, number int) *schedctl.Attempt {
	list := p.attempts[targetID]
	for i := range list {
		if list[i].Number == number {
			return &list[i]
		}
	}
	return nil
}

// forgetPost removes a post, before and after a change to it.
func (p *prepared) forgetPost(post *schedctl.Post) {
	for _, version := range []schedctl.Post{p.posts[post.ID], *post} {
		for i := range version.Targets {
			delete(p.routes, version.Targets[i].ID)
		}
	}
	delete(p.posts, post.ID)
}

// forgetAttempts removes the attempts of a target that are about to be deleted.
func (p *prepared) forgetAttempts(targetID string) {
	delete(p.attempts, targetID)
	clear(p.running)
}

// forgetAttempt removes an attempt that is about to be put.
func (p *prepared) forgetAttempt(a *schedctl.Attempt) {
	for _, was := range p.attempts[a.TargetID] {
		delete(p.running, was.AccountID)
	}
	delete(p.attempts, a.TargetID)
	delete(p.running, a.AccountID)
}

// clonePost returns a deep copy.
func clonePost(p *schedctl.Post) schedctl.Post {
	c := p.Clone()
	for i := range c.Targets {
		if t := &c.Targets[i]; t.Options != nil {
			t.Options, _ = cloneJSON(map[string]any(t.Options)).(map[string]any)
		}
	}
	return c
}

// cloneAttempts returns deep copies.
func cloneAttempts(list []schedctl.Attempt) []schedctl.Attempt {
	list = slices.Clone(list)
	for i := range list {
		list[i].Error = cloneError(list[i].Error)
	}
	return list
}

func cloneError(e *schedctl.TargetError) *schedctl.TargetError {
	if e == nil {
		return nil
	}
	return new(*e)
}

// cloneAccount returns a deep copy.
func cloneAccount(a schedctl.Account) schedctl.Account {
	if a.Options != nil {
		a.Options, _ = cloneJSON(map[string]any(a.Options)).(map[string]any)
	}
	a.Credentials, a.Error, a.Blackouts = slices.Clone(a.Credentials), cloneError(a.Error), slices.Clone(a.Blackouts)
	a.Warnings = slices.Clone(a.Warnings)
	return a
}

// cloneJSON copies a decoded JSON document.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for key, value := range v {
			c[key] = cloneJSON(value)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = cloneJSON(v[i])
		}
		return c
	}
	return v
}
