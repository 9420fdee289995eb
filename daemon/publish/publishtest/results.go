package publishtest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

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
	Network     http.Handler                // has the posts of Want and no other
	Want        map[string]schedctl.Metrics // by id; at least one post
	Gone        string                      // the id of a post that the network does not have; empty if it cannot tell
}

// RunResults checks a [publish.ResultsReader]: what it reports, that no faulty response is a
// number or proves that a post is gone, and how many requests it counts.
func RunResults(t *testing.T, s ResultsSuite) {
	t.Helper()
	t.Run("numbers", s.testNumbers)
	t.Run("faults", s.testResultsFaults)
	t.Run("rate limit", s.testResultsRateLimit)
}

// serve starts a network with a handler and returns a function that reads posts of it.
func (s ResultsSuite) serve(t *testing.T, handler http.Handler) (read func(ids ...string) (publish.ResultsReading, error), rules publish.ResultsRules) {
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
	if rules.Batch < 1 || rules.Refused != "" || len(rules.Metrics) == 0 || !slices.IsSorted(rules.Points) {
		t.Fatalf("rules %+v", rules)
	}
	return func(ids ...string) (publish.ResultsReading, error) {
		t.Helper()
		received.Store(0)
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Account: s.Account, Credentials: s.Credentials(server.URL), IDs: ids})
		if n := int(received.Load()); n != reading.Requests {
			t.Errorf("the reading counted %d requests and sent %d", reading.Requests, n)
		}
		if e, ok := errors.AsType[*publish.Error](err); err != nil && (!ok || e.Outcome != schedctl.OutcomeNotPublished) {
			t.Errorf("error %+v: want an error that says that nothing was published", err)
		}
		return reading, err
	}, rules
}

func (s ResultsSuite) testNumbers(t *testing.T) {
	t.Parallel()
	read, rules := s.serve(t, s.Network)
	var ids []string
	want := map[string]publish.Result{}
	for id, m := range s.Want {
		ids, want[id] = append(ids, id), publish.Result{Metrics: m}
		for _, n := range m.Named() {
			if *n.Value != nil && !slices.Contains(rules.Metrics, n.Name) {
				t.Errorf("the rules do not name %s", n.Name)
			}
		}
	}
	if s.Gone != "" {
		ids, want[s.Gone] = append(ids, s.Gone), publish.Result{Gone: true}
	}
	slices.Sort(ids)
	got := map[string]publish.Result{}
	for batch := range slices.Chunk(ids, rules.Batch) {
		reading, err := read(batch...)
		if err != nil {
			t.Fatal(err)
		}
		for id, result := range reading.Results {
			got[id] = result
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// testResultsFaults sends responses that say nothing about a post, one kind at a time.
func (s ResultsSuite) testResultsFaults(t *testing.T) {
	t.Parallel()
	const page, object = "<!DOCTYPE html><title>Not found</title>", `{"error":"whatever"}`
	for _, f := range []struct {
		status int
		body   string
	}{
		{200, page}, {200, `{"posts":`}, {200, ""}, {404, page}, {410, page}, {401, object}, {403, object}, {403, page}, {500, object}, {502, page}, {503, page}, {302, ""},
	} {
		read, _ := s.serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(f.status)
			io.WriteString(w, f.body)
		}))
		for id := range s.Want {
			if reading, err := read(id); err == nil || len(reading.Results) > 0 {
				t.Errorf("%d %q: results %v, error %v; want an error and no result", f.status, f.body, reading.Results, err)
			}
		}
	}
}

func (s ResultsSuite) testResultsRateLimit(t *testing.T) {
	t.Parallel()
	read, _ := s.serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":"Too many requests"}`)
	}))
	for id := range s.Want {
		_, err := read(id)
		e, _ := errors.AsType[*publish.Error](err)
		if e == nil || e.Kind != schedctl.KindRateLimited || time.Until(e.RetryAt) < time.Minute {
			t.Errorf("error %+v, want one of kind rate_limited with a time", err)
		}
	}
}
