// Package recorded plays recorded HTTP exchanges with a network to a publisher under
// test.
//
// An exchange is a request and its response, in a JSON file of the form that the
// network documents. [Client] requires that the requests match the recorded ones
// exactly and in order. [Handler] serves the recorded responses by method and path,
// in any order.
package recorded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Exchange is a request and its response.
type Exchange struct {
	Request  Request  `json:"request"`
	Response Response `json:"response"`
}

// Request is a request that a publisher sends.
type Request struct {
	Method string            `json:"method"`
	URL    string            `json:"url"`
	Header map[string]string `json:"header"` // only the headers to compare
	Body   json.RawMessage   `json:"body"`   // empty for none
}

// Response is the network's response.
type Response struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   json.RawMessage   `json:"body"` // a JSON string is sent as plain text
}

// Text returns the body as it is sent over HTTP.
func (a Response) Text() string {
	var text string
	if json.Unmarshal(a.Body, &text) == nil {
		return text
	}
	return string(a.Body)
}

// Load reads the exchanges from the files. Each file holds a JSON array.
func Load(t testing.TB, files ...string) []Exchange {
	t.Helper()
	var all []Exchange
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var exchanges []Exchange
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&exchanges); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, exchanges...)
	}
	return all
}

// Client returns a client that requires exactly the requests of the files, in order,
// by the end of the test. It opens no connection.
func Client(t testing.TB, files ...string) *http.Client {
	t.Helper()
	p := &player{t: t, pending: Load(t, files...)}
	t.Cleanup(p.finish)
	return &http.Client{Transport: p}
}

type player struct {
	t       testing.TB
	mu      sync.Mutex // mu guards rest
	pending []Exchange
}

var errUnexpected = errors.New("this request differs from the next recorded request")

// RoundTrip returns the response to the next recorded request.
func (p *player) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.pending) == 0 {
		p.t.Errorf("%s %s: nothing more was recorded", r.Method, r.URL)
		return nil, errUnexpected
	}
	next := p.pending[0]
	p.pending = p.pending[1:]
	if diff := next.Request.diff(r, body); diff != "" {
		p.t.Errorf("%s %s (-recorded +sent):\n%s", r.Method, r.URL, diff)
		return nil, errUnexpected
	}
	return next.Response.httpResponse(r), nil
}

func (p *player) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.pending {
		p.t.Errorf("%s %s was not sent", e.Request.Method, e.Request.URL)
	}
}

func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

// diff describes how a request differs from the recorded one. It is empty if they
// are equal.
func (want Request) diff(r *http.Request, body []byte) string {
	got := Request{Method: r.Method, URL: r.URL.String(), Header: map[string]string{}, Body: body}
	for name := range want.Header {
		got.Header[name] = r.Header.Get(name)
	}
	if want.Header == nil {
		want.Header = map[string]string{}
	}
	return cmp.Diff(want, got, cmp.Transformer("JSON", decode))
}

// decode decodes a body, so that its formatting does not matter.
func decode(body json.RawMessage) any {
	var value any
	if err := json.Unmarshal(body, &value); err != nil && len(body) > 0 {
		return fmt.Sprintf("not JSON: %q", []byte(body))
	}
	return value
}

func (a Response) httpResponse(r *http.Request) *http.Response {
	header := http.Header{}
	for name, value := range a.Header {
		header.Set(name, value)
	}
	text := a.Text()
	return &http.Response{
		StatusCode: a.Status, Status: http.StatusText(a.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewBufferString(text)), ContentLength: int64(len(text)), Request: r,
	}
}

// Handler serves the response of the first exchange in the files that has the
// request's method and path, any number of times. Other requests get 404.
func Handler(t testing.TB, files ...string) http.Handler {
	t.Helper()
	responses := map[string]Response{}
	for _, e := range Load(t, files...) {
		u, err := url.Parse(e.Request.URL)
		if err != nil {
			t.Fatal(err)
		}
		if route := e.Request.Method + " " + u.EscapedPath(); responses[route].Status == 0 {
			responses[route] = e.Response
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response, ok := responses[r.Method+" "+r.URL.EscapedPath()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		for name, value := range response.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(response.Status)
		io.WriteString(w, response.Text())
	})
}
