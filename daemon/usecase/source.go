package usecase

import (
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// SourceChange is what a request sets of a source.
type SourceChange struct {
	Set   func(*schedctl.Source)       // sets the given fields, on a copy
	Check func(*schedctl.Source) error // checks what the domain does not know: the template
}

// Source loads a source. Errors: NOT_FOUND, also if the key may not see all of its accounts.
func (c *Request) Source(r storage.Reader) (schedctl.Source, error) {
	s, err := r.Source(c.Key.WorkspaceID, c.ID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && (s.State == schedctl.SourceRemoved || !c.MaySeeAll(s.AccountIDs)) {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no source with this id; list them with GET %s/sources (schedctl source list)", prefix)
	}
	return s, err
}

// Sources returns the sources that the key may see, in order of creation.
func (c *Request) Sources(r storage.Reader) ([]schedctl.Source, error) {
	list, err := r.Sources(c.Key.WorkspaceID)
	return slices.DeleteFunc(list, func(s schedctl.Source) bool { return s.State == schedctl.SourceRemoved || !c.MaySeeAll(s.AccountIDs) }), err
}

// WritableSource loads the source of the request for a change. Errors: NOT_FOUND,
// KEY_NOT_ALLOWED, VERSION_MISMATCH.
func (c *Request) WritableSource(r storage.Reader) (schedctl.Source, error) {
	s, err := c.Source(r)
	if err == nil && s.KeyID != c.Key.ID && c.Key.OwnOnly() {
		err = schedctl.Errorf(schedctl.KeyNotAllowed, "", "another API key created this source, and this key changes only its own; use a key that may")
	}
	if err == nil {
		err = c.Expected.Check("source", s.Version)
	}
	return s, err
}

// SourceMay returns nil if the source may act for the key. Errors: those of [schedctl.APIKey.Check],
// INSUFFICIENT_SCOPE, ACCOUNT_NOT_ALLOWED, KEY_NOT_ALLOWED.
func SourceMay(k *schedctl.APIKey, s *schedctl.Source, now time.Time) error {
	c := Request{Key: *k}
	switch {
	case k.Check(now) != nil:
		return k.Check(now)
	case !k.Allows(schedctl.ScopeSourcesWrite):
		return schedctl.Errorf(schedctl.InsufficientScope, "", "a source needs the scope %s; use a key that has it", schedctl.ScopeSourcesWrite)
	case k.Agent && s.Mode != schedctl.SourceDraft:
		return schedctl.Errorf(schedctl.KeyNotAllowed, "mode", "the source of an agent makes drafts only; leave out mode (--mode), or use the key of a person")
	case s.Mode.Publishes() && !k.Allows(schedctl.ScopePostsWrite):
		return schedctl.Errorf(schedctl.InsufficientScope, "mode", "the mode %s needs the scope %s; use a key that has it, or the mode draft or submit", s.Mode, schedctl.ScopePostsWrite)
	case !k.Allows(schedctl.ScopePostsWrite) && !k.Allows(schedctl.ScopePostsDraft):
		return schedctl.Errorf(schedctl.InsufficientScope, "", "a source needs a key with the scope %s or %s", schedctl.ScopePostsDraft, schedctl.ScopePostsWrite)
	}
	return c.mayWriteAll(s.AccountIDs)
}

// CreateSource stores a new source. It is looked at at once. Errors: VALIDATION_FAILED,
// INVALID_SOCIAL_ACCOUNTS, SOURCE_EXISTS, and those of [SourceMay].
func (c *Request) CreateSource(tx storage.Tx, change SourceChange) (schedctl.Source, error) {
	all, err := tx.Sources(c.Key.WorkspaceID)
	if err != nil {
		return schedctl.Source{}, err
	}
	now := schedctl.Millis(c.Now)
	s := schedctl.Source{
		ID: schedctl.NewID(schedctl.SourcePrefix, now), WorkspaceID: c.Key.WorkspaceID, KeyID: c.Key.ID, State: schedctl.SourceActive,
		CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if err := c.applySource(tx, &s, change, all); err != nil {
		return s, err
	}
	if err := c.roomForSource(all); err != nil {
		return s, err
	}
	for _, other := range all {
		if other.State == schedctl.SourceRemoved && other.Kind == schedctl.SourceFeed && other.URL == s.URL {
			s.Inherits = append(s.Inherits, other.ID)
		}
	}
	if s.Kind == schedctl.SourceFeed {
		s.NextFetchAt, s.WakeAt = now, now
	}
	return s, tx.PutSource(s)
}

// roomForSource returns an error if the workspace or the key of an agent has too many sources.
func (c *Request) roomForSource(all []schedctl.Source) error {
	listed, own, made := 0, 0, 0
	for i := range all {
		mine := all[i].KeyID == c.Key.ID
		if mine {
			made++
		}
		if all[i].State == schedctl.SourceRemoved {
			continue
		}
		if listed++; mine {
			own++
		}
	}
	switch {
	case len(all) >= schedctl.MaxSourcesKept*schedctl.MaxSources || c.Key.Agent && made >= schedctl.MaxSourcesKept*schedctl.MaxAgentSources:
		return schedctl.Errorf(schedctl.ValidationFailed, "", "too many sources were removed in the last 90 days; change an existing one with PATCH %s/sources/{id} (schedctl source edit)", prefix)
	case listed >= schedctl.MaxSources:
		return schedctl.Errorf(schedctl.ValidationFailed, "", "this workspace has %d sources, which is the limit; remove one with DELETE %s/sources/{id} (schedctl source remove)", listed, prefix)
	case c.Key.Agent && own >= schedctl.MaxAgentSources:
		return schedctl.Errorf(schedctl.ValidationFailed, "", "an agent has at most %d sources; remove one with DELETE %s/sources/{id} (schedctl source remove)", schedctl.MaxAgentSources, prefix)
	}
	return nil
}

// EditSource changes the source of the request. Without a difference, it keeps the version.
// The source acts for the key that changes its mode or its accounts.
func (c *Request) EditSource(tx storage.Tx, change SourceChange) (schedctl.Source, error) {
	all, err := tx.Sources(c.Key.WorkspaceID)
	if err != nil {
		return schedctl.Source{}, err
	}
	s, err := c.WritableSource(tx)
	if err != nil {
		return s, err
	}
	before := s.Clone()
	if err := c.applySource(tx, &s, change, all); err != nil || reflect.DeepEqual(before, s) {
		return s, err
	}
	if s.Mode != before.Mode || !slices.Equal(s.AccountIDs, before.AccountIDs) {
		s.KeyID = c.Key.ID
	}
	if s.URL != before.URL {
		s.ETag, s.LastModified, s.MovedTo, s.MovedTimes = "", "", "", 0
		if s.State == schedctl.SourceActive || s.State == schedctl.SourceError {
			s.TakeUp(c.Now)
		}
	}
	return s, c.putSource(tx, &s)
}

// putSource stores a source that a person has changed.
func (c *Request) putSource(tx storage.Tx, s *schedctl.Source) error {
	s.Version, s.UpdatedAt = s.Version+1, schedctl.Millis(c.Now)
	return tx.PutSource(*s)
}

// applySource changes a source, and checks the result. all are the sources of the workspace.
func (c *Request) applySource(tx storage.Tx, s *schedctl.Source, change SourceChange, all []schedctl.Source) error {
	accounts := slices.Clone(s.AccountIDs)
	change.Set(s)
	s.SetDefaults()
	if err := s.Check(); err != nil {
		return err
	}
	if !slices.Equal(accounts, s.AccountIDs) {
		if _, err := c.Accounts(tx, s.AccountIDs); err != nil {
			return err
		}
	}
	if _, err := regexp.Compile(s.Filter.TitleRegex); err != nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "filter.title_regex", "filter.title_regex is not an RE2 expression: %v", err)
	}
	if err := change.Check(s); err != nil {
		return err
	}
	if s.QueueID != "" {
		if _, err := c.Queue(tx, s.QueueID); err != nil {
			return schedctl.Errorf(schedctl.ValidationFailed, "queue_id", "this workspace has no queue %s; list them with GET %s/queues (schedctl queue list)", s.QueueID, prefix)
		}
	}
	if err := SourceMay(&c.Key, s, c.Now); err != nil {
		return err
	}
	for i := range all {
		other := &all[i]
		switch {
		case other.ID == s.ID || other.State == schedctl.SourceRemoved:
		case other.Name == s.Name:
			return schedctl.Errorf(schedctl.SourceExists, "name", "another source of this workspace has this name; choose a different one")
		case other.SameFeed(s):
			return schedctl.Errorf(schedctl.SourceExists, "url", "another source of this workspace reads this feed for the same accounts; change that one")
		}
	}
	return nil
}

// RemoveSource removes the source of the request. Its posts stay, and its items are known for
// [schedctl.SourceKept].
func (c *Request) RemoveSource(tx storage.Tx) error {
	s, err := c.WritableSource(tx)
	if err != nil {
		return err
	}
	s.Remove(c.Now)
	return c.putSource(tx, &s)
}

// PauseSource stops the source of the request until it is resumed.
func (c *Request) PauseSource(tx storage.Tx) (schedctl.Source, error) {
	s, err := c.WritableSource(tx)
	if err != nil || s.State == schedctl.SourcePaused {
		return s, err
	}
	if s.State == schedctl.SourceHeld {
		return s, errHeld(&s)
	}
	s.State, s.Fault = schedctl.SourcePaused, nil
	s.Sleeps()
	return s, c.putSource(tx, &s)
}

// errHeld is the error for a source that waits for a decision.
func errHeld(s *schedctl.Source) error {
	how := "POST " + prefix + "/sources/{id}/resume (schedctl source resume)"
	if s.Fault != nil && s.Fault.Code == schedctl.SourceFlood {
		how = "POST " + prefix + "/sources/{id}/release (schedctl source release)"
	}
	return schedctl.Errorf(schedctl.SourceHeldBack, "", "the source is held: %s; decide with %s", s.Fault.Message, how)
}

// ResumeSource continues the source of the request. After [schedctl.SourceOwnerGone] it acts
// for the key of the request. Errors: SOURCE_HELD if the flood guard holds it.
func (c *Request) ResumeSource(tx storage.Tx) (schedctl.Source, error) {
	s, err := c.WritableSource(tx)
	if err != nil || s.State == schedctl.SourceActive {
		return s, err
	}
	if s.Fault != nil && s.Fault.Code == schedctl.SourceFlood {
		return s, errHeld(&s)
	}
	if s.Fault != nil && s.Fault.Code == schedctl.SourceOwnerGone {
		if err := SourceMay(&c.Key, &s, c.Now); err != nil {
			return s, err
		}
		s.KeyID = c.Key.ID
	}
	if s.Fault != nil && s.Fault.Code == schedctl.SourceMoved && s.MovedTo != "" {
		s.URL, s.MovedTo, s.MovedTimes, s.Credentials = s.MovedTo, "", 0, nil
	}
	s.TakeUp(c.Now)
	return s, c.putSource(tx, &s)
}

// maxHeldItems is how many held items are read at once.
const maxHeldItems = 1000

// ReleaseSource continues a source that the flood guard holds: the newest take items make
// posts, and the others are skipped. Errors: VALIDATION_FAILED unless the guard holds it.
func (c *Request) ReleaseSource(tx storage.Tx, take int) (schedctl.Source, error) {
	s, err := c.WritableSource(tx)
	if err != nil {
		return s, err
	}
	if s.Fault == nil || s.Fault.Code != schedctl.SourceFlood {
		return s, schedctl.Errorf(schedctl.ValidationFailed, "", "the flood guard does not hold this source; there is nothing to release")
	}
	items, err := tx.SourceItems(storage.SourceItemQuery{WorkspaceID: s.WorkspaceID, SourceID: s.ID, State: schedctl.ItemHeld, Limit: maxHeldItems})
	if err != nil {
		return s, err
	}
	for i := range items {
		if i < take {
			items[i].Settle(schedctl.ItemWaiting, "")
			items[i].DueAt = schedctl.Millis(c.Now)
		} else {
			items[i].Settle(schedctl.ItemSkipped, "held because of too many items, and not taken")
			items[i].Content = nil
		}
		if err := tx.PutSourceItem(items[i]); err != nil {
			return s, err
		}
	}
	s.TakeUp(c.Now)
	return s, c.putSource(tx, &s)
}

// SourceItem loads an item of the source of the request.
func (c *Request) SourceItem(r storage.Reader, id string) (schedctl.SourceItem, error) {
	if _, err := c.Source(r); err != nil {
		return schedctl.SourceItem{}, err
	}
	i, err := r.SourceItem(c.Key.WorkspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && i.SourceID != c.ID {
		err = schedctl.Errorf(schedctl.NotFound, "", "this source has no item with this id; list them with GET %s/sources/{id}/items (schedctl source items)", prefix)
	}
	return i, err
}

// SkipSourceItem makes no post of an item of the source of the request.
func (c *Request) SkipSourceItem(tx storage.Tx, id string) (schedctl.SourceItem, error) {
	if _, err := c.WritableSource(tx); err != nil {
		return schedctl.SourceItem{}, err
	}
	i, err := c.SourceItem(tx, id)
	if err != nil || i.State == schedctl.ItemSkipped {
		return i, err
	}
	if i.PostID != "" {
		return i, schedctl.Errorf(schedctl.ValidationFailed, "", "this item made the post %s; cancel that one", i.PostID)
	}
	i.Settle(schedctl.ItemSkipped, "")
	i.Content = nil
	return i, tx.PutSourceItem(i)
}
