package post

import (
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// A step of a review is shown with who took it and why, not as the status of the post.
func TestWatchShowsStepsOfReviews(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]apiv1.Event{
		"changes requested by Vera: shorter, please": {
			Type: schedctl.EventPostChangesRequested, Data: apiv1.EventData{Status: schedctl.Draft, By: &apiv1.EventAuthor{Name: "Vera"}, Note: "shorter,\nplease"},
		},
		"noted by Vera: good": {Type: schedctl.EventPostNoted, Data: apiv1.EventData{By: &apiv1.EventAuthor{Name: "Vera"}, Note: "good"}},
		"submitted by claude": {Type: schedctl.EventPostSubmitted, Data: apiv1.EventData{By: &apiv1.EventAuthor{Name: "claude"}}},
	} {
		if got := (&watchOptions{}).eventText(e); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
