package files

import (
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestSettingDigests guards that the digests of queues and blackouts, which daemons store,
// stay the same in later versions.
func TestSettingDigests(t *testing.T) {
	t.Parallel()
	q := apiv1.NewQueue(schedctl.Queue{
		ID: "que_1", Name: "main", Timezone: "UTC", Times: []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 540}}, AccountIDs: []string{"acct_1"}, Default: true, Version: 3,
	})
	b := apiv1.NewBlackout(schedctl.Blackout{ID: "blk_1", From: "2026-12-24T00:00", To: "2026-12-27T00:00", Timezone: "UTC", Reason: "Christmas", Mode: schedctl.BlackoutAvoid, Version: 3})
	for what, tt := range map[string][2]string{
		"a queue":              {queueDigests(q)[0], "v1:434e45e3bed78c3a54183f8bd968f7b28d7809e2c2b03fb3888ef120713ff6bd"},
		"a queue, not default": {queueDigests(q)[1], "v1:9bfb8c8670c6282cecc7f361e4610ec5f8be187e52c82af47948649e82c42c5c"},
		"a blackout":           {digestOf(createBlackout(b)), "v1:e41f1d147bab0f63a15d5b9dd19c0033c870b4b293303d51ea07eb81064403ef"},
	} {
		if tt[0] != tt[1] {
			t.Errorf("the digest of %s is %s, want %s", what, tt[0], tt[1])
		}
	}
}
