package deliver

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// maxWindowPosts is the largest number of posts in a window that is checked.
const maxWindowPosts = 1000

// windowFull returns an error if the network accepts no more posts of the account now,
// because it accepts only some in a period. Posts that other programs have published do not
// count; for those the network responds with its own error. Later parts of a thread do not
// count either: networks limit replies separately.
func (d *Deliverer) windowFull(ctx context.Context, c *publisherCall) *publish.Error {
	limits := c.account.Limits
	if limits.Posts <= 0 || limits.Posts > maxWindowPosts || limits.Window <= 0 || c.part.Index > 0 {
		return nil
	}
	var posts []storage.PublishedTarget
	err := d.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		posts, err = r.PublishedTargets(c.account.ID, storage.PublishedTarget{}, limits.Posts)
		return err
	})
	if err != nil || len(posts) < limits.Posts {
		return nil // without the store, the network decides
	}
	free := posts[len(posts)-1].At.Add(limits.Window)
	if !free.After(time.Now()) {
		return nil
	}
	return &publish.Error{
		Kind: schedctl.KindRateLimited, Code: publish.CodeWindowFull, RetryAt: free, Outcome: schedctl.OutcomeNotPublished,
		Message: fmt.Sprintf("the network accepts %d posts in %s; schedctl publishes this one at %s", limits.Posts, limits.Window, free.UTC().Format(time.RFC3339)),
	}
}
