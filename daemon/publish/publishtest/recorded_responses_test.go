package publishtest_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

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
	return schedctl.Receipt{ID: "1"}, p.send(ctx, r)
}

func (p holdsForAll) ThreadRules(schedctl.Account) publish.ThreadRules { return publish.ThreadRules{} }
func (p holdsForAll) MediaRules(schedctl.Account) publish.MediaRules   { return publish.MediaRules{} }

func (p holdsForAll) Upload(ctx context.Context, r publish.Request, _ publish.File) (publish.Upload, error) {
	return publish.Upload{}, p.send(ctx, r)
}

func (p holdsForAll) Processed(ctx context.Context, r publish.Request, u publish.Upload) (publish.Upload, error) {
	return u, p.send(ctx, r)
}

func (p holdsForAll) Find(ctx context.Context, r publish.Request, _ time.Time) (schedctl.Receipt, bool, error) {
	return schedctl.Receipt{}, false, p.send(ctx, r)
}

func (p holdsForAll) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{Batch: 2}
}

func (p holdsForAll) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	return publish.ResultsReading{Requests: 1}, p.send(ctx, publish.Request{Credentials: r.Credentials})
}

func (p holdsForAll) send(ctx context.Context, r publish.Request) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Credentials["url"], http.NoBody)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	kind := schedctl.KindContent
	switch response.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		kind = schedctl.KindAuth
	}
	return &publish.Error{Kind: kind, Message: "refused", HTTPStatus: response.StatusCode, Outcome: schedctl.OutcomeNotPublished}
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

// The lists of each platform show a publisher that holds the account for every 403: of a
// post, and of each other request that the platform has.
func TestRecordingsShowHoldsForAll(t *testing.T) {
	t.Parallel()
	shown := map[publish.Purpose]bool{}
	for platform, known := range publishtest.Recordings {
		forbidden := slices.DeleteFunc(slices.Clone(known.Refuses), func(r publishtest.Recorded) bool { return r.Status != 0 })
		suite := publishtest.Suite{
			New: func(c *http.Client) publish.Publisher { return holdsForAll{client: c, platform: platform} },
			Connection: func(url string) publish.Connection {
				return publish.Connection{Credentials: publish.Credentials{"url": url}}
			},
			Network: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
			Threads: &publishtest.ThreadSuite{},
			Holds:   []publishtest.Recorded{{Purpose: publish.PurposePublish, Status: http.StatusUnauthorized, Body: "{}"}},
			Refuses: forbidden,
		}
		if faults := suite.RecordedFaults(t); len(faults) != len(forbidden) || len(faults) == 0 {
			t.Errorf("%s: %d faults in %d responses: %q", platform, len(faults), len(forbidden), faults)
		}
		for _, r := range forbidden {
			shown[r.Purpose] = true
		}
	}
	for _, purpose := range publish.Purposes() {
		if purpose != publish.PurposeIdentity && !shown[purpose] { // a 403 to a request for the account holds it
			t.Errorf("no recorded response refuses %s", purpose)
		}
	}
}
