package publishtest

import (
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// ResultsSuite describes a network that reports results.
type ResultsSuite struct {
	New         func(*http.Client) publish.Publisher
	Account     schedctl.Account
	Credentials func(url string) publish.Credentials
	Network     http.Handler                // has the posts of Want, Gone and Hidden, and no other
	Want        map[string]schedctl.Metrics // by id; at least one post, and one with a number above 9
	Gone        string                      // the id of a post that the network does not have; empty if it cannot tell
	Hidden      string                      // the id of a post that the network does not show, but has; empty if there is no such thing

	// Counted means that the network lists what readers did, and that the reader counts it:
	// no response has a number of Want. Sums means that the numbers of Want are sums of those
	// in responses.
	Counted, Sums bool

	// NoHTTP means that the network speaks another protocol, so that faults of HTTP responses
	// can only refuse the connection.
	NoHTTP bool

	// MissingScope is the response of the network to a token without the permission of
	// ResultsRules.Scope, which must be empty if this is.
	MissingScope Recorded

	// Suspended are responses about an account that the network has closed, and others that
	// prove nothing about a post.
	Suspended []Recorded

	// Low is a header that says that less than a fifth of a limit remains, or nil.
	Low http.Header
}

// RunResults checks a [publish.ResultsReader]: what it reports, that no faulty response is a
// number or proves that a post is gone, and how many requests it counts.
func RunResults(t *testing.T, s ResultsSuite) {
	t.Helper()
	t.Run("numbers", s.testNumbers)
	t.Run("one by one", s.testOneByOne)
	t.Run("changed numbers", s.testChangedNumbers)
	t.Run("broken sums", s.testBrokenSums)
	t.Run("faults", s.testResultsFaults)
	t.Run("cut response", s.testCutResponse)
	t.Run("empty sets", s.testEmptySets)
	t.Run("rate limit", s.testResultsRateLimit)
	t.Run("low limit", s.testLowLimit)
	t.Run("missing scope", s.testResultsScope)
}

// reading reads posts of a network.
type reading func(ids ...string) (publish.ResultsReading, error)

// serve starts a network with a handler and returns a function that reads posts of it.
func (s ResultsSuite) serve(t *testing.T, handler http.Handler) (read reading, rules publish.ResultsRules) {
	t.Helper()
	var received atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received.Add(1)
		if r.Method != http.MethodGet {
			t.Errorf("a reading sent %s %s", r.Method, r.URL.Path)
		}
		handler.ServeHTTP(w, r)
	}))
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() { client.CloseIdleConnections(); server.Close() })
	p, ok := s.New(client).(publish.ResultsReader)
	if !ok {
		t.Fatal("the publisher reads no results")
	}
	rules = p.ResultsRules(s.Account)
	if rules.Batch < 1 || rules.Refused != "" || len(rules.Metrics) == 0 || !slices.IsSorted(rules.Points) || rules.Price < 0 || rules.Price > 0 && !rules.Off {
		t.Fatalf("rules %+v", rules)
	}
	return func(ids ...string) (publish.ResultsReading, error) {
		t.Helper()
		received.Store(0)
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Account: s.Account, Credentials: s.Credentials(server.URL), IDs: ids})
		if n := int(received.Load()); n != reading.Requests {
			t.Errorf("the reading counted %d requests and sent %d", reading.Requests, n)
		}
		if reading.Cost > rules.MostCost(len(ids)) {
			t.Errorf("the reading of %d posts cost %d, and the rules say at most %d", len(ids), reading.Cost, rules.MostCost(len(ids)))
		}
		if e, ok := errors.AsType[*publish.Error](err); err != nil && (!ok || e.Outcome != schedctl.OutcomeNotPublished) {
			t.Errorf("error %+v: want an error that says that nothing was published", err)
		}
		for id, result := range reading.Results {
			if !slices.Contains(ids, id) || result.Gone && result.Metrics.Given() {
				t.Errorf("result of %q: %+v", id, result)
			}
		}
		return reading, err
	}, rules
}

// ids returns the ids of the posts with numbers, in order.
func (s ResultsSuite) ids() []string { return slices.Sorted(maps.Keys(s.Want)) }

func (s ResultsSuite) testNumbers(t *testing.T) {
	t.Parallel()
	read, rules := s.serve(t, s.Network)
	ids, want := s.ids(), map[string]publish.Result{}
	for id, m := range s.Want {
		want[id] = publish.Result{Metrics: m}
		for _, n := range m.Named() {
			if *n.Value != nil && !slices.Contains(rules.Metrics, n.Name) {
				t.Errorf("the rules do not name %s", n.Name)
			}
		}
		if len(m.Other) > schedctl.MaxOtherMetrics {
			t.Errorf("%d other numbers", len(m.Other))
		}
	}
	if s.Gone != "" {
		ids, want[s.Gone] = append(ids, s.Gone), publish.Result{Gone: true}
	}
	if s.Hidden != "" {
		ids = append(ids, s.Hidden)
	}
	slices.Sort(ids)
	got := map[string]publish.Result{}
	for batch := range slices.Chunk(ids, rules.Batch) {
		reading, err := read(batch...)
		if err != nil && !slices.Contains(batch, s.Hidden) {
			t.Fatal(err)
		}
		maps.Copy(got, reading.Results)
		if !reading.NotBefore.IsZero() || len(reading.Dropped) > 0 || len(reading.Lacks) > 0 {
			t.Errorf("reading %+v", reading)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// testOneByOne checks that a batch with one post reports the same as a larger one.
func (s ResultsSuite) testOneByOne(t *testing.T) {
	t.Parallel()
	read, _ := s.serve(t, s.Network)
	for id, want := range s.Want {
		reading, err := read(id)
		if diff := cmp.Diff(map[string]publish.Result{id: {Metrics: want}}, reading.Results); diff != "" || err != nil {
			t.Errorf("%v, results (-want +got):\n%s", err, diff)
		}
	}
	if s.Gone != "" {
		if reading, err := read(s.Gone); err != nil || !reading.Results[s.Gone].Gone {
			t.Errorf("a post that is gone: %+v, %v", reading, err)
		}
	}
	if s.Hidden != "" {
		if reading, _ := read(s.Hidden); len(reading.Results) > 0 {
			t.Errorf("a hidden post: %+v", reading)
		}
	}
}
