package facebook

import (
	"context"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

const (
	// processingTime is how long a video that Facebook does not list may still be one that
	// it processes.
	processingTime = 10 * time.Minute

	// processingPoll is how long to wait before the next question about a video.
	processingPoll = 3 * time.Minute

	// videoAge is how long before an attempt its video may have been uploaded.
	videoAge = 24 * time.Hour
)

// listedVideo is a video of the Page
// (https://developers.facebook.com/docs/graph-api/reference/video).
type listedVideo struct {
	Description string `json:"description"`
	Created     string `json:"created_time"`
	Status      struct {
		Video string `json:"video_status"`
	} `json:"status"`
}

// checkUnlisted returns an error if the video of a request may be on the Page although no
// post has it: Facebook processes a video before it shows the post. since is when the
// attempt started.
func (p *Publisher) checkUnlisted(ctx context.Context, a access, r publish.Request, since time.Time) error {
	var list struct {
		Data []listedVideo `json:"data"`
	}
	query := url.Values{"type": {"uploaded"}, "fields": {"id,description,created_time,status"}, "limit": {pageSize}}
	if err := a.For(publish.PurposeLookup).Read(ctx, &list, query, version, a.page, "videos"); err != nil {
		return err
	}
	for _, v := range list.Data {
		early := !since.IsZero() && meta.ParseTime(v.Created).Before(since.Add(-videoAge))
		if v.Status.Video == "processing" && !early && plain(v.Description) == plain(r.Content) {
			return stillProcessing(p.now().Add(processingPoll))
		}
	}
	if over := since.Add(processingTime); !since.IsZero() && p.now().Before(over) {
		return stillProcessing(over)
	}
	return nil
}

func stillProcessing(retryAt time.Time) error {
	return &publish.Error{
		Kind: schedctl.KindPlatform, Outcome: schedctl.OutcomeUnknown, RetryAt: retryAt,
		Message: "Facebook may still be processing the video and does not list the post yet; schedctl will ask again",
	}
}
