package linkcard

import (
	"context"
	"io"
)

// Fit is fit for tests.
func (f *Fetcher) Fit(ctx context.Context, r io.Reader) (*Thumb, error) { return f.fit(ctx, "ws_1", r) }
