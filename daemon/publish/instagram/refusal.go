package instagram

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// restrictedFor is how long an account is left alone after Instagram restricted it without
// saying for how long.
const restrictedFor = time.Hour

// meaning is what an error of Instagram means in addition to those that all APIs of Meta
// have (https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes).
// The outcome is that of a request to publish.
type meaning struct {
	code, subcode int // subcode 0 for any
	kind          schedctl.ErrorKind
	outcome       schedctl.Outcome
	message       string
}

const (
	no    = schedctl.OutcomeNotPublished
	maybe = schedctl.OutcomeUnknown
)

var meanings = []meaning{
	{9007, 0, schedctl.KindPlatform, no, "Instagram has not processed the files yet"},
	{4, 2207051, schedctl.KindRateLimited, maybe, "Instagram restricts what the account does, or takes the post for spam; it may have published it anyway"},
	{9, 0, schedctl.KindRateLimited, no, "the account has as many posts as Instagram allows in 24 hours"},
	{9004, 0, schedctl.KindPlatform, maybe, "Instagram could not fetch a file from the daemon; check that the address of --public-url works from the internet"},
	{-2, 2207003, schedctl.KindPlatform, maybe, "Instagram could not fetch a file in time; check that the address of --public-url works from the internet"},
	{352, 0, schedctl.KindMedia, maybe, "Instagram does not take this video"},
	{36000, 0, schedctl.KindMedia, maybe, "Instagram takes no picture of this size"},
	{36001, 0, schedctl.KindMedia, maybe, "Instagram takes only pictures in JPEG format"},
	{36003, 0, schedctl.KindMedia, maybe, "Instagram takes no picture of this shape; crop it to between 4:5 and 1.91:1"},
	{36004, 0, schedctl.KindContent, maybe, "Instagram refused the caption"},
}

// inactive is the error for an account that Instagram has restricted until its user has
// done something in the app.
var inactive = meta.Error{Code: 25, Subcode: 2207050}

// refuse returns the error for a response that is not a success.
func refuse(api meta.API) func(outbound.Response, publish.Purpose, ...string) *publish.Error {
	return func(response outbound.Response, purpose publish.Purpose, hidden ...string) *publish.Error {
		now, known := time.Now(), meta.ErrorOf(response)
		text := outbound.ErrorText(response, append([]string{api.Token}, hidden...)...)
		if known == inactive {
			return publish.Hold(publish.HoldBlocked, network, response.Status, text)
		}
		for _, m := range meanings {
			if m.code != known.Code || m.subcode != 0 && m.subcode != known.Subcode {
				continue
			}
			e := &publish.Error{Kind: m.kind, Code: known.String(), Message: m.message, HTTPStatus: response.Status, Outcome: m.outcome}
			if m.kind == schedctl.KindRateLimited {
				retry := meta.RetryAt(response, now)
				if retry.IsZero() {
					retry = now.Add(restrictedFor)
				}
				e.RetryAt = retry
			}
			return outbound.WithErrorText(e, text)
		}
		return api.Refusal(response, purpose, now, hidden...)
	}
}
