package webhook

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// noon is when the tests are.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func at(offset time.Duration) *apiv1.Time { return apiv1.NewTime(noon.Add(offset)) }

func TestDeliveryTexts(t *testing.T) {
	t.Parallel()
	a := &cli.App{System: cli.System{Now: func() time.Time { return noon }}}
	for want, d := range map[string]apiv1.Delivery{
		"":                                  {Status: schedctl.DeliveryPending, NextAttemptAt: at(time.Minute)},
		"HTTP 200 in 12 ms":                 {Status: schedctl.DeliveryDelivered, Attempt: 1, HTTPStatus: new(200), DurationMS: new(int64(12))},
		"HTTP 500, next in 2m":              {Status: schedctl.DeliveryPending, Attempt: 1, HTTPStatus: new(500), NextAttemptAt: at(2 * time.Minute)},
		"no such host, 9 attempts":          {Status: schedctl.DeliveryFailed, Attempt: 9, Error: new("no such host")},
		"no response, 2 attempts, next now": {Status: schedctl.DeliveryPending, Attempt: 2, NextAttemptAt: at(0)},
	} {
		if got := attemptsText(a, d); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestBodyExcerpt guards that a response is clipped as the daemon clips it.
func TestBodyExcerpt(t *testing.T) {
	t.Parallel()
	for want, body := range map[string]string{
		"short": "short", "a\uFFFDb": "a\xffb",
		strings.Repeat("é", 1024):       strings.Repeat("é", 1030),
		"x" + strings.Repeat("é", 1023): "x" + strings.Repeat("é", 1030),
	} {
		if got := bodyExcerpt([]byte(body)); got != want {
			t.Errorf("got %d bytes, want %d", len(got), len(want))
		}
	}
}

// Samples have what receivers look at.
func TestSampleEvents(t *testing.T) {
	t.Parallel()
	for _, typ := range triggerTypes() {
		sample, err := sampleEvent(typ, noon)
		if err != nil {
			t.Fatal(err)
		}
		e := apiv1.NewEvent(sample)
		if _, ok := schedctl.ParseID(schedctl.EventPrefix, e.ID); !ok || e.Type != typ || !e.CreatedAt.Equal(noon) || e.Data.WorkspaceID == "" {
			t.Errorf("%s: got %+v", typ, e)
		}
		if about := e.Data.PostID + e.Data.SocialAccountID + e.Data.WebhookID + e.Data.SeriesID + e.Data.SourceID; about == "" {
			t.Errorf("%s is about nothing", typ)
		}
		if step := schedctl.IsReviewEvent(typ); step != (e.Data.By != nil && e.Data.By.Kind == apiv1.KeyStandard && e.Data.Version > 0) {
			t.Errorf("%s has the step %+v, version %d", typ, e.Data.By, e.Data.Version)
		}
		if skipped := typ == schedctl.EventSeriesSkipped; skipped != (e.Data.Skipped != nil) {
			t.Errorf("%s has skipped %v", typ, e.Data.Skipped)
		}
		if failed := typ == schedctl.EventPostFailed || typ == schedctl.EventAccountExpiring || typ == schedctl.EventPostCommentFailed || typ == schedctl.EventPostUnconfirmed || typ == schedctl.EventAccountError || typ == schedctl.EventForecastAppeared || typ == schedctl.EventSourceHeld || typ == schedctl.EventSourceFailed; failed != (e.Data.Error != nil) {
			t.Errorf("%s has the error %v", typ, e.Data.Error)
		}
		if published := typ == schedctl.EventPostPublished || typ == schedctl.EventPostCommentFailed; published != (e.Data.PublishedAt != nil && e.Data.PlatformPostURL != "") {
			t.Errorf("%s was published at %v", typ, e.Data.PublishedAt)
		}
	}
}
