package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// idempotencyTTL is how long repeated requests get the stored response.
const idempotencyTTL = 24 * time.Hour

// readIdempotencyKey reads the idempotency key of a request that writes.
func (c *request) readIdempotencyKey(r *http.Request) error {
	values := r.Header["Idempotency-Key"]
	if len(values) == 0 {
		return nil
	}
	if len(values) > 1 || !visibleASCII(values[0], 255) {
		return schedctl.Errorf(schedctl.InvalidIdempotencyKey, "Idempotency-Key",
			"an Idempotency-Key is one header of 1 to 255 visible ASCII characters, such as a UUID; leave the header out for none")
	}
	c.idempotency = storage.IdempotencyScope{
		WorkspaceID: c.Key.WorkspaceID, Method: r.Method, Path: r.URL.Path, IdempotencyKey: values[0],
	}
	return nil
}

// repeatable reports whether the request carries an Idempotency-Key.
func (c *request) repeatable() bool { return c.idempotency.IdempotencyKey != "" }

// write takes a request that writes through the steps that only those have.
func (s *Server) write(ctx context.Context, rt *route, w http.ResponseWriter, r *http.Request, c *request) (_ response, err error) {
	if !rt.upload {
		if err := c.readIdempotencyKey(r); err != nil {
			return response{}, err
		}
		if c.Expected, err = parseIfMatch(r.Header.Values("If-Match")); err != nil {
			return response{}, err
		}
		if c.Expected == nil && rt.needsVersion() {
			return response{}, errVersionRequired
		}
	}
	if rt.receive != nil {
		err = rt.receive(w, r, c)
	} else if c.body, err = readBody(w, r); err == nil {
		c.fingerprintRequest(sha256.Sum256(c.body))
	}
	if err != nil {
		return response{}, err
	}
	c.Now = time.Now() // reading the body may have been slow
	if err := s.checkKey(ctx, &c.Key, c.Now); err != nil {
		return response{}, err
	}
	return s.handleOnce(ctx, c, rt)
}

// handleOnce runs the handler unless a response is stored already. A handler that contacts
// a network runs only after that check, and only if its result can be stored. Other
// handlers have no effect before commit, which checks for a stored response itself. For
// them, handleOnce looks for a stored response only if the handler refuses the request with
// a final code: the first request may have been accepted before a time passed or the disk
// became full. After other store errors it does not look, because the store may show data
// that is not on disk.
//
// With a shared store, looking also prevents a request of a second daemon with the same key
// from storing a response later. Invalid bodies skip that, because their requests never
// reach a transaction.
func (s *Server) handleOnce(ctx context.Context, c *request, rt *route) (response, error) {
	if c.repeatable() {
		if running, ok := s.inFlight.add(c.idempotency, c.Now); !ok {
			return s.whileRunning(ctx, c, running)
		}
		defer s.inFlight.remove(c.idempotency)
	}
	if rt.actsEarly {
		if stored, found, err := s.storedResponse(ctx, c); err != nil || found {
			return stored, err
		}
		if err := s.store.Full(); err != nil {
			return response{}, storeError(err, "")
		}
	}
	a, refusal := rt.handle(ctx, c)
	if refusal == nil || !c.repeatable() || !isFinal(asError(refusal).Code) {
		return a, refusal
	}
	look := s.storedResponse
	if s.shared != nil && c.bodyValid {
		look = s.storedResponseFenced
	}
	if stored, found, err := look(ctx, c); err != nil || found {
		return stored, err
	}
	return response{}, refusal
}

// whileRunning responds to a request whose key another request has in flight, which is at
// work since a time. That one may be a repetition itself; then this one gets the response
// of the first, which has ended. A response that was stored at that time may be of the
// request in flight: the commit of it may not have ended.
func (s *Server) whileRunning(ctx context.Context, c *request, since time.Time) (response, error) {
	var stored response
	found := false
	err := s.view(ctx, func(r storage.Reader) (err error) {
		if record, earlier := c.storedBefore(r, since); earlier {
			stored, found, err = s.restoreResponse(c, record)
		}
		return err
	})
	if err == nil && !found {
		err = errStillRunning
	}
	return stored, err
}

// storedBefore returns the response that is stored for the request, unless a request of a
// time may be the one that stores it.
func (c *request) storedBefore(r storage.Reader, since time.Time) (record storage.IdempotencyRecord, ok bool) {
	record, err := r.IdempotencyRecord(c.idempotency)
	return record, err == nil && !record.CreatedAt.Equal(schedctl.Millis(since))
}

// isFinal reports whether a repeated request gets this code again. Codes of
// internal failures are not final, because the state of the store is unknown. A
// code that asks the client to repeat a request with an unknown outcome is not
// final either.
func isFinal(code schedctl.Code) bool {
	return (Status(code) < http.StatusInternalServerError || code == schedctl.InsufficientStorage) && code != schedctl.IdempotencyRunning
}

// storedResponse calls findStored in its own snapshot.
func (s *Server) storedResponse(ctx context.Context, c *request) (stored response, found bool, err error) {
	if !c.repeatable() {
		return response{}, false, nil
	}
	err = s.view(ctx, func(r storage.Reader) (err error) {
		stored, found, err = s.findStored(r, c)
		return err
	})
	return stored, found, err
}

// storedResponseFenced is storedResponse for a request that is about to be
// rejected. If no response is stored, earlier requests with the same key can no
// longer store one.
func (s *Server) storedResponseFenced(ctx context.Context, c *request) (stored response, found bool, err error) {
	a, err := s.shared.Refuse(ctx, c.idempotency)
	switch {
	case errors.Is(err, storage.ErrUndecided):
		return response{}, false, errUndecided
	case err != nil:
		return response{}, false, storeError(err, "the daemon could not read its database; see its log")
	case a == nil:
		return response{}, false, nil
	}
	return s.restoreResponse(c, *a)
}

// errStillRunning is the error of a request whose key is in flight.
var errStillRunning = schedctl.Errorf(schedctl.IdempotencyRunning, "",
	"the first request with this Idempotency-Key is still running; repeat this one in a second")

// errUndecided is the error while the outcome of a request with the same key is
// unknown.
var errUndecided = schedctl.Errorf(schedctl.IdempotencyRunning, "",
	"the outcome of a request with this Idempotency-Key is not known yet; repeat this one in a second")

// refusalReads is how often findStored reads the age of a refusal before it decides
// that the request is older. The time that a read takes counts as age of the
// request.
const refusalReads = 3

// findStored looks for the stored response to the request. A request that another
// daemon refused while this one was running must have no effect.
func (s *Server) findStored(r storage.Reader, c *request) (a response, found bool, err error) {
	if !c.repeatable() {
		return response{}, false, nil
	}
	for range refusalReads {
		stored, err := r.IdempotencyRecord(c.idempotency)
		var refused *storage.RefusedError
		switch {
		case err == nil:
			return s.restoreResponse(c, stored)
		case errors.As(err, &refused) && refused.Ago < time.Since(c.arrived):
			continue // read again: the refusal may be older than this request
		case schedctl.CodeOf(err) == schedctl.NotFound:
			return response{}, false, nil
		default:
			return response{}, false, err
		}
	}
	return response{}, false, errUndecided
}

// restoreResponse returns the response from an idempotency record.
func (s *Server) restoreResponse(c *request, stored storage.IdempotencyRecord) (a response, found bool, err error) {
	switch {
	case s.clock.Age(stored.CreatedAt, c.Now) >= idempotencyTTL:
		return response{}, false, nil
	case !c.sameAPIKey(&stored):
		return response{}, false, schedctl.Errorf(schedctl.IdempotencyKeyReused, "",
			"this Idempotency-Key was used with another API key; use a new key for a new request")
	case !c.sameBody(&stored):
		return response{}, false, &locatedError{location: stored.Header["Location"], refusal: schedctl.Errorf(schedctl.IdempotencyKeyReused, "",
			"this Idempotency-Key was used with another body; use a new key for a new request")}
	}
	if stored.Sealed {
		if stored.Body, err = s.sealer.Open(stored.Body, c.sealContext()); err != nil {
			return response{}, false, schedctl.Errorf(schedctl.IdempotencyKeyReused, "",
				"the response to this Idempotency-Key cannot be decrypted: the daemon's secret.key was replaced; use a new key for a new request")
		}
	}
	return response{
		status: stored.Status, etag: stored.Header["ETag"], location: stored.Header["Location"],
		body: stored.Body, replayed: true,
	}, true, nil
}

// locatedError rejects a request that reuses an idempotency key. location is the
// object that the first request created. A client that meant the same object need
// not create another.
type locatedError struct {
	location string // may be empty
	refusal  *schedctl.Error
}

// Error returns the message of the refusal.
func (e *locatedError) Error() string { return e.refusal.Error() }

// Unwrap returns the refusal.
func (e *locatedError) Unwrap() error { return e.refusal }

// sealContext is the context in which a response is sealed: its request and its API
// key. Other keys of the workspace may have fewer permissions than the secret in
// the response grants.
func (c *request) sealContext() string {
	k := &c.idempotency
	return fmt.Sprintf("answer %q %q %q %q %q", k.WorkspaceID, k.Method, k.Path, k.IdempotencyKey, c.Key.ID)
}

// storeResponse stores the response in the transaction of its change.
func (s *Server) storeResponse(tx storage.Tx, c *request, a response) error {
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
		a.body = s.sealer.Seal(a.body, c.sealContext())
	}
	return tx.PutIdempotencyRecord(c.idempotency, storage.IdempotencyRecord{
		Fingerprint: c.fingerprint, Status: a.status, Header: header, Body: a.body, Sealed: a.secret,
		CreatedAt: schedctl.Millis(c.Now),
	})
}

// commit applies a change, stores its response and adds an audit entry, all in one
// transaction. If another request with the same key has stored a response, commit
// returns that response instead. change may run more than once.
func (s *Server) commit(ctx context.Context, c *request, change func(storage.Tx) (response, error)) (response, error) {
	var out response
	err := s.store.Update(ctx, func(tx storage.Tx) error {
		a, found, err := s.findStored(tx, c)
		if err != nil {
			return err
		}
		if !found {
			c.Also = nil
			if a, err = change(tx); err != nil {
				return err
			}
			if err = s.storeResponse(tx, c, a); err == nil && !a.repeated {
				err = c.audit(tx, &a)
			}
			if err != nil {
				return err
			}
		}
		out = a
		return nil
	})
	if errors.Is(err, storage.ErrUnknownOutcome) && c.repeatable() {
		s.log.WarnContext(ctx, "request outcome unknown", "request", c.requestID, "error", err)
		return response{}, errUndecided
	}
	return out, storeError(err, "the daemon could not store this and changed nothing; see its log")
}

// fingerprintPart is the number of bytes for the body. The rest of a fingerprint is
// for the API key. 16 bytes of a SHA-256 are enough to rule out collisions.
const fingerprintPart = sha256.Size / 2

// fingerprintRequest stores the fingerprints of a body and of the API key. Only the same
// API key may get the stored response. body is the SHA-256 of the raw body.
func (c *request) fingerprintRequest(body [sha256.Size]byte) {
	if !c.repeatable() {
		return
	}
	key := sha256.Sum256([]byte(c.Key.ID))
	copy(c.fingerprint[:fingerprintPart], body[:])
	copy(c.fingerprint[fingerprintPart:], key[:])
}

// sameAPIKey reports whether the stored response belongs to a request with the same
// API key. Earlier versions stored the fingerprint of the body alone. Their
// responses are returned only to keys that see everything in the workspace.
func (c *request) sameAPIKey(stored *storage.IdempotencyRecord) bool {
	same := [fingerprintPart]byte(stored.Fingerprint[fingerprintPart:]) == [fingerprintPart]byte(c.fingerprint[fingerprintPart:])
	return same || !c.Limited() && stored.Fingerprint == sha256.Sum256(c.body)
}

// sameBody reports whether the stored response belongs to a request with the same
// body.
func (c *request) sameBody(stored *storage.IdempotencyRecord) bool {
	return [fingerprintPart]byte(stored.Fingerprint[:]) == [fingerprintPart]byte(c.fingerprint[:])
}
