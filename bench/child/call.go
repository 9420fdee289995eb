package child

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Request is one API request.
type Request struct {
	Method         string
	Path           string // below /api/v1, with the query
	Body           string // JSON; empty for none
	IdempotencyKey string // empty for none
	IfMatch        string // an ETag; empty for none
	Key            string // an API key; empty for that of the daemon
}

// Response is a response of the daemon, whatever its status.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends one API request with the daemon's key. An error means that there was no
// complete response: the request may have taken effect.
func (d *Daemon) Do(ctx context.Context, r Request) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, "http://"+d.Address+"/api/v1"+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return Response{}, err
	}
	req.Header.Set("Authorization", "Bearer "+cmp.Or(r.Key, d.Key))
	if r.IfMatch != "" {
		req.Header.Set("If-Match", r.IfMatch)
	}
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

// Call sends one API request and decodes the response into into, unless that is nil. A
// response other than 2xx is returned as a *StatusError.
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
		return fmt.Errorf("%s %s: decode the response: %w", method, path, err)
	}
	return nil
}

// Connect adds an account and returns its id. body is the body of POST /social-accounts.
func (d *Daemon) Connect(ctx context.Context, body string) (id string, err error) {
	var answer struct {
		SocialAccount struct{ ID string } `json:"social_account"`
	}
	err = d.Call(ctx, http.MethodPost, "/social-accounts", body, &answer)
	return answer.SocialAccount.ID, err
}

// StatusError is a response that refuses a request.
type StatusError struct {
	Request string // method and path
	Status  int
	Body    string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: status %d: %s", e.Request, e.Status, e.Body)
}
