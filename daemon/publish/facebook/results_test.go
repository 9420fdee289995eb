package facebook_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/facebook"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*facebook.Publisher)(nil)

const (
	counted = "102030405060708_11"
	video   = "990011"
	deleted = "102030405060708_13"
)

// counting returns a Page with a post, one without shares, a video and a post that was deleted.
func counting() *publishtest.FakeFacebook {
	fake := publishtest.NewFakeFacebook()
	page := fake.Tokens[publishtest.FacebookPageToken]
	page.Scopes = append(slices.Clone(page.Scopes), "read_insights")
	numbers := map[string]int64{
		"post_media_view": 1204, "post_total_media_view_unique": 803, "post_clicks": 17, "reactions": 31, "comments": 12, "shares": 4,
		"total_video_views": 640, "total_video_views_unique": 512, "likes": 29,
	}
	fake.Add(publishtest.FacebookPost{ID: counted, Message: "a", Created: time.Now(), Numbers: numbers})
	fake.Add(publishtest.FacebookPost{ID: "102030405060708_12", Message: "b", Created: time.Now(), Video: video, Numbers: numbers})
	fake.Add(publishtest.FacebookPost{ID: deleted, Message: "c", Created: time.Now(), Deleted: true})
	fake.Add(publishtest.FacebookPost{ID: "102030405060708_14", Message: "d", Created: time.Now()})
	return fake
}

func n(v int64) *int64 { return &v }

var wantCounted = schedctl.Metrics{Views: n(1204), Reach: n(803), Clicks: n(17), Reactions: n(31), Replies: n(12), Reposts: n(4)}

func TestResults(t *testing.T) {
	t.Parallel()
	fake := counting()
	publishtest.RunResults(t, publishtest.ResultsSuite{
		New:         func(c *http.Client) publish.Publisher { return facebook.New(c, outbound.AllowPrivate, "test") },
		Credentials: func(url string) publish.Credentials { return fake.Credentials(url, publishtest.FacebookPageToken) },
		Network:     fake, Gone: deleted,
		Want: map[string]schedctl.Metrics{
			counted:              wantCounted,
			video:                {Views: n(640), Reach: n(512), Reactions: n(29), Replies: n(12)},
			"102030405060708_14": {Views: n(0), Reach: n(0), Clicks: n(0), Reactions: n(0), Replies: n(0)},
		},
		MissingScope: publishtest.Recorded{Status: 403, Body: publishtest.MetaError(200, 0, "(#200) requires pages_read_engagement")},
		Suspended: []publishtest.Recorded{
			{Status: 400, Body: publishtest.MetaError(190, 463, "Error validating access token")},
			{Status: 403, Body: publishtest.MetaError(368, 0, "blocked")},
			{Status: 400, Body: publishtest.MetaError(100, 33, "Unsupported get request. Object with ID 'x' does not exist")},
		},
		Low: http.Header{"X-App-Usage": {`{"call_count":1,"total_time":99,"total_cputime":1}`}},
	})
}

// TestResultsWithoutInsights guards that reactions are read without the permission for views,
// and that a metric that Facebook no longer has is reported.
func TestResultsWithoutInsights(t *testing.T) {
	t.Parallel()
	fake := counting()
	fake.Tokens[publishtest.FacebookPageToken].Scopes = []string{"pages_read_engagement", "pages_manage_posts"}
	p, r := start(t, fake)
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{counted}})
	want := map[string]publish.Result{counted: {Metrics: schedctl.Metrics{Reactions: n(31), Replies: n(12), Reposts: n(4)}}}
	if diff := cmp.Diff(want, reading.Results); diff != "" || err != nil || !slices.Equal(reading.Lacks, []string{"read_insights"}) {
		t.Errorf("%v, %+v (-want +got):\n%s", err, reading, diff)
	}
	fake = counting()
	fake.Retired = []string{"post_clicks"}
	p, r = start(t, fake)
	reading, err = p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{counted}})
	if got := reading.Results[counted].Metrics; err != nil || got.Views == nil || got.Clicks != nil || !slices.Contains(reading.Dropped, "post_clicks") {
		t.Errorf("%+v, %v", reading, err)
	}
	reading, err = p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{counted}, Dropped: []string{"post_clicks"}})
	if got := reading.Results[counted].Metrics; err != nil || got.Views == nil || got.Reach == nil || len(reading.Dropped) > 0 || reading.Requests != 2 {
		t.Errorf("%+v, %v", reading, err)
	}
}

// FuzzResults reads results from any responses.
func FuzzResults(f *testing.F) {
	publishtest.FuzzResults(f, publishtest.ResultsSuite{
		New: func(c *http.Client) publish.Publisher { return facebook.New(c, outbound.AllowPrivate, "test") },
		Credentials: func(url string) publish.Credentials {
			return counting().Credentials(url, publishtest.FacebookPageToken)
		}, Network: counting(), Want: map[string]schedctl.Metrics{counted: {}},
	}, cost.Check)
}

// TestResultsOfPublishedPosts reads the posts of receipts: one with a text, and a video, which
// has the id of the video.
func TestResultsOfPublishedPosts(t *testing.T) {
	t.Parallel()
	fake := counting()
	p, r := start(t, fake)
	for _, mimeType := range []string{"", "video/mp4"} {
		r.Content, r.Files = "A post "+mimeType, nil
		if mimeType != "" {
			f := publishtest.TestFile(mimeType, 1)
			var err error
			if f.Upload, err = p.Upload(t.Context(), r, f); err != nil {
				t.Fatal(err)
			}
			r.Files = []publish.File{f}
		}
		receipt, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, gone := range []bool{false, true} {
			reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{receipt.ID}})
			if got := reading.Results[receipt.ID]; err != nil || got.Gone != gone || gone == (got.Metrics.Views != nil) {
				t.Errorf("%q: %+v, %v", mimeType, got, err)
			}
			fake.Delete(receipt.ID)
		}
	}
}
