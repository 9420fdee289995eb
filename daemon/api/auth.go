package api

import (
	"context"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// admit returns the API key of a request and records its use. It returns
// RATE_LIMITED when the key has used up its limit.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (schedctl.APIKey, error) {
	now := time.Now()
	key, err := s.authenticate(r.Context(), r.Header, now)
	if err != nil {
		return schedctl.APIKey{}, s.limits.refuse(w, r, now, err)
	}
	key.LastUsedAt = s.used.record(key.Hash, now)
	if paid(r.Context()) {
		return key, nil
	}
	return key, s.limits.spend(w, key.ID, now)
}

// authenticate returns the API key of a request.
func (s *Server) authenticate(ctx context.Context, h http.Header, now time.Time) (schedctl.APIKey, error) {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	token = strings.TrimLeft(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return schedctl.APIKey{}, schedctl.Errorf(schedctl.AuthenticationRequired, "",
			"an API key is required; send the header Authorization: Bearer <API key>")
	}
	hash, ok := schedctl.HashKeySecret(token)
	if !ok {
		return schedctl.APIKey{}, errBadKey
	}
	key, err := s.keyByHash(ctx, hash, now)
	if err != nil {
		return schedctl.APIKey{}, err
	}
	return key, key.Check(now)
}

// checkKey returns nil while the key is still valid. Long requests, such as streams,
// call it again from time to time.
func (s *Server) checkKey(ctx context.Context, key *schedctl.APIKey, now time.Time) error {
	current, err := s.keyByHash(ctx, key.Hash, now)
	if err != nil {
		return err
	}
	return current.Check(now)
}

// watchKey checks the key of a long response every cachedKeyTTL. When the key is
// revoked or has expired, it calls cut once. stop ends the watch and waits for its
// goroutine.
func (s *Server) watchKey(ctx context.Context, key schedctl.APIKey, cut func(why error)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(cachedKeyTTL)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			err := s.checkKey(ctx, &key, time.Now())
			if err != nil && Status(asError(err).Code) == http.StatusUnauthorized {
				cut(err)
				return
			}
		}
	})
	return func() { cancel(); watching.Wait() }
}

// API keys in use are cached, so that most requests need no read of the key. The
// daemon that revokes a key removes it from its cache. Other daemons see the change
// within cachedKeyTTL.
const (
	cachedKeyTTL  = time.Second
	maxCachedKeys = 1024
)

// keyByHash returns the API key with this secret hash, or INVALID_API_KEY.
func (s *Server) keyByHash(ctx context.Context, hash [32]byte, now time.Time) (schedctl.APIKey, error) {
	key, generation, found := s.keys.get(hash, now)
	if found {
		return key, nil
	}
	key, err := storage.Read(ctx, s.view, func(r storage.Reader) (schedctl.APIKey, error) { return r.KeyByHash(hash) })
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return schedctl.APIKey{}, errBadKey
	case err != nil:
		return schedctl.APIKey{}, err
	case subtle.ConstantTimeCompare(hash[:], key.Hash[:]) != 1:
		return schedctl.APIKey{}, errBadKey
	}
	s.keys.put(hash, key, 1, generation, now)
	return key, nil
}

var errBadKey = schedctl.Errorf(schedctl.InvalidAPIKey, "", "this is not an API key of this daemon; check that the key is complete and that the daemon's address is right")

// authorize returns nil when the key holds at least one of the scopes, or when
// scopes is empty.
func authorize(key *schedctl.APIKey, scopes []schedctl.Scope) error {
	if slices.ContainsFunc(scopes, key.Allows) {
		return nil
	}
	if len(scopes) == 0 {
		return nil
	}
	return insufficientScope("this API key lacks the scope %s; use a key that has it", scopes[0])
}

func insufficientScope(format string, args ...any) error {
	return schedctl.Errorf(schedctl.InsufficientScope, "", format, args...)
}
