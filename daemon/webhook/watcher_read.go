package webhook

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// readChanged reads the changed webhooks and returns the ids of deleted ones. If a
// changed webhook has no worker, it reads all webhooks.
func (x *watcher) readChanged(r storage.Reader) (found []schedctl.Webhook, gone []string, err error) {
	if x.reloadAll {
		return x.readAll(r)
	}
	for id := range x.changed {
		w := x.workers[id]
		if w == nil {
			return x.readAll(r)
		}
		hook, err := r.Webhook(w.workspace, id)
		switch {
		case isNotFound(err):
			gone = append(gone, id)
		case err != nil:
			return nil, nil, err
		default:
			found = append(found, hook)
		}
	}
	return found, gone, nil
}

// readAll reads all webhooks and returns the ids of deleted ones.
func (x *watcher) readAll(r storage.Reader) (all []schedctl.Webhook, gone []string, err error) {
	workspaces, err := r.Workspaces()
	if err != nil {
		return nil, nil, err
	}
	for _, workspace := range workspaces {
		hooks, err := r.Webhooks(workspace.ID)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, hooks...)
	}
	return all, x.missing(all, func(*worker) bool { return true }), nil
}

// readWorkspaces reads the webhooks of some workspaces and returns the ids of deleted
// ones.
func (x *watcher) readWorkspaces(r storage.Reader, workspaces []string) (hooks []schedctl.Webhook, gone []string, err error) {
	for _, workspace := range workspaces {
		found, err := r.Webhooks(workspace)
		if err != nil {
			return nil, nil, err
		}
		hooks = append(hooks, found...)
	}
	return hooks, x.missing(hooks, func(w *worker) bool { return slices.Contains(workspaces, w.workspace) }), nil
}

// missing returns the ids of the workers whose webhook should be in found but is not.
func (x *watcher) missing(found []schedctl.Webhook, should func(*worker) bool) (gone []string) {
	there := make(map[string]struct{}, len(found))
	for i := range found {
		there[found[i].ID] = struct{}{}
	}
	for id, w := range x.workers {
		if _, ok := there[id]; !ok && should(w) {
			gone = append(gone, id)
		}
	}
	return gone
}

// readNew reads the next events. On a shared store it also reads the webhooks of their
// workspaces, because notifications of changes by other nodes may arrive later.
func (x *watcher) readNew(ctx context.Context) (events []schedctl.Event, err error) {
	var found []schedctl.Webhook
	var gone []string
	err = x.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		if events, err = r.Events(x.seen, batchSize); err == nil && x.mode.shared {
			found, gone, err = x.readWorkspaces(r, workspacesOf(events))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, id := range gone {
		x.remove(id)
	}
	for _, hook := range found {
		if x.differs(&hook) {
			x.apply(hook)
		}
	}
	return events, nil
}

func workspacesOf(events []schedctl.Event) (ids []string) {
	for i := range events {
		if id := events[i].WorkspaceID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
