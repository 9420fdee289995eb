package publishtest

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Flaky returns a network that cuts one connection in ten before it handles the request,
// and one in ten after that. The seed determines which.
func Flaky(network http.Handler, seed uint64) http.HandlerFunc {
	var mu sync.Mutex // mu guards random
	random := rand.New(rand.NewPCG(seed, 0))
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n := random.IntN(10)
		mu.Unlock()
		switch n {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			network.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		network.ServeHTTP(w, r)
	}
}

// PublishUntilKnown publishes a request as package deliver does. After an unknown
// outcome it asks the network, and repeats the request if the network does not have the
// post. It calls interrupted after each failed attempt.
func PublishUntilKnown(t *testing.T, p publish.Publisher, r publish.Request, interrupted func()) schedctl.Receipt {
	t.Helper()
	const limit = 1000
	for r.Attempt = 1; r.Attempt < limit; r.Attempt++ {
		receipt, err := p.Publish(t.Context(), r)
		if err == nil {
			return receipt
		}
		interrupted()
		for asked := 0; publish.AsError(err).Outcome != schedctl.OutcomeNotPublished && asked < limit; asked++ {
			receipt, found, askErr := p.(publish.Finder).Find(t.Context(), r, time.Time{})
			if found {
				return receipt
			}
			if askErr == nil {
				break
			}
		}
	}
	t.Fatal("the request was not published")
	return schedctl.Receipt{}
}
