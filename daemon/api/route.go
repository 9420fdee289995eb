package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// route is one operation of the API: its path, who may use it, its OpenAPI
// description, and its handler.
type route struct {
	method string
	path   string // below the prefix

	id          string // the operationId
	summary     string
	description string
	tag         string

	scopes []schedctl.Scope // one of them is required; empty allows every valid key
	params []*huma.Param
	codes  []schedctl.Code // error codes other than those of all routes

	request      reflect.Type // the JSON body; nil for none
	optionalBody bool         // the body is optional
	status       int
	response     reflect.Type // nil for no body
	media        string       // the media type of the response; empty for JSON
	alsoOK       bool         // the status can be 200 too, with the same response

	// accepts describes a body that is not JSON; nil for JSON.
	accepts func() map[string]*huma.MediaType

	actsEarly bool // has effects outside the database before anything is committed
	readOnly  bool // though it takes a body
	people    bool // keys of agents, and keys that need approvals, are refused
	overrides bool // the body can override a check, which keys of agents cannot
	handle    handler

	// These are set on routes that take a file as their body. receive reads it, and
	// sets the fingerprint of the request.
	receive func(w http.ResponseWriter, r *http.Request, c *request) error
	upload  bool                                                   // a token in the URL takes the place of the API key
	grant   func(r *http.Request, c *request, now time.Time) error // checks the token, and sets the key that made it
}

// handler does the work of a route.
type handler func(ctx context.Context, c *request) (response, error)

// request is one request that has passed authentication. It belongs to the
// goroutine of the request, except that a transaction may read it.
type request struct {
	usecase.Request        // with the id in the path
	host            string // by which the client reached the daemon
	proxied         bool   // the request came from a trusted proxy
	deliveryID      string // of the delivery in the path, on routes that have one
	itemID          string // of the item in the path, on routes that have one
	query           string // not parsed
	header          http.Header

	// For the audit log.
	action    string // the operationId
	requestID string
	remote    string // the address, with its port

	arrived time.Time // with a monotonic reading
	body    []byte    // on routes with a body

	// The fields below are set on routes that write.
	idempotency storage.IdempotencyScope // empty IdempotencyKey for none
	fingerprint [32]byte
	bodyValid   bool // the body was read without fault

	// What follows is set on routes that take a file.
	incoming *media.Incoming
	file     *media.File
	altText  string
	grant    media.Capability // of the token in the URL
}

// withBody decodes the body for a handler.
func withBody[B any](read func(*decoder) B, next func(context.Context, *request, B) (response, error)) handler {
	return func(ctx context.Context, c *request) (response, error) {
		b, err := decode(&c.Key, c.body, read)
		if err != nil {
			return response{}, err
		}
		c.bodyValid = true
		return next(ctx, c, b)
	}
}

// withOptionalBody decodes the body for a handler. Without a body, the handler gets
// the zero value.
func withOptionalBody[B any](read func(*decoder) B, next func(context.Context, *request, B) (response, error)) handler {
	decoded := withBody(read, next)
	return func(ctx context.Context, c *request) (response, error) {
		if len(c.body) == 0 {
			var none B
			c.bodyValid = true
			return next(ctx, c, none)
		}
		return decoded(ctx, c)
	}
}

// withoutBody rejects a body with any content.
func withoutBody(next handler) handler {
	return withOptionalBody(read[struct{}], func(ctx context.Context, c *request, _ struct{}) (response, error) {
		return next(ctx, c)
	})
}

// register adds the route to the mux.
func (s *Server) register(rt route) {
	s.mux.HandleFunc(rt.method+" "+prefix+rt.path, func(w http.ResponseWriter, r *http.Request) {
		a, err := s.serve(&rt, w, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if a.stream != nil {
			a.stream(w, r)
			return
		}
		a.write(w)
	})
}

// serve takes a request through the steps that all routes share.
func (s *Server) serve(rt *route, w http.ResponseWriter, r *http.Request) (response, error) {
	ctx := r.Context()
	c := &request{Request: usecase.Request{ID: r.PathValue("id")}, deliveryID: r.PathValue("delivery_id"), itemID: r.PathValue("item_id"), host: r.Host, proxied: isProxied(r.Context()), query: r.URL.RawQuery, header: r.Header}
	defer c.close()
	c.action, c.requestID, c.remote, c.arrived = rt.id, w.Header().Get(requestIDHeader), r.RemoteAddr, time.Now()
	c.Now = c.arrived
	var err error
	if rt.upload {
		err = s.admitUpload(rt, w, r, c)
	} else {
		c.Key, err = s.admit(w, r)
	}
	if err != nil {
		return response{}, err
	}
	if err := authorize(&c.Key, rt.scopes); err != nil {
		return response{}, err
	}
	if c.Key.Agent {
		ctx = publish.FetchPublic(ctx)
	}
	if rt.people && (c.Key.Agent || c.Key.Restricted) {
		return response{}, schedctl.Errorf(schedctl.KeyNotAllowed, "", "the key of an agent, or one that needs approvals, cannot do this, because it concerns the posts of all API keys; use another key")
	}
	if err := checkAccept(r.Header, rt.mediaType()); err != nil {
		return response{}, err
	}
	if rt.method == http.MethodGet {
		a, err := rt.handle(ctx, c)
		if err == nil && a.etag != "" && !a.fresh && matchesNone(r.Header.Values("If-None-Match"), a.etag) {
			return response{status: http.StatusNotModified, etag: a.etag}, nil
		}
		return a, err
	}
	if rt.readOnly {
		if c.body, err = readBody(w, r); err != nil {
			return response{}, err
		}
		return rt.handle(ctx, c)
	}
	return s.write(ctx, rt, w, r, c)
}

// close removes the temporary file of the request, if it has one, and ends its upload.
func (c *request) close() {
	if c.file != nil {
		c.file.Close()
	}
	if c.incoming != nil {
		c.incoming.Close()
	}
}
