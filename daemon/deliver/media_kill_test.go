package deliver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
)

// findingUploads is a network that takes uploads and can be searched for posts.
type findingUploads struct{ *publishtest.UploadingFake }

func (f findingUploads) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	return publishtest.FindingFake{Fake: f.Fake}.Find(ctx, r, since)
}

// TestKillsBetweenUploadAndPost kills the daemon at random times around the due time, on
// networks that process slowly, lose uploads, fail, and accept posts without a response.
// Whatever happens, the post is published once, with all its files.
func TestKillsBetweenUploadAndPost(t *testing.T) {
	for _, seed := range testsize.Seeds(40, 200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				random := rand.New(rand.NewPCG(seed, 18))
				options := schedctl.Options{"idempotent": true}
				if random.IntN(2) == 0 {
					options = nil
					r.registry = publish.NewRegistry(findingUploads{r.network})
				}
				r.unreliable(random)
				r.start()
				media := []schedctl.PostMedia{r.asset("a"), r.asset("b"), r.asset("c")}
				p := r.create(schedctl.NewPost{
					Content: schedctl.Content{Text: secret, Media: media}, PublishAt: time.Now().Add(10 * time.Minute),
					Accounts: []schedctl.Account{r.account("me", options)},
				})
				r.after(8*time.Minute - time.Second)
				for range 1 + random.IntN(4) {
					r.after(time.Duration(random.Int64N(int64(90 * time.Second))))
					r.endFor(storage.ErrBroken)
					r.after(time.Duration(random.Int64N(int64(5 * time.Second))))
					if random.IntN(3) == 0 {
						r.network.Lose()
					}
					r.start()
				}
				r.after(5 * time.Hour)
				r.wantPublished(p, len(r.outcomes(p)))
				if n := len(r.fake.Posts()); n != 1 {
					t.Errorf("%d posts on the network", n)
				}
			})
		})
	}
}

// unreliable makes the network behave badly for some time.
func (r mediaRig) unreliable(random *rand.Rand) {
	down := &publish.Error{Kind: schedctl.KindNetwork, Message: "down", Outcome: maybe}
	uploadTime := time.Duration(random.Int64N(int64(25 * time.Second)))
	failures := random.IntN(3)
	r.network.OnUpload = func(ctx context.Context, n int, _ publish.Request, _ publish.File) error {
		select {
		case <-time.After(uploadTime):
		case <-ctx.Done():
			return down
		}
		if n <= failures {
			return down
		}
		return nil
	}
	if polls := random.IntN(4); polls > 0 {
		asked := map[string]int{}
		r.network.OnProcessed = func(_ int, u publish.Upload) (bool, error) {
			asked[u.ID]++
			return asked[u.ID] > polls, nil
		}
	}
	slow := time.Duration(random.Int64N(int64(20 * time.Second)))
	for range random.IntN(3) {
		r.fake.Then([]publishtest.Response{
			{Err: down, Accepted: true, After: slow}, {Err: down, After: slow}, {After: slow},
		}[random.IntN(3)])
	}
}
