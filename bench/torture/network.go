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

// kind is what a network does about a repeated call.
type kind string

const (
	idempotent kind = "idempotent" // it recognises the repeat by its key
	readable   kind = "readable"   // it publishes again, but can be asked first what it has
	blind      kind = "blind"      // it publishes again, and nobody can ask
)

// kinds are all there are.
var kinds = []kind{idempotent, readable, blind}

// networkMode is how a network takes a call that publishes.
type networkMode int

const (
	accepting          networkMode = iota // accepts at once
	acceptingLate                         // accepts, and takes its time to answer
	refusing                              // with a 4xx that is final
	rateLimiting                          // with 429 and Retry-After
	unavailableMode                       // with 503 and Retry-After
	droppingConnection                    // accepts, and cuts the connection
	hanging                               // accepts, and never answers
)

// killPoint is an instant in the life of a post at which a daemon can be killed.
type killPoint int

const (
	clientAcknowledged killPoint = iota // a client has its answer
	callReceived                        // a call has reached the network, which has not accepted yet
	callAccepted                        // the network has the post, the daemon has no answer
	responseReceived                    // the daemon has been answered
	killPoints
)

// network is the other side: a server that plays networks of every kind, an
// account at each path, and counts what reaches it.
type network struct {
	url    string
	server *http.Server
	served chan error
	at     func(killPoint, string) // is told what happens with a target; returns soon

	mu          sync.Mutex // mu guards what follows
	random      *rand.Rand
	modes       map[kind][]networkMode // one of them for the first call for a target; none means answers
	targets     map[string]*delivery
	channel     map[string][]message // of each readable account, the oldest first
	events      map[string]int       // how often the webhook was told of each
	stopHanging chan struct{}        // closed when calls that hang are to end
}

// delivery is what a network saw of a target.
type delivery struct {
	kind     kind
	account  string
	calls    int      // that reached the network
	order    int      // of the first of them among those for other targets
	posts    int      // that the public sees
	contents []string // of the posts
	receipt  string   // what it calls the last of them
	refused  bool     // for good
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

// setModes says how the networks of a kind take calls from now on: one of the
// moods for the first call for each target, and none of them for repeats, so that
// whatever is sent again arrives. Without moods they answer.
func (n *network) setModes(k kind, moods ...networkMode) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.modes[k] = moods
}

// acceptAll lets all networks answer from now on, and ends the calls that hang.
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

// post is one call that publishes.
type post struct {
	kind                     kind
	account, target, content string
	first                    bool // the daemon's first attempt, as far as it says
}

// publish plays a network's part in a call. When the call is to be answered with
// success, it returns what the network calls the post; else it has answered, or
// must not.
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

// receive counts a call and says how it is taken.
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

// accept publishes, unless the network recognises a repeat, and returns what the
// network calls the post.
func (n *network) accept(p post) (receipt string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	d := n.targets[p.target]
	if p.kind == idempotent && d.posts > 0 {
		return d.receipt
	}
	d.posts++
	d.contents = append(d.contents, p.content)
	d.receipt = fmt.Sprintf("%d.%06d", time.Now().Unix(), len(n.targets))
	if p.kind == readable {
		n.channel[p.account] = append(n.channel[p.account], message{TS: d.receipt, Text: p.content, Metadata: slackMetadata(p.target)})
	}
	return d.receipt
}

// httpCall is a call of the platform http.
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

// webhook is told of the daemon's events.
func (n *network) webhook(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events[r.Header.Get("Webhook-Id")]++
	w.WriteHeader(http.StatusNoContent)
}

// seen returns a copy of what the networks saw of each target.
func (n *network) seen() map[string]delivery {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make(map[string]delivery, len(n.targets))
	for id, d := range n.targets {
		out[id] = *d
	}
	return out
}

// webhookDeliveries returns how often the webhook was told of each event.
func (n *network) webhookDeliveries() map[string]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make(map[string]int, len(n.events))
	for id, times := range n.events {
		out[id] = times
	}
	return out
}
