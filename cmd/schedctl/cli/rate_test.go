package cli

import (
	"testing"

	"github.com/schedctl/schedctl/daemon/api"
)

func TestRates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]api.RateLimit{
		"20/s":    {PerSecond: 20},
		"20/s:40": {PerSecond: 20, Burst: 40},
		"600/m":   {PerSecond: 10},
		"3600/h":  {PerSecond: 1},
	} {
		var r RateFlag
		if err := r.Set(text); err != nil || r.Limit != want || r.String() != text {
			t.Errorf("%q is %+v, %q, %v", text, r.Limit, r.String(), err)
		}
	}
	for _, text := range []string{"", "20", "20/", "/s", "20/d", "0/s", "-1/s", "1.5/s", "20/s:", "20/s:0", "20/s:x", "20/s:4:4", "20 /s", "99999999999999999999/s"} {
		var r RateFlag
		if err := r.Set(text); err == nil {
			t.Errorf("%q was accepted as %+v", text, r.Limit)
		}
	}
}
