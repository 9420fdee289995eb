package publishtest_test

import (
	"context"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

func TestStagingFake(t *testing.T) {
	t.Parallel()
	var fake *publishtest.StagingFake
	publishtest.RunStages(t, publishtest.StageSuite{
		Start: func(*testing.T) (publish.Stager, publish.Request) {
			fake = publishtest.NewStagingFake("fake")
			fake.OnStaged = func(_ context.Context, n int, _ string) (bool, error) { return n%3 == 0, nil }
			return fake, publish.Request{TargetID: publishtest.TargetID, Key: publishtest.TargetID, Content: "words"}
		},
		Posts:   func() int { return len(fake.Listed()) },
		Unknown: "stage-99",
	})
}
