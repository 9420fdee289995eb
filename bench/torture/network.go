package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"
)

// kind says how a network handles repeated calls.
type kind string

const (
	idempotent kind = "idempotent" // recognizes a repeat by its key
	readable   kind = "readable"   // publishes again, but its posts can be listed first
	blind      kind = "blind"      // publishes again, and its posts cannot be listed
)

// kinds are all kinds.
var kinds = []kind{idempotent, readable, blind}

// networkMode is how a network handles publish calls.
type networkMode int

const (
	accepting          networkMode = iota // accepts at once
	acceptingLate                         // accepts, and responds late
	refusing                              // final 4xx
	rateLimiting                          // 429 with Retry-After
	unavailableMode                       // 503 with Retry-After
	droppingConnection                    // accepts, and cuts the connection
	hanging                               // accepts, and never responds
)

// killPoint is an instant at which a daemon can be killed.
type killPoint int

const (
	clientAcknowledged killPoint = iota // a client has its response
	callReceived                        // a call has reached the network, which has not accepted the post yet
	callAccepted                        // the network has the post, and the daemon has no response
	responseReceived                    // the daemon has the response
	killPoints
)

// network is a server that simulates networks of every kind, with an account at each
// path, and counts the calls.
type network struct {
	url    string
	server *http.Server
	served chan error
	at     func(killPoint, string) // called at kill points, with the target; must return soon

	mu          sync.Mutex // mu guards what follows
	random      *rand.Rand
	modes       map[kind][]networkMode // modes for first calls, chosen at random; none means accepting
	targets     map[string]*delivery
	published   int                  // posts published for all targets
	channel     map[string][]message // messages of each readable account, oldest first
	events      map[string]int       // webhook deliveries of each event
	stopHanging chan struct{}        // closed to end hanging calls
}

// delivery is what a network received for a target.
type delivery struct {
	kind     kind
	account  string
	calls    int      // calls received
	order    int      // order of the first call among all targets
	posts    int      // published posts
	contents []string // contents of the posts
	receipt  string   // the network's id of the last post
	refused  bool     // refused for good
}

// newNetwork serves until stop.
func newNetwork(random *rand.Rand) (*network, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n := &network{
		url: "http://" + l.Addr().String(), served: make(chan error, 1), at: func(killPoint, string) {}, random: random,
		modes: map[kind][]networkMode{}, targets: map[string]*delivery{}, channel: map[string][]message{},
		events: map[string]int{}, stopHanging: make(chan struct{}),
	}
	n.server = &http.Server{Handler: n.routes()}
	go func() { n.served <- n.server.Serve(l) }()
	return n, nil
}

func (n *network) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /idempotent/{account}", func(w http.ResponseWriter, r *http.Request) { n.httpCall(w, r, idempotent) })
	mux.HandleFunc("POST /blind/{account}", func(w http.ResponseWriter, r *http.Request) { n.httpCall(w, r, blind) })
	mux.HandleFunc("GET /readable/{account}/auth.test", whoAmI)
	mux.HandleFunc("GET /readable/{account}/conversations.info", channelInfo)
	mux.HandleFunc("GET /readable/{account}/conversations.history", n.history)
	mux.HandleFunc("POST /readable/{account}/chat.postMessage", n.postMessage)
	mux.HandleFunc("POST /webhook", n.webhook)
	return mux
}

func (n *network) stop() {
	n.server.Close()
	<-n.served
}

// setModes sets how the networks of a kind handle calls from now on. Each first call
// for a target uses one of the modes; repeats are always accepted, so that retries
// succeed. Without modes all calls are accepted.
func (n *network) setModes(k kind, moods ...networkMode) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.modes[k] = moods
}

// acceptAll makes all networks accept from now on, and ends hanging calls.
func (n *network) acceptAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.modes = map[kind][]networkMode{}
	select {
	case <-n.stopHanging:
	default:
		close(n.stopHanging)
	}
}

// post is one publish call.
type post struct {
	kind                     kind
	account, target, content string
	first                    bool // the first attempt, according to the daemon
}

// publish handles a call for a network. When the call succeeds, it returns the
// network's id of the post; otherwise it has responded, or there must be no response.
func (n *network) publish(w http.ResponseWriter, r *http.Request, p post) (receipt string, ok bool) {
	n.at(callReceived, p.target)
	m, pause := n.receive(p)
	switch m {
	case refusing:
		http.Error(w, `{"error":"no_such_taste"}`, http.StatusUnprocessableEntity)
		return "", false
	case rateLimiting, unavailableMode:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(map[networkMode]int{rateLimiting: http.StatusTooManyRequests, unavailableMode: http.StatusServiceUnavailable}[m])
		return "", false
	}
	receipt = n.accept(p)
	n.at(callAccepted, p.target)
	switch m {
	case droppingConnection:
		panic(http.ErrAbortHandler)
	case hanging:
		select {
		case <-r.Context().Done():
		case <-n.stopHanging:
		}
		panic(http.ErrAbortHandler)
	case acceptingLate:
		time.Sleep(pause)
	}
	return receipt, true
}

// receive counts a call and chooses its mode.
func (n *network) receive(p post) (networkMode, time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	d := n.targets[p.target]
	if d == nil {
		d = &delivery{kind: p.kind, account: p.account, order: len(n.targets)}
		n.targets[p.target] = d
	}
	d.calls++
	moods := n.modes[p.kind]
	if len(moods) == 0 || d.calls > 1 || !p.first {
		return accepting, 0
	}
	m := moods[n.random.IntN(len(moods))]
	d.refused = m == refusing
	return m, time.Duration(n.random.IntN(40)) * time.Millisecond
}

// accept publishes the post, unless the network recognizes a repeat, and returns the
// network's id of the post.
func (n *network) accept(p post) (receipt string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	d := n.targets[p.target]
	if p.kind == idempotent && d.posts > 0 {
		return d.receipt
	}
	d.posts++
	n.published++
	d.contents = append(d.contents, p.content)
	d.receipt = fmt.Sprintf("%d.%06d", time.Now().Unix(), n.published)
	if p.kind == readable {
		n.channel[p.account] = append(n.channel[p.account], message{TS: d.receipt, Text: p.content, Metadata: slackMetadata(p.target)})
	}
	return d.receipt
}

// httpCall handles a call of the platform http.
func (n *network) httpCall(w http.ResponseWriter, r *http.Request, k kind) {
	var body struct {
		Content string `json:"content"`
		Attempt int    `json:"attempt"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	target := r.Header.Get("Idempotency-Key")
	if id, ok := n.publish(w, r, post{k, r.PathValue("account"), target, body.Content, body.Attempt == 1}); ok {
		fmt.Fprintf(w, `{"id":%q}`, id)
		n.at(responseReceived, target)
	}
}

// webhook receives the daemon's events.
func (n *network) webhook(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events[r.Header.Get("Webhook-Id")]++
	w.WriteHeader(http.StatusNoContent)
}

// seen returns a copy of the deliveries to each target.
func (n *network) seen() map[string]delivery {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make(map[string]delivery, len(n.targets))
	for id, d := range n.targets {
		out[id] = *d
	}
	return out
}

// webhookDeliveries returns how often the webhook received each event.
func (n *network) webhookDeliveries() map[string]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make(map[string]int, len(n.events))
	for id, times := range n.events {
		out[id] = times
	}
	return out
}
