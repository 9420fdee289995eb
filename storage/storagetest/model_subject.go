package storagetest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// failer is the part of testing.TB that a subject needs.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// modelSubject is a store with the rules of package schedctl, in transactions like
// those of the daemon. Its time is simulated.
type modelSubject struct {
	failer
	store      storage.Store
	reopen     func() storage.Store // nil for an engine that is not persistent
	workspaces []string
	start      oracle.World
	now        time.Time
	lastEvent  string // last event returned by Look
	publisher  publisher
}

func newModelSubject(t failer, store storage.Store, reopen func() storage.Store) *modelSubject {
	s := &modelSubject{failer: t, store: store, reopen: reopen, now: epoch}
	s.start = s.newWorld()
	s.publisher = publisher{modelSubject: s, moods: map[string]oracle.Mood{}, calls: map[string]callInFlight{}}
	s.view(func(r storage.Reader) (err error) {
		s.lastEvent, err = r.LastEvent()
		return err
	})
	return s
}

// clear removes all posts.
func (s *modelSubject) clear() {
	s.update(func(tx storage.Tx) error {
		for _, ws := range s.workspaces {
			page, err := tx.Posts(storage.PostQuery{WorkspaceID: ws, Limit: 10_000})
			for _, p := range page.Posts {
				err = errors.Join(err, tx.DeletePost(ws, p.ID))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *modelSubject) update(fn func(storage.Tx) error) {
	s.Helper()
	if err := s.store.Update(context.Background(), fn); err != nil {
		s.Fatalf("Update: %v", err)
	}
}

func (s *modelSubject) view(fn func(storage.Reader) error) {
	s.Helper()
	if err := s.store.View(context.Background(), fn); err != nil {
		s.Fatalf("View: %v", err)
	}
}

// World implements [oracle.Subject], and so do the methods below.
func (s *modelSubject) World() oracle.World { return s.start }

func (s *modelSubject) Now() time.Time { return s.now }

func (s *modelSubject) Mood(accountID string, m oracle.Mood) { s.publisher.moods[accountID] = m }

func (s *modelSubject) Pass(d time.Duration) { s.publisher.run(s.now.Add(d)) }

func (s *modelSubject) Restart(down time.Duration) {
	s.now = s.now.Add(down)
	if s.reopen != nil {
		s.store = s.reopen()
	}
	s.publisher.recover()
}

func (s *modelSubject) Settle() []oracle.Exchange {
	s.publisher.run(s.now)
	exchanges := s.publisher.exchanges
	s.publisher.exchanges = nil
	return exchanges
}

func (s *modelSubject) Account(op oracle.AccountOp, id string) (code string) {
	err := s.store.Update(context.Background(), func(tx storage.Tx) error {
		a, err := tx.Account(s.workspaceOf(id), id)
		if err != nil {
			return err
		}
		switch {
		case op == oracle.Disconnect:
			a.Status, a.Credentials = schedctl.AccountDisconnected, nil
		case op == oracle.Verify && a.Status == schedctl.AccountDisconnected:
			return schedctl.Errorf(schedctl.ValidationFailed, "", "disconnected")
		default:
			a.Status, a.Error = schedctl.AccountConnected, nil
			a.EndDisruption()
		}
		return tx.PutAccount(a)
	})
	return string(schedctl.CodeOf(err))
}

func (s *modelSubject) workspaceOf(account string) string {
	for _, a := range s.start.Accounts {
		if a.ID == account {
			return a.Workspace
		}
	}
	return ""
}

func (s *modelSubject) Do(r oracle.Request) (out oracle.Response) {
	ws := s.start.Keys[r.Key].Workspace
	var err error
	switch r.Op {
	case oracle.Get, oracle.Timeline, oracle.List, oracle.Validate:
		err = s.store.View(context.Background(), func(tx storage.Reader) (err error) {
			out, err = s.read(tx, ws, r)
			return err
		})
	default:
		err = s.store.Update(context.Background(), func(tx storage.Tx) (err error) {
			out, err = s.doIdempotent(tx, ws, r)
			return err
		})
	}
	var refusal *schedctl.Error
	if err != nil && !errors.As(err, &refusal) {
		s.Fatalf("%s: %v", r.Op, err)
	}
	if err != nil {
		return oracle.Response{Code: string(schedctl.CodeOf(err))}
	}
	return out
}

// doIdempotent executes a request unless it was executed before.
func (s *modelSubject) doIdempotent(tx storage.Tx, ws string, r oracle.Request) (oracle.Response, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return oracle.Response{}, err
	}
	key := storage.IdempotencyScope{WorkspaceID: ws, Method: "POST", Path: fmt.Sprintf("/%s/%s", r.Op, r.Post), IdempotencyKey: r.Once}
	print := sha256.Sum256(body)
	if r.Once != "" {
		stored, err := tx.IdempotencyRecord(key)
		switch {
		case err == nil && s.now.Before(stored.CreatedAt.Add(24*time.Hour)):
			if stored.Fingerprint != print {
				return oracle.Response{}, schedctl.Errorf(schedctl.IdempotencyKeyReused, "", "another body or another key")
			}
			return oracle.Response{Status: stored.Status, ETag: stored.Header["ETag"], Replayed: true, Body: string(stored.Body)}, nil
		case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
			return oracle.Response{}, err
		}
	}
	post, err := s.write(tx, ws, r)
	if err != nil {
		return oracle.Response{}, err
	}
	out := oracle.Response{}
	if post != nil {
		seen := seenPost(*post)
		body, err := json.Marshal(seen)
		if err != nil {
			return oracle.Response{}, err
		}
		out.Post, out.Body, out.ETag = &seen, string(body), fmt.Sprintf("%q", fmt.Sprint(post.Version))
	}
	if r.Once == "" {
		return out, nil
	}
	return out, tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{
		Fingerprint: print, Header: map[string]string{"ETag": out.ETag}, Body: []byte(out.Body), CreatedAt: s.now,
	})
}
