package usecase_test

import (
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// sharer is a key that makes shares in a memory store.
type sharer struct {
	t     *testing.T
	store storage.Store
	key   schedctl.APIKey
	now   time.Time
}

func newSharer(t *testing.T, scopes ...schedctl.Scope) *sharer {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	s := &sharer{t: t, store: storagetest.NewMemory(), now: now}
	s.key = schedctl.APIKey{
		ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "ops", Hash: [32]byte{1}, Scopes: scopes, CreatedAt: now,
	}
	s.update(func(tx storage.Tx) error {
		if err := tx.PutWorkspace(schedctl.Workspace{ID: s.key.WorkspaceID, Name: "w", CreatedAt: now}); err != nil {
			return err
		}
		return tx.PutKey(s.key)
	})
	return s
}

func (s *sharer) update(fn func(storage.Tx) error) {
	s.t.Helper()
	if err := s.store.Update(s.t.Context(), fn); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sharer) request() usecase.Request { return usecase.Request{Key: s.key, Now: s.now} }

func (s *sharer) create(n schedctl.NewShare) (share schedctl.Share, token string, err error) {
	err = s.store.Update(s.t.Context(), func(tx storage.Tx) error {
		c := s.request()
		share, token, err = c.CreateShare(tx, n)
		return err
	})
	return share, token, err
}

func (s *sharer) opens(token string) bool {
	s.t.Helper()
	hash, ok := schedctl.HashShareToken(token)
	if !ok {
		s.t.Fatalf("%q is not a token", token)
	}
	err := s.store.View(s.t.Context(), func(r storage.Reader) error {
		_, c, err := usecase.OpenShare(r, hash, s.now)
		if err == nil && c.Key.ID != s.key.ID {
			s.t.Errorf("the share acts with key %s", c.Key.ID)
		}
		return err
	})
	if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
		s.t.Fatal(err)
	}
	return err == nil
}

// readCounter notes what is read.
type readCounter struct {
	storage.Reader
	reads []string
}

func (r *readCounter) ShareByHash(hash [32]byte) (schedctl.Share, error) {
	r.reads = append(r.reads, "share")
	return r.Reader.ShareByHash(hash)
}

func (r *readCounter) Key(workspaceID, id string) (schedctl.APIKey, error) {
	r.reads = append(r.reads, "key")
	return r.Reader.Key(workspaceID, id)
}

func (r *readCounter) Keys(workspaceID string) ([]schedctl.APIKey, error) {
	r.reads = append(r.reads, "keys")
	return r.Reader.Keys(workspaceID)
}

// reads returns what is read to find that a share has ended.
func (s *sharer) reads(hash [32]byte) []string {
	s.t.Helper()
	var counter readCounter
	err := s.store.View(s.t.Context(), func(r storage.Reader) error {
		counter.Reader = r
		_, _, err := usecase.OpenShare(&counter, hash, s.now)
		return err
	})
	if schedctl.CodeOf(err) != schedctl.NotFound {
		s.t.Fatal(err)
	}
	return counter.reads
}

var review = schedctl.NewShare{Kind: schedctl.ShareReview, Name: "Dana"}

// TestShareEnds guards that a share ends when it expires or is revoked, and when its key
// expires, is revoked or may no longer read posts.
func TestShareEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*sharer, schedctl.Share){
		"expired": func(s *sharer, share schedctl.Share) { s.now = share.ExpiresAt },
		"revoked": func(s *sharer, share schedctl.Share) {
			s.update(func(tx storage.Tx) error {
				c := s.request()
				c.ID = share.ID
				got, err := c.RevokeShare(tx)
				if got.RevokedAt.IsZero() {
					t.Error("a revoked share does not say when")
				}
				return err
			})
		},
		"revoked key": func(s *sharer, _ schedctl.Share) { s.key.RevokedAt = s.now },
		"expired key": func(s *sharer, _ schedctl.Share) { s.key.ExpiresAt = s.now },
		"key without posts:read": func(s *sharer, _ schedctl.Share) {
			s.key.Scopes = []schedctl.Scope{schedctl.ScopePostsApprove}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSharer(t, schedctl.ScopePostsRead)
			share, token, err := s.create(review)
			if err != nil {
				t.Fatal(err)
			}
			if !s.opens(token) {
				t.Error("a new share does not open")
			}
			end(s, share)
			s.update(func(tx storage.Tx) error { return tx.PutKey(s.key) })
			if s.opens(token) {
				t.Error("the share opens after its end")
			}
			hash, _ := schedctl.HashShareToken(token)
			if ended, unknown := s.reads(hash), s.reads([32]byte{}); !slices.Equal(ended, unknown) {
				t.Errorf("an ended share reads %q, and an unknown one %q", ended, unknown)
			}
		})
	}
}

// TestSharesDoNotExceedTheirKeys guards what a share may do with keys of each kind, when it
// is made and after its key has changed.
func TestSharesDoNotExceedTheirKeys(t *testing.T) {
	t.Parallel()
	read, write, draft, approve := schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopePostsDraft, schedctl.ScopePostsApprove
	for name, test := range map[string]struct {
		scopes []schedctl.Scope
		most   schedctl.ShareRight
	}{
		"reader": {[]schedctl.Scope{read}, schedctl.ShareView}, "writer": {[]schedctl.Scope{read, write}, schedctl.ShareComment},
		"drafts": {[]schedctl.Scope{read, draft}, schedctl.ShareComment}, "reviewer": {[]schedctl.Scope{read, approve}, schedctl.ShareDecide},
	} {
		s := newSharer(t, test.scopes...)
		for _, right := range schedctl.ShareRights() {
			n := review
			n.Can = right
			allowed := test.most.Allows(right)
			if _, _, err := s.create(n); allowed != (err == nil) || err != nil && schedctl.CodeOf(err) != schedctl.InsufficientScope {
				t.Errorf("%s, %s: %v", name, right, err)
			}
			if share := (schedctl.Share{Can: schedctl.ShareDecide}); usecase.ShareMay(&share, &s.key, right) != allowed {
				t.Errorf("%s: a share that decides may %s: %v", name, right, !allowed)
			}
		}
	}
	if s := (schedctl.Share{Can: schedctl.ShareView}); usecase.ShareMay(&s, &schedctl.APIKey{Scopes: []schedctl.Scope{read, approve}}, schedctl.ShareComment) {
		t.Error("a share that views may comment")
	}
	agent := newSharer(t, read, write)
	agent.key.Agent = true
	if _, _, err := agent.create(review); schedctl.CodeOf(err) != schedctl.KeyNotAllowed {
		t.Errorf("an agent makes a share: %v", err)
	}
}

// TestShareNamesWhatExists guards that posts and accounts of a share exist for its key.
func TestShareNamesWhatExists(t *testing.T) {
	t.Parallel()
	s := newSharer(t, schedctl.ScopePostsRead)
	posts, accounts := review, review
	posts.PostIDs = []string{schedctl.NewID(schedctl.PostPrefix, s.now)}
	accounts.Filter.AccountIDs = []string{schedctl.NewID(schedctl.AccountPrefix, s.now)}
	if _, _, err := s.create(posts); schedctl.CodeOf(err) != schedctl.ValidationFailed {
		t.Errorf("an unknown post: %v", err)
	}
	if _, _, err := s.create(accounts); schedctl.CodeOf(err) != schedctl.InvalidSocialAccounts {
		t.Errorf("an unknown account: %v", err)
	}
	s.key.AccountIDs = []string{schedctl.NewID(schedctl.AccountPrefix, s.now)}
	if _, _, err := s.create(accounts); schedctl.CodeOf(err) != schedctl.AccountNotAllowed {
		t.Errorf("an account that the key may not use: %v", err)
	}
}

// TestSharesAreLimitedAndPruned guards the number of shares, and that ended ones are deleted.
func TestSharesAreLimitedAndPruned(t *testing.T) {
	t.Parallel()
	s := newSharer(t, schedctl.ScopePostsRead)
	s.update(func(tx storage.Tx) error {
		for range schedctl.MaxShares {
			share, _, err := review.Make(&s.key, s.now)
			if err != nil {
				return err
			}
			if err := tx.PutShare(share); err != nil {
				return err
			}
		}
		return nil
	})
	if _, _, err := s.create(review); schedctl.CodeOf(err) != schedctl.ValidationFailed {
		t.Errorf("one share too many: %v", err)
	}
	count := func() (n int) {
		err := s.store.View(t.Context(), func(r storage.Reader) error {
			c := s.request()
			list, err := c.Shares(r)
			n = len(list)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s.now = s.now.AddDate(0, 0, schedctl.ShareDays)
	if _, _, err := s.create(review); err != nil || count() != schedctl.MaxShares+1 {
		t.Errorf("%d shares after the end of all others, and %v", count(), err)
	}
	s.now = s.now.Add(schedctl.ShareRetention + time.Millisecond)
	if _, _, err := s.create(review); err != nil || count() != 2 {
		t.Errorf("%d shares after the retention, and %v", count(), err)
	}
	s.update(func(tx storage.Tx) error {
		all, err := tx.Shares(s.key.WorkspaceID)
		if len(all) != 2 {
			t.Errorf("%d shares are stored", len(all))
		}
		return err
	})
}

// TestSharesOfOthers guards that a key that changes only its own does not see the shares of
// other keys, and that uses are added up.
func TestSharesOfOthers(t *testing.T) {
	t.Parallel()
	s := newSharer(t, schedctl.ScopePostsRead, schedctl.ScopePostsWrite)
	share, _, err := s.create(review)
	if err != nil {
		t.Fatal(err)
	}
	s.update(func(tx storage.Tx) error {
		for range 2 {
			if err := usecase.UseShare(tx, share.Hash, 2, s.now.Add(time.Hour)); err != nil {
				return err
			}
		}
		return usecase.UseShare(tx, [32]byte{9}, 1, s.now)
	})
	read := func() (schedctl.Share, error) {
		return storage.Read(t.Context(), s.store.View, func(r storage.Reader) (schedctl.Share, error) {
			c := s.request()
			c.ID = share.ID
			return c.Share(r)
		})
	}
	if got, err := read(); err != nil || got.Uses != 4 || !got.LastUsedAt.Equal(s.now.Add(time.Hour)) {
		t.Errorf("%d uses, the last one at %v; %v", got.Uses, got.LastUsedAt, err)
	}
	s.key.ID = schedctl.NewID(schedctl.KeyPrefix, s.now)
	if _, err := read(); err != nil {
		t.Errorf("a key that changes all posts does not see the share of another key: %v", err)
	}
	s.key.Restricted = true
	if _, err := read(); schedctl.CodeOf(err) != schedctl.NotFound {
		t.Errorf("a key that changes only its own sees the share of another key: %v", err)
	}
}
