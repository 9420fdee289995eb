package api

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// authenticate returns the API key that a request was made with.
func (s *Server) authenticate(ctx context.Context, h http.Header, now time.Time) (schedctl.APIKey, error) {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	token = strings.TrimLeft(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return schedctl.APIKey{}, schedctl.Errorf(schedctl.AuthenticationRequired, "",
			"this needs an API key; send the header Authorization: Bearer <API key>")
	}
	hash, ok := schedctl.HashKeySecret(token)
	if !ok {
		return schedctl.APIKey{}, errBadKey
	}
	key, known := s.keys.get(hash, now)
	var err error
	if !known {
		err = s.view(ctx, func(r storage.Reader) (err error) {
			key, err = r.KeyByHash(hash)
			return err
		})
	}
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return schedctl.APIKey{}, errBadKey
	case err != nil:
		return schedctl.APIKey{}, err
	case subtle.ConstantTimeCompare(hash[:], key.Hash[:]) != 1:
		return schedctl.APIKey{}, errBadKey
	}
	if !known {
		s.keys.put(key, now)
	}
	return key, key.Check(now)
}

// keyCache keeps the API keys that are in use, so that not every request reads
// its key anew. A change of a key takes effect within [keysKept].
type keyCache struct {
	mu   sync.RWMutex // mu guards kept
	kept map[[32]byte]keptKey
}

type keptKey struct {
	key   schedctl.APIKey
	until time.Time
}

const (
	keysKept    = time.Second
	maxKeysKept = 1024
)

// get returns the key with the hash, unless it has to be read.
func (c *keyCache) get(hash [32]byte, now time.Time) (schedctl.APIKey, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	k, found := c.kept[hash]
	return k.key, found && now.Before(k.until)
}

// put keeps a key that was just read.
func (c *keyCache) put(key schedctl.APIKey, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxKeysKept {
		c.kept = make(map[[32]byte]keptKey)
	}
	c.kept[key.Hash] = keptKey{key, now.Add(keysKept)}
}

var errBadKey = schedctl.Errorf(schedctl.InvalidAPIKey, "", "this is not an API key of this daemon; check that it was copied whole and that the address is right")

// authorize returns nil when the key holds one of the scopes, or none is asked.
func authorize(key *schedctl.APIKey, scopes []schedctl.Scope) error {
	for _, scope := range scopes {
		if key.Allows(scope) {
			return nil
		}
	}
	if len(scopes) == 0 {
		return nil
	}
	return insufficientScope("this API key lacks the scope %s; use a key that has it", scopes[0])
}

func insufficientScope(format string, args ...any) error {
	return schedctl.Errorf(schedctl.InsufficientScope, "", format, args...)
}

// draftsOnly reports whether the key may write drafts and nothing else.
func (c *call) draftsOnly() bool { return !c.key.Allows(schedctl.ScopePostsWrite) }

// mayUse reports whether the key is good for the account.
func (c *call) mayUse(accountID string) bool {
	if len(c.key.AccountIDs) == 0 {
		return true
	}
	for _, id := range c.key.AccountIDs {
		if id == accountID {
			return true
		}
	}
	return false
}

// maySee reports whether the key is good for all accounts of the post.
func (c *call) maySee(p *schedctl.Post) bool {
	for i := range p.Targets {
		if !c.mayUse(p.Targets[i].AccountID) {
			return false
		}
	}
	return true
}
