package publishtest_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
)

// holdsForAll takes every 401 and 403 for a refusal of the account, as publishers once did.
type holdsForAll struct {
	publish.Publisher
	client   *http.Client
	platform string
}

func (p holdsForAll) Platform() string        { return p.platform }
func (p holdsForAll) Fields() []publish.Field { return nil }

func (p holdsForAll) Connect(context.Context, publish.Connection) (publish.Profile, error) {
	return publish.Profile{Username: "alice"}, nil
}

func (p holdsForAll) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Credentials["url"], http.NoBody)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	defer response.Body.Close()
	kind := schedctl.KindContent
	if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden {
		kind = schedctl.KindAuth
	}
	return schedctl.Receipt{}, &publish.Error{Kind: kind, Message: "refused", HTTPStatus: response.StatusCode, Outcome: schedctl.OutcomeNotPublished}
}

// Each platform has recordings, but for one that sends no requests.
func TestRecordingsOfAllPlatforms(t *testing.T) {
	t.Parallel()
	const sendsNone = "feed"
	for platform := range networks.Publishers(nil) {
		if _, recorded := publishtest.Recordings[platform]; recorded == (platform == sendsNone) {
			t.Errorf("%s has recordings: %v", platform, recorded)
		}
	}
}

// The lists of each platform show a publisher that holds the account for every 403.
func TestRecordingsShowHoldsForAll(t *testing.T) {
	t.Parallel()
	for platform, known := range publishtest.Recordings {
		forbidden := slices.DeleteFunc(slices.Clone(known.Refuses), func(r publishtest.Recorded) bool {
			return r.Purpose != publish.PurposePublish || r.Status != 0
		})
		suite := publishtest.Suite{
			New: func(c *http.Client) publish.Publisher { return holdsForAll{client: c, platform: platform} },
			Connection: func(url string) publish.Connection {
				return publish.Connection{Credentials: publish.Credentials{"url": url}}
			},
			Network: http.NotFoundHandler(),
			Holds:   []publishtest.Recorded{{Purpose: publish.PurposePublish, Status: http.StatusUnauthorized, Body: "{}"}},
			Refuses: forbidden,
		}
		if faults := suite.RecordedFaults(t); len(faults) != len(forbidden) || len(faults) == 0 {
			t.Errorf("%s: %d faults in %d responses: %q", platform, len(faults), len(forbidden), faults)
		}
	}
}
