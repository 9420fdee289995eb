package postlist

import (
	"context"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// ReadRow reads the post or the series of a row again.
func ReadRow(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
	if !IsSeries(p) {
		return c.Post(ctx, p.ID)
	}
	s, err := c.Series(ctx, p.ID)
	return SeriesRow(s), err
}
