package share

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func TestUsed(t *testing.T) {
	t.Parallel()
	at := apiv1.NewTime(time.Date(2036, 6, 1, 9, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		share apiv1.Share
		want  string
	}{
		{apiv1.Share{}, "never"},
		{apiv1.Share{Uses: 2, LastUsedAt: at}, "2×, 2036-06-01T09:00:00Z"},
		{apiv1.Share{LastUsedAt: at}, "2036-06-01T09:00:00Z"}, // only the page of a post was opened
	} {
		if got := used(&cli.App{}, c.share); got != c.want {
			t.Errorf("used %d times, last %v: %q, not %q", c.share.Uses, c.share.LastUsedAt, got, c.want)
		}
	}
}
