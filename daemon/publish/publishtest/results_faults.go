package publishtest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// numbers returns the numbers of a post, by name.
func numbers(m schedctl.Metrics) map[string]int64 {
	list := maps.Clone(m.Other)
	if list == nil {
		list = map[string]int64{}
	}
	for _, n := range m.Named() {
		if *n.Value != nil {
			list[n.Name] = **n.Value
		}
	}
	return list
}

// changing serves a network with each number of Want above 9 replaced.
func (s ResultsSuite) changing(replacement string) http.Handler {
	var tokens []string
	for _, m := range s.Want {
		for _, n := range numbers(m) {
			if n > 9 {
				tokens = append(tokens, strconv.FormatInt(n, 10))
			}
		}
	}
	slices.Sort(tokens)
	return s.replacing(strings.Join(slices.Compact(tokens), "|"), replacement)
}

// replacing serves a network with the numbers that match an expression replaced.
func (s ResultsSuite) replacing(numbers, replacement string) http.Handler {
	number := regexp.MustCompile(`(:\s*)(?:` + numbers + `)\b`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response := httptest.NewRecorder()
		s.Network.ServeHTTP(response, r)
		maps.Copy(w.Header(), response.Header())
		w.WriteHeader(response.Code)
		w.Write(number.ReplaceAll(response.Body.Bytes(), []byte("${1}"+replacement)))
	})
}

// testChangedNumbers checks that a number that falls to 0 is 0, and that one that is no
// count is no number: never 0, never another one.
func (s ResultsSuite) testChangedNumbers(t *testing.T) {
	t.Parallel()
	if s.Counted || s.Sums || s.NoHTTP {
		return
	}
	for _, replacement := range []string{"0", "null", "-3", "1e300", "9223372036854775808", "3.5", `"many"`, "true", "{}"} {
		read, _ := s.serve(t, s.changing(replacement))
		fell := false
		for id, m := range s.Want {
			reading, _ := read(id)
			want := numbers(m)
			for name, n := range numbers(reading.Results[id].Metrics) {
				zero := n == 0 && replacement == "0"
				if fell = fell || zero && want[name] > 0; n != want[name] && !zero {
					t.Errorf("%s instead of the numbers above 9: %s of %s is %d, and was %d", replacement, name, id, n, want[name])
				}
			}
			if reading.Results[id].Gone {
				t.Errorf("%s instead of the numbers above 9: %s is gone", replacement, id)
			}
		}
		if replacement == "0" && !fell {
			t.Error("no number fell to 0")
		}
	}
}

// wantNothing checks that a response is an error and no result.
func (s ResultsSuite) wantNothing(t *testing.T, f Recorded) *publish.Error {
	t.Helper()
	read, _ := s.serve(t, f)
	id := s.ids()[0]
	reading, err := read(id)
	if err == nil || len(reading.Results) > 0 {
		t.Errorf("%d %.100q: results %v, error %v; want an error and no result", f.Status, f.Body, reading.Results, err)
	}
	e, _ := errors.AsType[*publish.Error](err)
	return e
}

// testResultsFaults sends responses that say nothing about a post, one kind at a time.
func (s ResultsSuite) testResultsFaults(t *testing.T) {
	t.Parallel()
	const page, object = "<!DOCTYPE html><title>Not found</title>", `{"error":"whatever"}`
	for _, f := range []Recorded{
		{Status: 200, Body: page}, {Status: 200, Body: `{"posts":`}, {Status: 200}, {Status: 404, Body: page}, {Status: 404}, {Status: 410, Body: page},
		{Status: 410}, {Status: 401, Body: object}, {Status: 401, Body: page}, {Status: 403, Body: object}, {Status: 403, Body: page}, {Status: 403},
		{Status: 500, Body: object}, {Status: 502, Body: page}, {Status: 503, Body: page}, {Status: 302}, {Status: 301, Body: page}, {Status: 204},
	} {
		s.wantNothing(t, f)
	}
	for _, f := range s.Suspended {
		s.wantNothing(t, f)
	}
}

// testBrokenSums checks that a sum with one part that is no count is no number.
func (s ResultsSuite) testBrokenSums(t *testing.T) {
	t.Parallel()
	if !s.Sums {
		return
	}
	for _, replacement := range []string{"null", "-3", "1e300", "9223372036854775808", "3.5", `"many"`, "{}"} {
		read, _ := s.serve(t, s.replacing(`[1-9][0-9]`, replacement))
		for id := range s.Want {
			reading, _ := read(id)
			if m := reading.Results[id]; m.Metrics.Reactions != nil && *m.Metrics.Reactions != 0 || m.Gone {
				t.Errorf("%s instead of the numbers: %s is %+v", replacement, id, m)
			}
		}
	}
}

// testCutResponse ends each response of the network in its middle.
func (s ResultsSuite) testCutResponse(t *testing.T) {
	t.Parallel()
	if s.NoHTTP {
		return
	}
	read, _ := s.serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response := httptest.NewRecorder()
		s.Network.ServeHTTP(response, r)
		body := response.Body.Bytes()
		maps.Copy(w.Header(), response.Header())
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(response.Code)
		w.Write(body[:len(body)/2])
	}))
	for _, id := range append(s.ids(), s.Gone) {
		if id == "" {
			continue
		}
		if reading, err := read(id); err == nil || len(reading.Results) > 0 {
			t.Errorf("a cut response: results %v, error %v; want an error and no result", reading.Results, err)
		}
	}
}

// testEmptySets sends lists and objects without posts. They are no numbers, and those that
// are not of this network do not prove that a post is gone.
func (s ResultsSuite) testEmptySets(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`[]`, `{}`, `null`, `{"data":[]}`, `{"data":{}}`, `{"data":null}`, `{"elements":[]}`, `{"chunk":[]}`, `{"posts":null}`, `{"messages":[]}`} {
		read, _ := s.serve(t, Recorded{Status: 200, Body: body})
		reading, _ := read(s.ids()[0])
		for id, result := range reading.Results {
			if result.Gone || len(numbers(result.Metrics)) > 0 {
				t.Errorf("%s: %s is %+v", body, id, result)
			}
		}
	}
}

// testResultsRateLimit sends the headers with which networks say when to come back.
func (s ResultsSuite) testResultsRateLimit(t *testing.T) {
	t.Parallel()
	at := time.Now().Add(2 * time.Minute)
	for name, value := range map[string]string{
		"Retry-After": "120", "Retry-After ": at.UTC().Format(http.TimeFormat), "Retry-After  ": strconv.FormatInt(at.Unix(), 10), "Retry-After   ": "120.0",
		"X-RateLimit-Reset": at.UTC().Format(time.RFC3339), "X-RateLimit-Reset ": strconv.FormatInt(at.Unix(), 10), "RateLimit-Reset": "120",
	} {
		header := map[string]string{strings.TrimSpace(name): value}
		e := s.wantNothing(t, Recorded{Status: http.StatusTooManyRequests, Header: header, Body: `{"error":"Too many requests"}`})
		if e == nil || e.Kind != schedctl.KindRateLimited || time.Until(e.RetryAt) < time.Minute || time.Until(e.RetryAt) > 3*time.Minute {
			t.Errorf("%s: %s: error %+v, want one of kind rate_limited in two minutes", name, value, e)
		}
	}
	if e := s.wantNothing(t, Recorded{Status: http.StatusTooManyRequests, Body: "slow down"}); e == nil || e.Kind != schedctl.KindRateLimited {
		t.Errorf("without a time: error %+v", e)
	}
}

// testLowLimit checks that a network that says that less than a fifth of a limit remains is
// not read again at once, and is read if more remains.
func (s ResultsSuite) testLowLimit(t *testing.T) {
	t.Parallel()
	if s.Low == nil {
		return
	}
	read, _ := s.serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), s.Low)
		s.Network.ServeHTTP(w, r)
	}))
	reading, err := read(s.ids()[0])
	if err != nil || len(reading.Results) != 1 || time.Until(reading.NotBefore) <= 0 {
		t.Errorf("%+v, %v; want a result, and a time of the next reading", reading, err)
	}
}

// testResultsScope checks that a missing permission is told apart from other refusals,
// because only a person can add it, and that it does not hold the account.
func (s ResultsSuite) testResultsScope(t *testing.T) {
	t.Parallel()
	_, rules := s.serve(t, s.Network)
	if s.MissingScope.Status == 0 {
		if rules.Scope != "" {
			t.Errorf("the suite has no response to a token without %s", rules.Scope)
		}
		return
	}
	e := s.wantNothing(t, s.MissingScope)
	if e == nil || e.Code != string(publish.HoldScope) || e.Kind == schedctl.KindAuth {
		t.Errorf("error %+v, want the code %s and another kind than %s", e, publish.HoldScope, fmt.Sprint(schedctl.KindAuth))
	}
}
