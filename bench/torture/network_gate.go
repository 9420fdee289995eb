package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// networkGate is a proxy between the daemon and a network. It reads each request
// completely before it forwards it, so the network receives it even if the daemon is
// killed. It records the posts that the network accepted, and sometimes refuses a request
// or cuts the connection after the network has accepted it.
type networkGate struct {
	name    string
	url     string
	account func(url string, n int) apiv1.AddAccount // the nth account for the daemon

	retries bool // a call with an unknown outcome is repeated, so that no outcome stays unknown

	upstream http.Handler
	down     func() error // stops a real server; nil for a fake
	server   *http.Server
	served   chan error
	at       func(p networkPoint, story string)
	storyOf  func(body []byte) string // the post that a request is for; nil if it is not needed
	calm     atomic.Bool              // no faults

	mu       sync.Mutex                                     // mu guards what follows, and calls of choose
	choose   func(step networkStep, story string) gateFault // nil for no faults
	accepted acceptedPosts
}

// gateFault is what goes wrong with a request.
type gateFault int

const (
	noFault    gateFault = iota
	refuseOnce           // the network refuses the request for a second
	cutOff               // the network accepts the request, and the connection is cut
	acceptLate           // the network accepts the request some seconds later
)

// lateAcceptance is how late. A daemon that was killed is running again by then.
const lateAcceptance = 3 * time.Second

// serve starts the gate. The caller must call stop.
func (g *networkGate) serve() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	g.url = "http://" + l.Addr().String()
	g.served = make(chan error, 1)
	g.server = &http.Server{Handler: g}
	go func() { g.served <- g.server.Serve(l) }()
	return nil
}

// stop stops the gate, and the real server behind it.
func (g *networkGate) stop() {
	if g.server != nil {
		g.server.Close()
		<-g.served
	}
	if g.down != nil {
		g.down()
	}
}

// forwardTo makes a real server the gate's network.
func (g *networkGate) forwardTo(address string) error {
	to, err := url.Parse(address)
	if err != nil {
		return err
	}
	g.upstream = &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: &http.Transport{DisableKeepAlives: true}, // snac closes connections without notice
	}
	return nil
}

// ServeHTTP handles a request of the daemon.
func (g *networkGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the daemon was killed before it had sent everything
	}
	step, story := stepOf(r), ""
	if g.storyOf != nil {
		story = g.storyOf(body)
	}
	g.reach(step.received, story)
	fault := g.fault(step, story)
	if fault == refuseOnce {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if fault == acceptLate {
		time.Sleep(lateAcceptance)
	}
	response := g.forward(r, body)
	if step == publishStep && response.Code < 300 {
		g.mu.Lock()
		g.accepted.add(body, response.Body.Bytes())
		g.mu.Unlock()
	}
	g.reach(step.accepted, story)
	if fault == cutOff {
		panic(http.ErrAbortHandler)
	}
	for name, values := range response.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(response.Code)
	w.Write(response.Body.Bytes())
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	g.reach(step.responded, story)
}

// forward sends a request to the network, even if the daemon has been killed.
func (g *networkGate) forward(r *http.Request, body []byte) *httptest.ResponseRecorder {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	whole := r.Clone(ctx)
	whole.Body, whole.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response := httptest.NewRecorder()
	g.upstream.ServeHTTP(response, whole)
	return response
}

// networkPoint is an instant at which the daemon can be killed.
type networkPoint int

const (
	uploadReceived networkPoint = iota
	uploadAccepted              // the network has the file, and the daemon has no response
	uploadResponded
	processingAsked
	publishReceived // the call that publishes has arrived, and was not forwarded
	publishAccepted // the network has the post, and the daemon has no response
	publishResponded
	parentAsked // the daemon asks whether the parent of a reply exists
	postsListed // the daemon looks for a post whose outcome is unknown
	noPoint
)

// mediaPoints are the points of posts with media.
var mediaPoints = []networkPoint{
	uploadReceived, uploadAccepted, uploadResponded, processingAsked, publishReceived, publishAccepted, publishResponded,
}

// networkStep has the points of a kind of request.
type networkStep struct{ received, accepted, responded networkPoint }

var (
	uploadStep  = networkStep{uploadReceived, uploadAccepted, uploadResponded}
	processStep = networkStep{processingAsked, noPoint, noPoint}
	publishStep = networkStep{publishReceived, publishAccepted, publishResponded}
	parentStep  = networkStep{parentAsked, noPoint, noPoint}
	listStep    = networkStep{postsListed, noPoint, noPoint}
	otherStep   = networkStep{noPoint, noPoint, noPoint}
)

// changes reports whether the network keeps something that the request contains.
func (s networkStep) changes() bool { return s.accepted != noPoint }

// stepOf returns the step of a request in the API of any of the networks.
func stepOf(r *http.Request) networkStep {
	name, folder := path.Base(r.URL.Path), path.Base(path.Dir(r.URL.Path))
	if r.Method == http.MethodGet {
		switch {
		case strings.Contains(r.URL.Path, "/api/v1/media/"), name == "files.info":
			return processStep
		case folder == "statuses", folder == "event", folder == "messages", name == "conversations.replies", name == "chat.getPermalink", strings.HasSuffix(name, ".getRecord"):
			return parentStep
		case name == "statuses", name == "context", name == "messages", name == "conversations.history":
			return listStep
		}
		return otherStep
	}
	switch {
	case name == "media", name == "upload", strings.HasSuffix(name, ".uploadBlob"), name == "files.completeUploadExternal":
		return uploadStep
	case name == "statuses", strings.HasSuffix(name, ".putRecord"), strings.HasSuffix(name, ".applyWrites"),
		name == "chat.postMessage", name == "receiver", folder == "m.room.message", strings.HasPrefix(name, "send"), strings.Contains(r.URL.Path, "/api/webhooks/"):
		return publishStep
	}
	return otherStep
}

func (g *networkGate) reach(p networkPoint, story string) {
	if p != noPoint {
		g.at(p, story)
	}
}

// fault returns what goes wrong with a request.
func (g *networkGate) fault(step networkStep, story string) gateFault {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.choose == nil || !step.changes() || g.calm.Load() {
		return noFault
	}
	return g.choose(step, story)
}
