package deliver_test

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// newStagingNetwork returns a network that processes each staged post for some seconds.
func newStagingNetwork() *publishtest.StagingFake {
	n := publishtest.NewStagingFake("staging")
	n.OnStaged = func(_ context.Context, n int, _ string) (bool, error) { return n%3 == 0, nil }
	return n
}

// freezingStager is freezingPublisher for a network that publishes in two steps.
type freezingStager struct {
	freezingPublisher
	network *publishtest.StagingFake
}

func (p freezingStager) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	return p.publishTo(ctx, r, p.network.Publish)
}

func (p freezingStager) Stage(ctx context.Context, r publish.Request) (publish.Stage, error) {
	if !p.waitThawed() {
		return publish.Stage{}, p.ended.Err()
	}
	s, err := p.network.Stage(ctx, r)
	if !p.waitThawed() {
		return publish.Stage{}, p.ended.Err()
	}
	return s, err
}

func (p freezingStager) Staged(ctx context.Context, r publish.Request, s publish.Stage) (publish.Stage, error) {
	if !p.waitThawed() {
		return s, p.ended.Err()
	}
	return p.network.Staged(ctx, r, s)
}

func (p freezingStager) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	if !p.waitThawed() {
		return schedctl.Receipt{}, false, p.ended.Err()
	}
	return p.network.Find(ctx, r, since)
}

// disturbStages makes a network with stages forget them at some time.
func (f *fleet) disturbStages(random *rand.Rand) {
	if random.IntN(3) == 0 {
		time.AfterFunc(time.Duration(random.IntN(60_000))*time.Millisecond, f.staging.LoseStages)
	}
}
