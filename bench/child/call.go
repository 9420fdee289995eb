package child

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Request is one API call.
type Request struct {
	Method         string
	Path           string // below /api/v1, with its query
	Body           string // JSON, or nothing
	IdempotencyKey string // or nothing
}

// Response is what the daemon answered, whatever its status.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes one API call with the daemon's key. An error means that there was no
// whole answer: the call may have had its effect.
func (d *Daemon) Do(ctx context.Context, r Request) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, "http://"+d.Address+"/api/v1"+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return Response{}, err
	}
	req.Header.Set("Authorization", "Bearer "+d.Key)
	if r.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.IdempotencyKey != "" {
		req.Header.Set("Idempotency-Key", r.IdempotencyKey)
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return Response{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return Response{resp.StatusCode, resp.Header, body}, err
}

// Call makes one API call and decodes its answer, if into is not nil. An answer
// that is not 2xx is a *StatusError.
func (d *Daemon) Call(ctx context.Context, method, path, body string, into any) error {
	a, err := d.Do(ctx, Request{Method: method, Path: path, Body: body})
	if err != nil {
		return err
	}
	if a.Status < 200 || a.Status > 299 {
		return &StatusError{Request: method + " " + path, Status: a.Status, Body: string(a.Body)}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(a.Body, into); err != nil {
		return fmt.Errorf("%s %s: decode the answer: %w", method, path, err)
	}
	return nil
}

// Connect adds an account and returns its id. The body is that of
// POST /social-accounts.
func (d *Daemon) Connect(ctx context.Context, body string) (id string, err error) {
	var answer struct {
		SocialAccount struct{ ID string } `json:"social_account"`
	}
	err = d.Call(ctx, http.MethodPost, "/social-accounts", body, &answer)
	return answer.SocialAccount.ID, err
}

// StatusError is an answer that refuses a call.
type StatusError struct {
	Request string // method and path
	Status  int
	Body    string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: answered %d: %s", e.Request, e.Status, e.Body)
}
