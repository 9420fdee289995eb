package meta

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Error is the error in a response
// (https://developers.facebook.com/docs/graph-api/guides/error-handling).
type Error struct {
	Code    int `json:"code"`
	Subcode int `json:"error_subcode"`
}

// ErrorOf returns the error in a response, or the zero value.
func ErrorOf(r outbound.Response) Error {
	var body struct {
		Error Error `json:"error"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(r.Body, &body)
	return body.Error
}

// String returns the code, and the subcode after a slash, such as "190/463". It is empty
// for the zero value.
func (e Error) String() string {
	switch {
	case e.Code == 0:
		return ""
	case e.Subcode == 0:
		return strconv.Itoa(e.Code)
	}
	return strconv.Itoa(e.Code) + "/" + strconv.Itoa(e.Subcode)
}

// The codes that have the same meaning in all APIs of Meta.
const (
	CodeParameter = 100 // a parameter is wrong, or an object does not exist
	CodeToken     = 190
	CodeBlocked   = 368
	CodeDuplicate = 506
	CodeNotReady  = 9007 // a staged post or a file is still being processed
)

// SubcodeExpired is the subcode of [CodeToken] for a token that has reached its end. Others
// mean that the user or Meta has ended the token.
const SubcodeExpired = 463

// RateLimited reports whether the error asks for fewer requests.
func (e Error) RateLimited() bool {
	switch e.Code {
	case 4, 17, 32, 613:
		return true
	}
	return e.Code >= 80000 && e.Code <= 80014
}

// MissingScope reports whether the token lacks a permission.
func (e Error) MissingScope() bool { return e.Code == 10 || e.Code >= 200 && e.Code <= 299 }

// MayHavePublished ends the message of an error that does not say what it means. A request
// that makes nothing visible replaces it.
const MayHavePublished = " responded with an error; it may have published anyway"

// Refusal returns the error for a response that is not a success. The outcome is that of a
// request to publish: only the codes above say that nothing was published. Posts were online
// in spite of other errors. The code of the result is that of a hold, or [Error.String].
// Publishers handle the codes of their own platform before.
func (a API) Refusal(r outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	known, text := ErrorOf(r), outbound.ErrorText(r, append(append([]string{a.Token}, a.Hidden...), hidden...)...)
	switch {
	case known.Code == CodeToken && known.Subcode == SubcodeExpired:
		return publish.Hold(publish.HoldExpired, a.Platform, r.Status, text)
	case known.Code == CodeToken:
		return publish.Hold(publish.HoldRevoked, a.Platform, r.Status, text)
	case known.MissingScope() && purpose.Secondary():
		e := outbound.Forbidden(r.Status, purpose)
		e.Code = cmp.Or(e.Code, known.String())
		return outbound.WithErrorText(e, text)
	case known.MissingScope():
		return publish.Hold(publish.HoldScope, a.Platform, r.Status, text)
	case known.Code == CodeBlocked:
		return publish.Hold(publish.HoldBlocked, a.Platform, r.Status, text)
	}
	e := outbound.Refusal(r, purpose, now)
	switch {
	case known.RateLimited(), r.Status == 429:
		e.Kind, e.Message, e.RetryAt = schedctl.KindRateLimited, a.Platform+" asks for fewer requests", RetryAt(r, now)
	case known.Code == CodeParameter:
		e.Kind, e.Message = schedctl.KindContent, a.Platform+" refused the post"
	case known.Code == CodeDuplicate:
		e.Kind, e.Message = schedctl.KindDuplicate, a.Platform+" reports that the account has just published the same text"
	case known.Code == CodeNotReady:
		e.Kind, e.Message = schedctl.KindPlatform, a.Platform+" is still processing a file of the post"
	case known.Code != 0 && r.Status == http.StatusForbidden && !purpose.Publishes():
		e.Code = cmp.Or(e.Code, known.String())
		return outbound.WithErrorText(e, text)
	case known.Code != 0:
		e.Kind, e.Message = schedctl.KindPlatform, a.Platform+MayHavePublished
	}
	// Also a 403 without a code may have published: Meta is asked, which costs one request, and
	// a post that it does not have is published then. Where nothing can be visible yet, the
	// publishers set the outcome.
	e.Code, e.Outcome = cmp.Or(known.String(), e.Code), schedctl.OutcomeUnknown
	if e.Kind == schedctl.KindRateLimited || known.refuses() {
		e.Outcome = schedctl.OutcomeNotPublished
	}
	return outbound.WithErrorText(e, text)
}

// refuses reports whether the code means that nothing was published.
func (e Error) refuses() bool {
	return e.Code == CodeParameter || e.Code == CodeDuplicate || e.Code == CodeNotReady
}

// usage is what a header says about the limits of requests, in minutes
// (https://developers.facebook.com/docs/graph-api/overview/rate-limiting).
type usage struct {
	Minutes float64 `json:"estimated_time_to_regain_access"`
}

// RetryAt returns when the API can be used again, or zero.
func RetryAt(r outbound.Response, now time.Time) time.Time {
	var cases map[string][]usage
	_ = json.Unmarshal([]byte(r.Header.Get("X-Business-Use-Case-Usage")), &cases)
	var app usage
	_ = json.Unmarshal([]byte(r.Header.Get("X-App-Usage")), &app)
	most := app.Minutes
	for _, list := range cases {
		for _, u := range list {
			most = math.Max(most, u.Minutes)
		}
	}
	if most > 0 {
		return outbound.RetryIn(most*60, now)
	}
	return outbound.RetryAt(r.Header, now)
}
