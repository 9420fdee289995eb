package main

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// receiverRole is the argument that makes this program a fake network, or a
// receiver of webhooks: a server that notes when what arrives.
const receiverRole = "receiver"

// arrival is one call that a receiver was given.
type arrival struct {
	Key   string    `json:"key"`   // the content of a post, the id of an event
	Since time.Time `json:"since"` // when the post was due, or the event happened
	At    time.Time `json:"at"`    // when it arrived
}

// late returns how long after its time it arrived.
func (a arrival) late() time.Duration { return a.At.Sub(a.Since) }

// keys returns what arrived, by key.
func keys(arrived []arrival) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, a := range arrived {
			if !yield(a.Key) {
				return
			}
		}
	}
}

// latenesses returns how late what arrived was.
func latenesses(arrived []arrival) []time.Duration {
	late := make([]time.Duration, len(arrived))
	for i, a := range arrived {
		late[i] = a.late()
	}
	return late
}

// A receiver takes calls on every path; on these it does not note them, and
// answers late or never.
const (
	slowPath = "/slow" // the answer takes [slowResponse]
	deadPath = "/dead" // until the caller gives up
)

const slowResponse = 30 * time.Second

// arrivalLog is what a receiver has noted.
type arrivalLog struct {
	mu       sync.Mutex // mu guards arrivals
	arrivals []arrival
}

// runReceiver serves until its standard input ends. GET /count tells how many
// calls there were, GET /arrivals?from=N all since the one of that number.
func runReceiver() error {
	l := new(arrivalLog)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", l.record)
	mux.HandleFunc("POST "+slowPath, func(w http.ResponseWriter, r *http.Request) { respondAfter(w, r, slowResponse) })
	mux.HandleFunc("POST "+deadPath, func(w http.ResponseWriter, r *http.Request) { respondAfter(w, r, time.Hour) })
	mux.HandleFunc("GET /count", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, len(l.since(0))) })
	mux.HandleFunc("GET /arrivals", func(w http.ResponseWriter, r *http.Request) {
		from, err := strconv.Atoi(r.FormValue("from"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		json.NewEncoder(w).Encode(l.since(from))
	})
	return child.Serve(mux)
}

// record takes a publish call or an event.
func (l *arrivalLog) record(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	var body struct {
		ID        string    `json:"id"`
		Content   string    `json:"content"`    // of a post
		PublishAt time.Time `json:"publish_at"` // of a post
		CreatedAt time.Time `json:"created_at"` // of an event
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := arrival{Key: body.Content, Since: body.PublishAt, At: now}
	if a.Key == "" {
		a.Key, a.Since = body.ID, body.CreatedAt
	}
	l.mu.Lock()
	l.arrivals = append(l.arrivals, a)
	l.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// since returns what was noted after the first n.
func (l *arrivalLog) since(n int) []arrival {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.arrivals[min(n, len(l.arrivals)):len(l.arrivals):len(l.arrivals)]
}

// respondAfter answers after a time, unless the caller has gone.
func respondAfter(w http.ResponseWriter, r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
		w.WriteHeader(http.StatusNoContent)
	case <-r.Context().Done():
	}
}

// receiver is a receiver that runs as a child.
type receiver struct {
	*child.Role
	url string
}

func startReceiver() (*receiver, error) {
	r, err := child.StartRole(receiverRole)
	if err != nil {
		return nil, err
	}
	return &receiver{r, "http://" + r.Address}, nil
}

// count returns how many calls have arrived.
func (r *receiver) count() (n int, err error) { return n, getJSON(r.url+"/count", &n) }

// since returns the calls after the first n.
func (r *receiver) since(n int) (a []arrival, err error) {
	return a, getJSON(r.url+"/arrivals?from="+strconv.Itoa(n), &a)
}

func getJSON(url string, into any) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(into)
}

// arrivalTimeout is for how long nothing may arrive before no more is waited for: longer
// than the first pause before a retry.
const arrivalTimeout = 20 * time.Second

// knownPendingTimeout is that with somebody who says that more will come: longer than the
// second pause.
const knownPendingTimeout = 2 * time.Minute

// await returns the calls after the first n, as soon as there are as many as
// wanted, or else those that there are when no more come.
func (r *receiver) await(n, want int) ([]arrival, error) {
	return r.awaitMatching(awaitRequest{after: n, want: want})
}

// awaitRequest is calls that are waited for.
type awaitRequest struct {
	after, want int
	match       func(arrival) bool   // others do not count; nil for all
	more        func() (bool, error) // asked, when none has come for long, whether more will; nil when nobody knows
}

// awaitMatching is await for calls of a kind; others are not returned.
func (r *receiver) awaitMatching(w awaitRequest) (found []arrival, err error) {
	const often = 20 * time.Millisecond
	last, asked, before := time.Now(), time.Now(), 0
	for ; ; time.Sleep(often) {
		there, err := r.count()
		if err != nil {
			return nil, err
		}
		if there > before {
			last, asked, before = time.Now(), time.Now(), there
		}
		late := time.Since(asked) > arrivalTimeout
		if late && w.more != nil && time.Since(last) < knownPendingTimeout {
			more, err := w.more()
			if err != nil {
				return nil, err
			}
			late, asked = !more, time.Now()
		}
		if there-w.after < w.want && !late {
			continue
		}
		found, err = r.since(w.after)
		if err != nil {
			return nil, err
		}
		if w.match != nil {
			found = slices.DeleteFunc(found, func(a arrival) bool { return !w.match(a) })
		}
		if len(found) >= w.want || late {
			return found, nil
		}
	}
}
