package storagetest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// memoryReader reads the store. The caller holds the lock.
type memoryReader struct {
	ctx context.Context // context of the View
	m   *memory
}

func (r memoryReader) Post(workspaceID, id string) (schedctl.Post, error) {
	p, ok := r.m.posts[id]
	if !ok || p.WorkspaceID != workspaceID {
		return schedctl.Post{}, notFound("post", id)
	}
	return p.Clone(), nil
}

func (r memoryReader) PostByExternalID(workspaceID, externalID string) (schedctl.Post, error) {
	if err := checkIDs(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return schedctl.Post{}, err
	}
	for _, p := range r.m.posts {
		if externalID != "" && p.WorkspaceID == workspaceID && p.ExternalID == externalID {
			return p.Clone(), nil
		}
	}
	return schedctl.Post{}, notFound("post with the external id", externalID)
}

func (r memoryReader) Route(targetID string) (storage.Route, error) {
	route, ok := r.m.routes[targetID]
	if !ok {
		return route, notFound("target", targetID)
	}
	return route, nil
}

func (r memoryReader) Due(from schedctl.Due, fn func(schedctl.Due) bool) error {
	var all []schedctl.Due
	for _, p := range r.m.posts {
		all = append(all, dueEntries(p)...)
	}
	slices.SortFunc(all, schedctl.Due.Compare)
	for _, d := range all {
		if d.Compare(from) >= 0 && !fn(d) {
			return nil
		}
	}
	return nil
}

func dueEntries(p schedctl.Post) []schedctl.Due {
	var entries []schedctl.Due
	for i := range p.Targets {
		t := &p.Targets[i]
		if at, waiting := t.Due(); waiting {
			id, _ := schedctl.ParseID(schedctl.TargetPrefix, t.ID)
			entries = append(entries, schedctl.Due{At: at.UnixMilli(), Target: id})
		}
	}
	return entries
}

func (r memoryReader) LatestAttempts(targetIDs []string, limit int) (list []schedctl.Attempt, err error) {
	all, err := r.AttemptsOf(targetIDs)
	for i, a := range all {
		if i+limit >= len(all) || all[i+limit].TargetID != a.TargetID {
			list = append(list, a)
		}
	}
	return list, err
}

func (r memoryReader) Attempts(targetID string) ([]schedctl.Attempt, error) {
	if err := checkIDs(schedctl.TargetPrefix, targetID); err != nil {
		return nil, err
	}
	return r.attempts(func(a schedctl.Attempt) bool { return a.TargetID == targetID }, func(a, b schedctl.Attempt) int {
		return cmp.Compare(a.Number, b.Number)
	}), nil
}

func (r memoryReader) RunningAttempts() ([]schedctl.Attempt, error) {
	return r.attempts(func(a schedctl.Attempt) bool { return a.FinishedAt.IsZero() }, func(a, b schedctl.Attempt) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID))
	}), nil
}

func (r memoryReader) attempts(keep func(schedctl.Attempt) bool, compare func(a, b schedctl.Attempt) int) []schedctl.Attempt {
	var found []schedctl.Attempt
	for _, a := range r.m.attempts {
		if keep(a) {
			found = append(found, cloneAttempt(a))
		}
	}
	slices.SortFunc(found, compare)
	return found
}

func (r memoryReader) PublishedTargets(accountID string, after storage.PublishedTarget, limit int) ([]storage.PublishedTarget, error) {
	if err := checkIDs(schedctl.AccountPrefix, accountID); err != nil {
		return nil, err
	}
	newestFirst := func(a, b storage.PublishedTarget) int {
		return -cmp.Or(a.At.Compare(b.At), cmp.Compare(a.TargetID, b.TargetID))
	}
	var found []storage.PublishedTarget
	for _, p := range r.m.posts {
		for _, t := range p.Targets {
			pub := storage.PublishedTarget{At: t.PublishedAt, TargetID: t.ID, WorkspaceID: p.WorkspaceID, PostID: p.ID}
			if t.Status == schedctl.Published && t.AccountID == accountID && (after.TargetID == "" || newestFirst(after, pub) < 0) {
				found = append(found, pub)
			}
		}
	}
	slices.SortFunc(found, newestFirst)
	return found[:min(limit, len(found))], nil
}

func (r memoryReader) Account(workspaceID, id string) (schedctl.Account, error) {
	a, ok := r.m.accounts[id]
	if !ok || a.WorkspaceID != workspaceID {
		return schedctl.Account{}, notFound("account", id)
	}
	return cloneAccount(a), nil
}

func (r memoryReader) Accounts(workspaceID string) ([]schedctl.Account, error) {
	if err := checkIDs(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return nil, err
	}
	all := sorted(r.m.accounts)
	return cloneAll(slices.DeleteFunc(all, func(a schedctl.Account) bool { return a.WorkspaceID != workspaceID }), cloneAccount), nil
}

func (r memoryReader) Feed(name string) (schedctl.Account, error) {
	for _, a := range r.m.accounts {
		if a.Platform == feedPlatform && a.Name == name && a.Status != schedctl.AccountDisconnected {
			return cloneAccount(a), nil
		}
	}
	return schedctl.Account{}, notFound("feed", name)
}

const feedPlatform = "feed"

func (r memoryReader) IdempotencyRecord(key storage.IdempotencyScope) (storage.IdempotencyRecord, error) {
	hash := key.Hash()
	a, ok := r.m.idempotency[hash]
	if at, refused := r.m.refused[hash]; !ok && refused {
		return a, &storage.RefusedError{Ago: time.Since(at)}
	}
	if !ok {
		return a, notFound("answer", key.IdempotencyKey)
	}
	return cloneIdempotencyRecord(a), nil
}

func (r memoryReader) Workspace(id string) (schedctl.Workspace, error) {
	w, ok := r.m.workspaces[id]
	if !ok {
		return w, notFound("workspace", id)
	}
	return w, nil
}

func (r memoryReader) Workspaces() ([]schedctl.Workspace, error) {
	return sorted(r.m.workspaces), nil
}

func (r memoryReader) KeyByHash(hash [32]byte) (schedctl.APIKey, error) {
	for _, k := range r.m.keys {
		if k.Hash == hash {
			return cloneKey(k), nil
		}
	}
	return schedctl.APIKey{}, notFound("API key", "")
}

func (r memoryReader) Key(workspaceID, id string) (schedctl.APIKey, error) {
	if err := errors.Join(checkIDs(schedctl.WorkspacePrefix, workspaceID), checkIDs(schedctl.KeyPrefix, id)); err != nil {
		return schedctl.APIKey{}, err
	}
	k, found := r.m.keys[id]
	if !found || k.WorkspaceID != workspaceID {
		return k, notFound("API key", id)
	}
	return cloneKey(k), nil
}

func (r memoryReader) Keys(workspaceID string) ([]schedctl.APIKey, error) {
	if err := checkIDs(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return nil, err
	}
	all := sorted(r.m.keys)
	return cloneAll(slices.DeleteFunc(all, func(k schedctl.APIKey) bool { return k.WorkspaceID != workspaceID }), cloneKey), nil
}

func (r memoryReader) Events(afterID string, limit int) ([]schedctl.Event, error) {
	if err := checkOptional(schedctl.EventPrefix, afterID); err != nil {
		return nil, err
	}
	rest := r.m.outbox.after(afterID)
	return cloneAll(rest[:min(limit, len(rest))], cloneEvent), nil
}

func (r memoryReader) Event(id string) (schedctl.Event, error) {
	i, found := r.m.outbox.find(id)
	if !found {
		return schedctl.Event{}, notFound("event", id)
	}
	return cloneEvent(r.m.outbox.events[i]), nil
}

func (r memoryReader) LastEvent() (last string, err error) {
	for i := range r.m.outbox.events {
		last = max(last, r.m.outbox.events[i].ID)
	}
	return last, nil
}

func (r memoryReader) Later(a, b string) (string, error) {
	for _, id := range []string{a, b} {
		if err := checkOptional(schedctl.EventPrefix, id); err != nil {
			return "", err
		}
	}
	return r.m.outbox.later(a, b), nil
}

func (r memoryReader) PostEvents(postID string, limit int) ([]schedctl.Event, error) {
	if err := checkIDs(schedctl.PostPrefix, postID); err != nil {
		return nil, err
	}
	about := slices.DeleteFunc(slices.Clone(r.m.outbox.events), func(e schedctl.Event) bool { return e.PostID != postID })
	slices.SortFunc(about, func(a, b schedctl.Event) int { return strings.Compare(a.ID, b.ID) })
	return cloneAll(about[max(0, len(about)-limit):], cloneEvent), nil
}

// sorted returns records in order of their ids, which is the order of their creation.
func sorted[V any](records map[string]V) []V {
	out := make([]V, 0, len(records))
	for _, id := range slices.Sorted(maps.Keys(records)) {
		out = append(out, records[id])
	}
	return out
}

func (r memoryReader) Metadata(name string) ([]byte, error) {
	return slices.Clone(r.m.metadata[name]), nil
}
