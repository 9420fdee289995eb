package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// answersKept is how long a stored answer is given to who repeats the request.
const answersKept = 24 * time.Hour

// readIdempotencyKey reads the key of a request that may be repeated.
func (c *call) readIdempotencyKey(r *http.Request) error {
	values := r.Header["Idempotency-Key"]
	if len(values) == 0 {
		return nil
	}
	if len(values) > 1 || !visibleASCII(values[0], 255) {
		return schedctl.Errorf(schedctl.InvalidIdempotencyKey, "Idempotency-Key",
			"an Idempotency-Key is one header of 1 to 255 visible ASCII characters, such as a UUID; leave the header out for none")
	}
	c.answerKey = storage.AnswerKey{
		WorkspaceID: c.key.WorkspaceID, Method: r.Method, Path: r.URL.Path, IdempotencyKey: values[0],
	}
	return nil
}

// repeatable reports whether the request carries an Idempotency-Key.
func (c *call) repeatable() bool { return c.answerKey.IdempotencyKey != "" }

func (c *call) fingerprintBody() {
	if c.repeatable() {
		c.fingerprint = sha256.Sum256(c.body)
	}
}

// once runs a handler unless the request was answered before. A handler that
// asks a network is not run before that is known. Any other one cannot do harm
// before its commit, which looks for the stored answer itself; it is looked for
// here only when the handler refuses what it may have accepted the first time,
// such as a time that has passed since, or now that the disk is full. After any
// other failure of the store nothing is looked for: what it shows then need not
// be on disk.
func (s *Server) once(ctx context.Context, c *call, rt *route) (answer, error) {
	if !c.repeatable() {
		return s.handle(ctx, c, rt)
	}
	if !s.running.begin(c.answerKey) {
		return answer{}, schedctl.Errorf(schedctl.IdempotencyRunning, "",
			"the first request with this Idempotency-Key is still being answered; repeat this one in a second")
	}
	defer s.running.end(c.answerKey)
	if rt.asksNetwork {
		if stored, found, err := s.lookUp(ctx, c); err != nil || found {
			return stored, err
		}
		return s.handle(ctx, c, rt)
	}
	a, refusal := s.handle(ctx, c, rt)
	if refusal == nil || failure(asError(refusal).Code) {
		return a, refusal
	}
	if stored, found, err := s.lookUp(ctx, c); err != nil || found {
		return stored, err
	}
	return answer{}, refusal
}

// handle runs a handler. A network is not asked what could not be stored.
func (s *Server) handle(ctx context.Context, c *call, rt *route) (answer, error) {
	if rt.asksNetwork {
		if err := s.store.Full(); err != nil {
			return answer{}, storeError(err, "")
		}
	}
	return rt.handle(ctx, c)
}

// failure reports whether a code is of a failure of the daemon's own, after which
// nothing is known of its store.
func failure(code schedctl.Code) bool {
	return Status(code) >= http.StatusInternalServerError && code != schedctl.InsufficientStorage
}

// lookUp is remembered in a snapshot of its own.
func (s *Server) lookUp(ctx context.Context, c *call) (stored answer, found bool, err error) {
	err = s.view(ctx, func(r storage.Reader) (err error) {
		stored, found, err = s.remembered(r, c)
		return err
	})
	return stored, found, err
}

// remembered looks for the stored answer to the request.
func (s *Server) remembered(r storage.Reader, c *call) (a answer, found bool, err error) {
	if !c.repeatable() {
		return answer{}, false, nil
	}
	stored, err := r.Answer(c.answerKey)
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return answer{}, false, nil
	case err != nil:
		return answer{}, false, err
	case s.clock.Age(stored.CreatedAt, c.now) >= answersKept:
		return answer{}, false, nil
	case stored.Fingerprint != c.fingerprint:
		return answer{}, false, &reusedKey{location: stored.Header["Location"], refusal: schedctl.Errorf(schedctl.IdempotencyKeyReused, "",
			"this Idempotency-Key was used with another body; use a new key for a new request")}
	}
	if stored.Sealed {
		if stored.Body, err = s.sealer.Open(stored.Body, c.answerOwner()); err != nil {
			return answer{}, false, schedctl.Errorf(schedctl.IdempotencyKeyReused, "",
				"this Idempotency-Key was used with another API key, or the daemon has another secret.key since; use a new key for a new request")
		}
	}
	return answer{
		status: stored.Status, etag: stored.Header["ETag"], location: stored.Header["Location"],
		body: stored.Body, replayed: true,
	}, true, nil
}

// reusedKey is the refusal of another request under a key. It tells where that is
// which the first one made: a caller that means the same by both, a post two hours
// after it is asked for, say, need not make it again.
type reusedKey struct {
	location string // or empty
	refusal  *schedctl.Error
}

// Error returns the refusal's text.
func (e *reusedKey) Error() string { return e.refusal.Error() }

// Unwrap returns the refusal.
func (e *reusedKey) Unwrap() error { return e.refusal }

// answerOwner is what a sealed answer is sealed for: the request that it answers
// and the API key that made it. Another one of the same workspace may hold less
// than the secret in the answer gives.
func (c *call) answerOwner() string {
	k := &c.answerKey
	return fmt.Sprintf("answer %q %q %q %q %q", k.WorkspaceID, k.Method, k.Path, k.IdempotencyKey, c.key.ID)
}

// remember stores the answer with the effect it tells of.
func (s *Server) remember(tx storage.Tx, c *call, a answer) error {
	if !c.repeatable() {
		return nil
	}
	header := make(map[string]string, 2)
	if a.etag != "" {
		header["ETag"] = a.etag
	}
	if a.location != "" {
		header["Location"] = a.location
	}
	if a.secret {
		a.body = s.sealer.Seal(a.body, c.answerOwner())
	}
	return tx.PutAnswer(c.answerKey, storage.Answer{
		Fingerprint: c.fingerprint, Status: a.status, Header: header, Body: a.body, Sealed: a.secret,
		CreatedAt: schedctl.Millis(c.now),
	})
}

// commit applies a change, stores its answer and writes it into the audit log,
// all in one transaction, or finds the answer that another request with the same
// key has stored meanwhile. change may run more than once.
func (s *Server) commit(ctx context.Context, c *call, change func(storage.Tx) (answer, error)) (answer, error) {
	var out answer
	err := s.store.Update(ctx, func(tx storage.Tx) error {
		a, found, err := s.remembered(tx, c)
		if err != nil {
			return err
		}
		if !found {
			if a, err = change(tx); err != nil {
				return err
			}
			if err = errors.Join(s.remember(tx, c, a), tx.AddAudit(c.auditEntry(&a))); err != nil {
				return err
			}
		}
		out = a
		return nil
	})
	return out, storeError(err, "the daemon could not store this; nothing was changed; see its log")
}

// running holds the keys of requests that are being answered by this process.
type running struct {
	mu   sync.Mutex // mu guards keys
	keys map[storage.AnswerKey]struct{}
}

func newRunning() *running { return &running{keys: make(map[storage.AnswerKey]struct{})} }

// begin notes the key, unless it is there already.
func (r *running) begin(k storage.AnswerKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.keys[k]; there {
		return false
	}
	r.keys[k] = struct{}{}
	return true
}

func (r *running) end(k storage.AnswerKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.keys, k)
}
