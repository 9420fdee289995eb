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

// receiverRole is the argument that makes this program a fake network or a receiver of
// webhooks: a server that records its calls with their times.
const receiverRole = "receiver"

// arrival is one recorded call.
type arrival struct {
	Key   string    `json:"key"`   // content of a post, or id of an event
	Since time.Time `json:"since"` // due time of the post, or time of the event
	At    time.Time `json:"at"`    // when it arrived
}

// late returns the delay of the arrival.
func (a arrival) late() time.Duration { return a.At.Sub(a.Since) }

// keys returns the keys of arrivals.
func keys(arrived []arrival) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, a := range arrived {
			if !yield(a.Key) {
				return
			}
		}
	}
}

// latenesses returns the delays of arrivals.
func latenesses(arrived []arrival) []time.Duration {
	late := make([]time.Duration, len(arrived))
	for i, a := range arrived {
		late[i] = a.late()
	}
	return late
}

// A receiver accepts calls on every path. It does not record calls to these, and
// responds late or never.
const (
	slowPath = "/slow" // responds after [slowResponse]
	deadPath = "/dead" // responds never, until the caller gives up
)

const slowResponse = 30 * time.Second

// arrivalLog is the record of a receiver's calls.
type arrivalLog struct {
	mu       sync.Mutex // mu guards arrivals
	arrivals []arrival
}

// runReceiver serves until its standard input is closed. GET /count returns the number
// of calls, and GET /arrivals?from=N all calls from that number on.
func runReceiver() error {
	l := new(arrivalLog)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", l.record)
	(&statusLog{log: l}).register(mux)
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

// record records a publish call or an event.
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

// since returns the calls after the first n.
func (l *arrivalLog) since(n int) []arrival {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.arrivals[min(n, len(l.arrivals)):len(l.arrivals):len(l.arrivals)]
}

// respondAfter responds after a delay, unless the caller has gone away.
func respondAfter(w http.ResponseWriter, r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
		w.WriteHeader(http.StatusNoContent)
	case <-r.Context().Done():
	}
}

// receiver is a receiver in a child process.
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

// count returns the number of calls.
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

// arrivalTimeout is how long to wait without any arrival: longer than the first pause
// before a retry.
const arrivalTimeout = 20 * time.Second

// knownPendingTimeout is the same while a daemon reports pending posts: longer than the
// second pause.
const knownPendingTimeout = 2 * time.Minute

// await returns the calls after the first n, as soon as the wanted number has arrived,
// or after a timeout.
func (r *receiver) await(n, want int) ([]arrival, error) {
	return r.awaitMatching(awaitRequest{after: n, want: want})
}

// awaitRequest describes calls to wait for.
type awaitRequest struct {
	after, want int
	match       func(arrival) bool   // selects the calls; nil for all
	more        func() (bool, error) // reports, after a timeout, whether more calls are pending; nil if unknown
}

// awaitMatching is await for selected calls; others are not returned.
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
