package fetch_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/scripts/cost"
)

func TestWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cacheControl, age, retryAfter string
		want                          time.Duration
	}{
		{"", "", "", 0},
		{"max-age=600", "", "", 10 * time.Minute},
		{`public, MAX-AGE="600"`, "60", "", 9 * time.Minute},
		{"max-age=600", "9000", "", 0},
		{"max-age=600, no-store", "", "", 0},
		{"no-cache", "", "60", time.Minute},
		{"max-age=99999999999", "", "", fetch.MaxWait},
		{"max-age=-1", "-5", "", 0},
		{"max-age=60", "", "Fri, 01 May 2026 12:05:00 GMT", 5 * time.Minute},
		{"", "", "Fri, 01 May 2020 12:05:00 GMT", 0},
		{"", "", "soon", 0},
	} {
		if got := fetch.Wait(header(c.cacheControl, c.age, c.retryAfter), now); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// FuzzWait guards that no header puts off the next fetch for more than a day.
func FuzzWait(f *testing.F) {
	f.Add("max-age=600, public", "60", "120")
	f.Add("no-cache", "", "Fri, 01 May 2026 12:05:00 GMT")
	f.Fuzz(func(t *testing.T, cacheControl, age, retryAfter string) {
		defer cost.Check(t, len(cacheControl)+len(age)+len(retryAfter))()
		if got := fetch.Wait(header(cacheControl, age, retryAfter), now); got < 0 || got > fetch.MaxWait {
			t.Errorf("%q, %q, %q: got %v", cacheControl, age, retryAfter, got)
		}
	})
}

// header returns the headers of a response.
func header(cacheControl, age, retryAfter string) http.Header {
	return http.Header{"Cache-Control": {cacheControl}, "Age": {age}, "Retry-After": {retryAfter}}
}
