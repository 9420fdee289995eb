package deliver_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// An account can demand alt texts after the post was accepted, also while the files are
// prepared. It then does not get a post without one.
func TestAltTextIsRequiredLater(t *testing.T) {
	for name, later := range map[string]time.Duration{"before the preparation": time.Minute, "after it": 10*time.Minute - time.Second} {
		t.Run(name, func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				r.start()
				m := r.asset("a")
				m.AltText = "" // the asset has one
				account := r.account("strict", nil)
				p := r.create(schedctl.NewPost{
					Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{m}}, PublishAt: time.Now().Add(10 * time.Minute), Accounts: []schedctl.Account{account},
				})
				other := r.scheduleMedia(10*time.Minute, m)
				r.after(later)
				account.Options = schedctl.Options{schedctl.OptionRequireAlt: true}
				if err := r.store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutAccount(account) }); err != nil {
					t.Fatal(err)
				}
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
