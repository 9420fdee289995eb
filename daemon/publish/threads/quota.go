package threads

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

const (
	// defaultReplies is how many replies an account may have in 24 hours if Threads does not
	// say. They do not count as posts.
	defaultReplies = 1000

	// fullFor is how long to wait if the account has as many replies as Threads allows.
	// Threads does not say when the oldest one stops to count.
	fullFor = 15 * time.Minute
)

// quota is how many posts and replies the account has, and may have
// (https://developers.facebook.com/docs/threads/troubleshooting#retrieve-publishing-quota-limit).
type quota struct {
	Config      meta.Quota `json:"config"`
	ReplyUsage  int        `json:"reply_quota_usage"`
	ReplyConfig meta.Quota `json:"reply_config"`
}

func readQuota(ctx context.Context, api meta.API, fields string) (quota, error) {
	var response struct {
		Data []quota `json:"data"`
	}
	err := api.Read(ctx, &response, url.Values{"fields": {fields}}, version, "me", "threads_publishing_limit")
	if err != nil || len(response.Data) == 0 {
		return quota{}, err
	}
	return response.Data[0], nil
}

// checkReplies returns an error with the code [publish.CodeWindowFull] if the account has as
// many replies as Threads allows. If Threads cannot be asked, it decides itself.
func checkReplies(ctx context.Context, api meta.API) error {
	q, err := readQuota(ctx, api, "reply_quota_usage,reply_config")
	if err != nil {
		return nil
	}
	replies, window := q.ReplyConfig.Limits(defaultReplies)
	if q.ReplyUsage < replies {
		return nil
	}
	return &publish.Error{
		Kind: schedctl.KindRateLimited, Code: publish.CodeWindowFull, RetryAt: time.Now().Add(fullFor), Outcome: schedctl.OutcomeNotPublished,
		Message: fmt.Sprintf("Threads allows %d replies in %s, and the account has as many; schedctl publishes the rest of the thread when there is room", replies, window),
	}
}
