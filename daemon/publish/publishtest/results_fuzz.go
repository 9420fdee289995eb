package publishtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
)

// transport is a network that responds without a connection.
type transport func(*http.Request) *http.Response

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r), nil }

// maxCount is the largest number that a reader reports.
const maxCount = 1 << 53

// FuzzResults reads results from responses with any body and any headers about limits. A
// reader reports numbers of the posts that were asked for, or an error, and never both. check
// is that of package cost.
func FuzzResults(f *testing.F, s ResultsSuite, check func(testing.TB, int) func()) {
	var id string
	for _, id = range s.ids() {
		recorder := transport(func(r *http.Request) *http.Response {
			response := httptest.NewRecorder()
			r = r.Clone(r.Context())
			r.Body = http.NoBody // as a server has it
			s.Network.ServeHTTP(response, r)
			f.Add(response.Code, "", response.Body.String())
			return response.Result()
		})
		p := s.New(&http.Client{Transport: recorder}).(publish.ResultsReader)
		_, _ = p.Results(f.Context(), publish.ResultsRequest{Account: s.Account, Credentials: s.Credentials("https://network.example"), IDs: []string{id}})
	}
	for _, body := range []string{"", "null", "[]", "{}", `{"error":{"code":100,"error_subcode":33,"message":"x"}}`, `{"error":{"code":100,"message":"metric[0] must be one of the following values: a"}}`} {
		f.Add(400, `{"call_count":99}`, body)
	}
	f.Add(s.MissingScope.Status, "1;2", s.MissingScope.Body)
	f.Fuzz(func(t *testing.T, status int, limit, body string) {
		defer check(t, len(limit)+len(body))()
		if status < 200 || status > 599 || strings.ContainsFunc(limit, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return
		}
		responder := transport(func(r *http.Request) *http.Response {
			header := http.Header{}
			for _, name := range []string{"X-RateLimit-Remaining", "X-RateLimit-Limit", "X-RateLimit-Reset", "RateLimit", "Retry-After", "X-App-Usage", "X-Business-Use-Case-Usage", "X-WP-Total"} {
				header.Set(name, limit)
			}
			return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, Body: io.NopCloser(bytes.NewBufferString(body)), ContentLength: int64(len(body)), Request: r}
		})
		p := s.New(&http.Client{Transport: responder}).(publish.ResultsReader)
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Account: s.Account, Credentials: s.Credentials("https://network.example"), IDs: []string{id}})
		checkReading(t, id, reading, err)
	})
}

// checkReading checks what every reading must be, whatever the network responds.
func checkReading(t *testing.T, id string, reading publish.ResultsReading, err error) {
	t.Helper()
	if err != nil && len(reading.Results) > 0 {
		t.Errorf("results %+v with the error %v", reading.Results, err)
	}
	for got, result := range reading.Results {
		for name, n := range numbers(result.Metrics) {
			if n < 0 || n > maxCount {
				t.Errorf("%s is %d", name, n)
			}
		}
		if got != id || result.Gone && result.Metrics.Given() {
			t.Errorf("result of %q: %+v", got, result)
		}
	}
	if reading.Requests < 1 || reading.Requests > 40 || time.Until(reading.NotBefore) > 31*24*time.Hour {
		t.Errorf("reading %+v", reading)
	}
}
