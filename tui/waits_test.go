package tui_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// TestTargetsSayWhyTheyWait guards that a post shows the reason of a wait, and its end if that
// is known.
func TestTargetsSayWhyTheyWait(t *testing.T) {
	f := newFake()
	p := scheduled("post_w", "A post that waits", time.Hour)
	p.Targets[0].Waits = &apiv1.Waits{Reason: apiv1.WaitsRateLimited, Until: at(2 * time.Hour), Message: "its network accepts no more requests"}
	f.posts = []apiv1.Post{p}
	d := drive(t, f, 120, 30)
	d.press("enter")
	d.sees("waits until Sat 21 Nov 2026 14:00 CET: its network accepts no more requests")
}
