package discord

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// errorMeanings are Discord's error codes that say more than the HTTP status
// (https://discord.com/developers/docs/topics/opcodes-and-status-codes).
var errorMeanings = map[int]struct {
	kind    schedctl.ErrorKind
	message string
}{
	10015:  {schedctl.KindAuth, "the webhook no longer exists; create a new one and reconnect the account with it"},
	10003:  {schedctl.KindContent, "the channel or thread of the webhook no longer exists; reconnect the account with another webhook, then retry"},
	20009:  {schedctl.KindContent, "the network refused the post as explicit content; change it"},
	40333:  {schedctl.KindPlatform, "Discord's firewall refused the request; schedctl will retry"},
	50027:  {schedctl.KindAuth, "the token of the webhook is not valid; copy its URL again and reconnect the account with it"},
	200000: {schedctl.KindContent, "the server's automatic moderation refused the post; change it"},
	220001: {schedctl.KindAuth, "the webhook belongs to a forum, where posts go into threads; set the option forum of the account, or reconnect it with ?thread_id=… at the end of its URL"},
	220003: {schedctl.KindAuth, "the webhook does not belong to a forum; turn off the option forum of the account"},
	240000: {schedctl.KindContent, "the network refused a link in the post as harmful; change it"},
}

// refusal returns the error for a response that is not 2xx.
func refusal(a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	e := outbound.Refusal(a, purpose, now)
	var body struct {
		Code       json.Number `json:"code"`
		RetryAfter float64     `json:"retry_after"`
		Global     bool        `json:"global"`
	}
	// Unmarshal continues after a member of an unexpected type, so the others are
	// still read.
	_ = json.Unmarshal(a.Body, &body)
	code, err := body.Code.Int64()
	if a.Status >= 400 && a.Status < 500 && err == nil && code > 0 && e.Code == "" {
		e.Code = fmt.Sprint(code)
		if m, known := errorMeanings[int(code)]; known && a.Status != 429 {
			e.Kind, e.Message = m.kind, m.message
		}
	}
	// The request that identifies the webhook is refused as that of any network: no post is
	// lost by a wrong hold, which ends with the next check.
	if a.Status == 403 && e.Code == "" && e.Kind == schedctl.KindContent { // not Discord's format
		e.Kind, e.Code, e.Message = schedctl.KindPlatform, publish.CodeBlockedOnTheWay, "something on the way to Discord refused the request; schedctl will retry"
	}
	if a.Status == 429 {
		e.RetryAt = retryAt(a, body.RetryAfter, now)
		if body.Global {
			e.Code = "global"
		} else if latest := now.Add(maxWait).UTC(); e.RetryAt.After(latest) {
			e.RetryAt = latest
		}
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, hidden...))
}

// maxWait is the longest wait after a 429 that is not global. Old versions of the API, and
// servers that imitate them, state milliseconds.
const maxWait = time.Hour

// retryAt returns when a 429 allows the next request. The body states the wait most exactly.
// Retry-After is in milliseconds in old versions of the API, so it counts last
// (https://discord.com/developers/docs/topics/rate-limits).
func retryAt(a outbound.Response, body float64, now time.Time) time.Time {
	if at := outbound.RetryIn(body, now); !at.IsZero() {
		return at
	}
	seconds, err := strconv.ParseFloat(a.Header.Get("X-RateLimit-Reset-After"), 64)
	if at := outbound.RetryIn(seconds, now); err == nil && !at.IsZero() {
		return at
	}
	return outbound.RetryAt(a.Header, now)
}
