package deliver_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

// The alt text of a file can be removed after the post was accepted, also while the
// files are prepared. An account with require_alt then does not get the post.
func TestRequiredAltTextIsRemoved(t *testing.T) {
	for name, removed := range map[string]time.Duration{"before the preparation": time.Minute, "after it": 10*time.Minute - time.Second} {
		t.Run(name, func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				r.start()
				m := r.asset("a")
				p := r.create(schedctl.NewPost{
					Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{m}}, PublishAt: time.Now().Add(10 * time.Minute),
					Accounts: []schedctl.Account{r.account("strict", schedctl.Options{schedctl.OptionRequireAlt: true})},
				})
				other := r.scheduleMedia(10*time.Minute, m)
				r.after(removed)
				r.source.mu.Lock()
				a := r.source.assets[m.AssetID]
				a.AltText = ""
				r.source.assets[m.AssetID] = a
				r.source.mu.Unlock()
				r.after(time.Hour)
				r.wantPublished(other, 1)
				r.wantCalls(1)
				if got := r.wantStatus(p, schedctl.Failed).Error; got.Kind != schedctl.KindMedia || got.Code != "alt_missing" || got.Outcome != no {
					t.Errorf("error %+v", got)
				}
			})
		})
	}
}
