package linkcard

import (
	"context"
	"io"
	"math"
	"net/http"

	"github.com/schedctl/schedctl/daemon/media/variant"
)

// NewPatient is [New] without a limit of time, so that a busy machine changes no result.
func NewPatient(client *http.Client, fitter *variant.Fitter) *Fetcher {
	f := New(client, fitter, "test")
	f.timeLimit = math.MaxInt64
	return f
}

// Fit is fit for tests.
func (f *Fetcher) Fit(ctx context.Context, r io.Reader) (*Thumb, error) { return f.fit(ctx, "ws_1", r) }
