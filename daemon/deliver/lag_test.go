package deliver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
)

// TestLag guards that targets behind a slow call count as late, and targets of a refused
// account do not.
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
			t.Errorf("a call is running and no target waits: %s", got)
		}
		r.publishNow(a)
		r.after(7 * time.Second)
		if got := lag(); got != 7*time.Second {
			t.Errorf("a target waits behind a call: %s", got)
		}
		release()
		synctest.Wait()
		if got := lag(); got != 0 {
			t.Errorf("all targets are published: %s", got)
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
