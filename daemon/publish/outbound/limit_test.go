package outbound_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func TestLowUntil(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0).UTC()
	for _, tt := range []struct {
		name   string
		header map[string]string
		want   time.Duration // 0 for no time
	}{
		{"none", nil, 0},
		{"a fifth", map[string]string{"X-RateLimit-Limit": "300", "X-RateLimit-Remaining": "60", "X-RateLimit-Reset": "100"}, 0},
		{"less, in seconds", map[string]string{"X-RateLimit-Limit": "300", "X-RateLimit-Remaining": "59", "X-RateLimit-Reset": "100"}, 100 * time.Second},
		{"a time", map[string]string{"X-RateLimit-Limit": "300", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "2027-01-15T08:05:00Z"}, 300 * time.Second},
		{"Unix seconds of X", map[string]string{"X-Rate-Limit-Limit": "900", "X-Rate-Limit-Remaining": "1", "X-Rate-Limit-Reset": "1800000060"}, time.Minute},
		{"Bluesky", map[string]string{"RateLimit-Limit": "3000", "RateLimit-Remaining": "10", "RateLimit-Reset": "1800000300"}, 5 * time.Minute},
		{"Discord", map[string]string{"X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1900000000", "X-RateLimit-Reset-After": "1.5"}, 1500 * time.Millisecond},
		{"one header", map[string]string{"RateLimit": "limit=100, remaining=3, reset=50"}, 50 * time.Second},
		{"one header, enough", map[string]string{"RateLimit": "limit=100, remaining=30, reset=50"}, 0},
		{"without an end", map[string]string{"RateLimit-Limit": "100, 100;w=60", "RateLimit-Remaining": "3"}, time.Hour},
		{"an end in the past", map[string]string{"X-Rate-Limit-Limit": "9", "X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": "1700000000"}, 0},
		{"no numbers", map[string]string{"X-RateLimit-Limit": "many", "X-RateLimit-Remaining": "NaN", "X-RateLimit-Reset": "1"}, 0},
		{"no limit", map[string]string{"X-RateLimit-Limit": "0", "X-RateLimit-Remaining": "0"}, 0},
	} {
		h := http.Header{}
		for name, value := range tt.header {
			h.Set(name, value)
		}
		got := outbound.LowUntil(h, now)
		if want := now.Add(tt.want); tt.want == 0 != got.IsZero() || tt.want != 0 && !got.Equal(want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
