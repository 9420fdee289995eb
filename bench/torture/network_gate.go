package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// mediaGate is a proxy between the daemon and a network. It reads each request
// completely before it forwards it, so the network receives it even if the daemon is
// killed. It records the posts that the network accepted, and sometimes cuts the
// connection after that.
type mediaGate struct {
	name    string
	url     string
	account func(url string) apiv1.AddAccount // the account for the daemon
	read    func(ctx context.Context, id string) ([]shownFile, error)

	listed   int  // after how many posts the authors slow down, or zero
	retries  bool // a call with an unknown outcome is repeated, so that no outcome stays unknown
	upstream http.Handler
	server   *http.Server
	served   chan error
	at       func(mediaPoint)
	calm     atomic.Bool // cuts no more connections

	mu       sync.Mutex
	random   *rand.Rand
	accepted map[string][]string // mu guards accepted, the ids of the posts with each text
}

// shownFile is a file of a post, as the network shows it.
type shownFile struct {
	sha256 string // hexadecimal
	alt    string
}

// serve starts the gate. The caller must call stop.
func (g *mediaGate) serve(random *rand.Rand) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	g.url, g.random, g.accepted = "http://"+l.Addr().String(), random, map[string][]string{}
	g.served = make(chan error, 1)
	g.server = &http.Server{Handler: g}
	go func() { g.served <- g.server.Serve(l) }()
	return nil
}

func (g *mediaGate) stop() {
	if g.server != nil {
		g.server.Close()
		<-g.served
	}
}

// forwardTo makes a real server the gate's network.
func (g *mediaGate) forwardTo(address string) error {
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
func (g *mediaGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the daemon was killed before it had sent everything
	}
	step := stepOf(r)
	g.reach(step.received)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	whole := r.Clone(ctx)
	whole.Body, whole.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response := httptest.NewRecorder()
	g.upstream.ServeHTTP(response, whole)
	if step == publishStep && response.Code < 300 {
		g.recordPost(body, response.Body.Bytes())
	}
	g.reach(step.accepted)
	if step.accepted != noPoint && g.cuts() {
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
	g.reach(step.responded)
}

// mediaStep has the points of a kind of request.
type mediaStep struct{ received, accepted, responded mediaPoint }

const noPoint = mediaPoints

var (
	uploadStep  = mediaStep{uploadReceived, uploadAccepted, uploadResponded}
	processStep = mediaStep{processingAsked, noPoint, noPoint}
	publishStep = mediaStep{publishReceived, publishAccepted, publishResponded}
	otherStep   = mediaStep{noPoint, noPoint, noPoint}
)

func stepOf(r *http.Request) mediaStep {
	switch path := r.URL.Path; {
	case r.Method == http.MethodPost && (strings.HasSuffix(path, "/media") || strings.HasSuffix(path, ".uploadBlob")):
		return uploadStep
	case r.Method == http.MethodGet && strings.Contains(path, "/api/v1/media/"):
		return processStep
	case r.Method == http.MethodPost && (strings.HasSuffix(path, "/statuses") || strings.HasSuffix(path, ".putRecord")):
		return publishStep
	}
	return otherStep
}

func (g *mediaGate) reach(p mediaPoint) {
	if p != noPoint {
		g.at(p)
	}
}

// cuts reports whether the connection is cut instead of a response.
func (g *mediaGate) cuts() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.calm.Load() && g.random.IntN(8) == 0
}

// recordPost records a post that the network has accepted. A network that recognizes a
// repeat returns the same id.
func (g *mediaGate) recordPost(request, response []byte) {
	var sent struct {
		Status string
		Record struct{ Text string }
	}
	var got struct{ ID, URI string }
	json.Unmarshal(request, &sent)
	json.Unmarshal(response, &got)
	text, id := cmp.Or(sent.Status, sent.Record.Text), cmp.Or(got.ID, got.URI)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.accepted[text], id) {
		g.accepted[text] = append(g.accepted[text], id)
	}
}

// posts returns the ids of the posts with a text.
func (g *mediaGate) posts(text string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.accepted[text])
}
