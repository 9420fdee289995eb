package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Response is the response to [Client.Raw].
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// ErrPath is the error of [Client.Raw] for a text that is not a path of the API.
var ErrPath = errors.New("this is not a path of the daemon's API")

// outsidePaths are the paths that are not below the prefix of the API.
var outsidePaths = []string{"/healthz", "/readyz", "/metrics", "/openapi.json", "/openapi.yaml", "/docs", "/feeds"}

// Raw sends any request. The path may have a query, and may start with /api/v1 or
// not; paths outside the API, such as /readyz, work too. body is JSON, or nil for
// none. Writes carry an idempotency key, as in every method.
//
// For an error status Raw returns both the response and the error. An invalid path
// returns [ErrPath] before anything is sent.
func (c *Client) Raw(ctx context.Context, method, path string, body []byte, options ...Option) (Response, error) {
	target, err := c.rawURL(path)
	if err != nil {
		return Response{}, err
	}
	r := apiRequest{method: method, path: target, header: http.Header{}}
	if body != nil {
		r.body = body
	}
	if !isRead(method) {
		r.header.Set("Idempotency-Key", newIdempotencyKey())
	}
	for _, o := range options {
		o(&r)
	}
	var response Response
	err = c.call(ctx, r, &response)
	return response, err
}

// rawURL returns the URL of a path. It refuses other hosts, because the request contains
// the API key.
func (c *Client) rawURL(path string) (string, error) {
	u, err := url.Parse(path)
	switch {
	case err != nil || u.IsAbs() || u.Host != "" || u.Fragment != "" || !strings.HasPrefix(path, "/"):
		return "", fmt.Errorf("%w: %q; try /posts or /posts?status=draft", ErrPath, path)
	case slices.ContainsFunc(outsidePaths, func(p string) bool { return u.Path == p || strings.HasPrefix(u.Path, p+"/") }):
		return strings.TrimSuffix(c.resty.BaseURL, prefix) + path, nil
	case u.Path == prefix || strings.HasPrefix(u.Path, prefix+"/"):
		path = strings.TrimPrefix(path, prefix)
	}
	return c.resty.BaseURL + path, nil
}
