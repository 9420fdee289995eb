package files

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/icalendar"
)

func at(offset time.Duration) *apiv1.Time { return apiv1.NewTime(noon.Add(offset)) }

func TestEventOf(t *testing.T) {
	t.Parallel()
	p := apiv1.Post{
		ID: "post_1", Content: strings.Repeat("Long text\n", 20), Status: schedctl.Published, PublishAt: at(0), CreatedAt: at(-time.Hour), UpdatedAt: at(time.Minute), Version: 4,
		Targets: []apiv1.Target{{}, {PlatformPostURL: new("https://example.org/1")}},
	}
	want := icalendar.Event{
		UID: "post_1@schedctl", At: noon, Created: noon.Add(-time.Hour), Modified: noon.Add(time.Minute), Revision: 4,
		Summary: "Long text Long text Long text Long text Long text Long text…", Description: p.Content + "\n\npublished: post_1",
		Status: "CONFIRMED", Categories: []string{"feed:demo"}, URL: "https://example.org/1",
	}
	if diff := cmp.Diff(want, eventOf(p, []string{"feed:demo"})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for status, want := range map[schedctl.Status]string{schedctl.Canceled: "CANCELLED", schedctl.Draft: "TENTATIVE", schedctl.Scheduled: "CONFIRMED"} {
		if p.Status = status; eventOf(p, nil).Status != want {
			t.Errorf("%s: %s", status, eventOf(p, nil).Status)
		}
	}
}
