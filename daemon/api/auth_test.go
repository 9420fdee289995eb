package api_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

func TestRevokedKeyIsRefusedWithinASecond(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		var k schedctl.APIKey
		secret := f.newKey(f.mine.workspace, func(made *schedctl.APIKey) { k = *made })
		f.do(as(secret), "GET", "/me", nil).want(200)

		k.RevokedAt = time.Now()
		f.update(func(tx storage.Tx) error { return tx.PutKey(k) })
		revoked := time.Now()
		for {
			asked := time.Now()
			r := f.do(as(secret), "GET", "/me", nil)
			if r.status != 200 {
				r.refused(schedctl.APIKeyRevoked)
				return
			}
			if asked.Sub(revoked) > time.Second {
				t.Fatal("a key is still good more than a second after it was revoked")
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

func TestKeptKeyExpiresAtItsTime(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		expires := time.Now().Add(150 * time.Millisecond)
		secret := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.ExpiresAt = expires })
		f.do(as(secret), "GET", "/me", nil).want(200)
		time.Sleep(time.Until(expires))
		f.do(as(secret), "GET", "/me", nil).refused(schedctl.APIKeyExpired)
	})
}

func TestKeysAreNotMixedUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 2 { // read, then cached
		for _, want := range []tenant{f.mine, f.other} {
			me := decodeAs[apiv1.Me](t, f.do(as(want.key), "GET", "/me", nil).want(200))
			if me.Workspace.ID != want.workspace {
				t.Errorf("the key of %s acts as one of %s", want.workspace, me.Workspace.ID)
			}
		}
	}
}
