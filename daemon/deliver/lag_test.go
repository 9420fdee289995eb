package deliver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
)

// TestLag guards that what waits behind a slow call is told of as late, and what
// waits for an account that is refused is not.
func TestLag(t *testing.T) {
	bubble(t, func(r *rig) {
		x := r.start()
		lag := func() time.Duration {
			x.Lag()
			synctest.Wait()
			return x.Lag()
		}
		if got := lag(); got != 0 {
			t.Errorf("idle: %s", got)
		}
		release := r.fake.Hold()
		a := r.account("one", nil)
		r.publishNow(a)
		r.after(time.Second)
		if got := lag(); got != 0 {
			t.Errorf("a call is under way and nothing waits: %s", got)
		}
		r.publishNow(a)
		r.after(7 * time.Second)
		if got := lag(); got != 7*time.Second {
			t.Errorf("a target waits behind a call: %s", got)
		}
		release()
		synctest.Wait()
		if got := lag(); got != 0 {
			t.Errorf("all is done: %s", got)
		}
		a.Status = schedctl.AccountError
		r.putAccount(a)
		r.publishNow(a)
		r.after(time.Minute)
		if got := lag(); got != 0 {
			t.Errorf("an account is refused: %s", got)
		}
	})
}
