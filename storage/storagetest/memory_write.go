package storagetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

func (tx *memoryTx) PutPost(p schedctl.Post) error {
	if err := checkPost(p); err != nil {
		return err
	}
	old, existed := tx.m.posts[p.ID]
	if existed && old.WorkspaceID != p.WorkspaceID {
		return notFound("post", p.ID)
	}
	if other, err := tx.PostByExternalID(p.WorkspaceID, p.ExternalID); err == nil && other.ID != p.ID {
		return storage.ExternalIDExists(other.ID)
	}
	if err := tx.checkSlot(&old, &p); err != nil {
		return err
	}
	p = p.Clone()
	if existed {
		p.CreatedAt = old.CreatedAt
	}
	for i := range old.Targets {
		if id := old.Targets[i].ID; p.Target(id) == nil {
			tx.dropTarget(id)
		}
	}
	for _, t := range p.Targets {
		putKey(tx, tx.m.routes, t.ID, storage.Route{WorkspaceID: p.WorkspaceID, PostID: p.ID, AccountID: t.AccountID})
	}
	for _, d := range dueEntries(p) {
		if !slices.Contains(dueEntries(old), d) {
			tx.due = append(tx.due, d)
		}
	}
	putKey(tx, tx.m.posts, p.ID, p)
	return nil
}

func checkPost(p schedctl.Post) error {
	errs := []error{
		checkIDs(schedctl.PostPrefix, p.ID), checkIDs(schedctl.WorkspacePrefix, p.WorkspaceID), checkIDs(schedctl.MediaPrefix, p.AssetIDs()...),
		checkOptional(schedctl.QueuePrefix, p.QueueID), checkOptional(schedctl.SeriesPrefix, p.SeriesID),
		checkOptional(schedctl.KeyPrefix, p.EditorID), checkOptional(schedctl.KeyPrefix, p.CreatedBy), checkOptional(schedctl.KeyPrefix, p.UpdatedBy),
		checkOptional(schedctl.PostPrefix, p.ResendOf), checkOptional(schedctl.PostPrefix, p.ResentAs),
	}
	for _, t := range p.Targets {
		errs = append(errs, checkIDs(schedctl.TargetPrefix, t.ID), checkIDs(schedctl.AccountPrefix, t.AccountID))
	}
	return cmp.Or(errs...)
}

func (tx *memoryTx) DeletePost(workspaceID, id string) error {
	p, err := tx.Post(workspaceID, id)
	if err != nil {
		return err
	}
	for _, t := range p.Targets {
		tx.dropTarget(t.ID)
	}
	deleteKey(tx, tx.m.posts, id)
	return nil
}

func (tx *memoryTx) dropTarget(id string) {
	deleteKey(tx, tx.m.routes, id)
	deleteKey(tx, tx.m.results, id)
	for key := range maps.Clone(tx.m.attempts) {
		if key.target == id {
			deleteKey(tx, tx.m.attempts, key)
		}
	}
}

func (tx *memoryTx) PutAttempt(a schedctl.Attempt) error {
	if err := cmp.Or(
		checkIDs(schedctl.AttemptPrefix, a.ID), checkIDs(schedctl.WorkspacePrefix, a.WorkspaceID), checkIDs(schedctl.PostPrefix, a.PostID),
		checkIDs(schedctl.TargetPrefix, a.TargetID), checkIDs(schedctl.AccountPrefix, a.AccountID),
	); err != nil {
		return err
	}
	putKey(tx, tx.m.attempts, attemptKey{a.TargetID, a.Number}, cloneAttempt(a))
	return nil
}

func (tx *memoryTx) PutAccount(a schedctl.Account) error {
	if err := cmp.Or(checkIDs(schedctl.AccountPrefix, a.ID), checkIDs(schedctl.WorkspacePrefix, a.WorkspaceID)); err != nil {
		return err
	}
	for _, other := range tx.m.accounts {
		if sameName(a, other) {
			return schedctl.Errorf(schedctl.NameTaken, "name", "the name %q is taken; choose another one", a.Name)
		}
	}
	if _, err := json.Marshal(a.Options); err != nil {
		return err
	}
	putKey(tx, tx.m.accounts, a.ID, cloneAccount(a))
	if !slices.Contains(tx.accounts, a.ID) {
		tx.accounts = append(tx.accounts, a.ID)
	}
	return nil
}

func sameName(a, b schedctl.Account) bool {
	connected := a.Status != schedctl.AccountDisconnected && b.Status != schedctl.AccountDisconnected
	feeds := a.Platform == feedPlatform && b.Platform == feedPlatform
	return a.ID != b.ID && a.Name == b.Name && connected && (feeds || a.WorkspaceID == b.WorkspaceID)
}

func (tx *memoryTx) PutWorkspace(w schedctl.Workspace) error {
	if err := checkIDs(schedctl.WorkspacePrefix, w.ID); err != nil {
		return err
	}
	putKey(tx, tx.m.workspaces, w.ID, w)
	return nil
}

func (tx *memoryTx) PutKey(k schedctl.APIKey) error {
	if err := cmp.Or(
		checkIDs(schedctl.KeyPrefix, k.ID), checkIDs(schedctl.WorkspacePrefix, k.WorkspaceID), checkIDs(schedctl.AccountPrefix, k.AccountIDs...),
	); err != nil {
		return err
	}
	for _, other := range tx.m.keys {
		if (other.ID == k.ID) != (other.Hash == k.Hash) {
			return fmt.Errorf("API key %s: a hash belongs to one key and never changes", k.ID)
		}
	}
	putKey(tx, tx.m.keys, k.ID, cloneKey(k))
	return nil
}

func (tx *memoryTx) PutIdempotencyRecord(key storage.IdempotencyScope, a storage.IdempotencyRecord) error {
	return tx.PutStoredIdempotencyRecord(storage.StoredIdempotencyRecord{Hash: key.Hash(), Record: a})
}

func (tx *memoryTx) AddEvents(events ...schedctl.Event) error {
	ids := make(map[string]bool)
	for _, e := range events {
		if err := checkEvent(e); err != nil {
			return err
		}
		if _, found := tx.m.outbox.find(e.ID); found || ids[e.ID] {
			return fmt.Errorf("event %s exists already", e.ID)
		}
		ids[e.ID] = true
	}
	for _, e := range events {
		tx.m.outbox.add(cloneEvent(e))
		tx.undo = append(tx.undo, func() { tx.m.outbox.remove(e.ID) })
		tx.events++
	}
	return nil
}

func (tx *memoryTx) OutboxEnd() (string, error) {
	return tx.m.outbox.end(time.Now()), nil
}

func checkEvent(e schedctl.Event) error {
	return cmp.Or(
		checkIDs(schedctl.EventPrefix, e.ID), checkIDs(schedctl.WorkspacePrefix, e.WorkspaceID), checkOptional(schedctl.PostPrefix, e.PostID),
		checkOptional(schedctl.TargetPrefix, e.TargetID), checkOptional(schedctl.AccountPrefix, e.AccountID),
		checkOptional(schedctl.WebhookPrefix, e.WebhookID), checkOptional(schedctl.SeriesPrefix, e.SeriesID),
	)
}

func (tx *memoryTx) AddAudit(a schedctl.AuditEntry) error {
	if err := cmp.Or(
		checkIDs(schedctl.AuditPrefix, a.ID), checkIDs(schedctl.WorkspacePrefix, a.WorkspaceID), checkOptional(schedctl.KeyPrefix, a.KeyID),
	); err != nil {
		return err
	}
	key := ownedKey{a.WorkspaceID, a.ID}
	if _, exists := tx.m.audit[key]; exists {
		return fmt.Errorf("audit entry %s exists already", a.ID)
	}
	putKey(tx, tx.m.audit, key, a)
	return nil
}

func (tx *memoryTx) PutMetadata(name string, value []byte) error {
	switch {
	case len(value) > storage.MaxMetadata:
		return fmt.Errorf("metadata %s is too long", name)
	case value == nil:
		deleteKey(tx, tx.m.metadata, name)
	default:
		putKey(tx, tx.m.metadata, name, slices.Clone(value))
	}
	return nil
}
