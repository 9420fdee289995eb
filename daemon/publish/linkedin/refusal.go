package linkedin

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// codeDuplicate is the code of a post whose text LinkedIn has already.
const codeDuplicate = "duplicate_post"

// scopeError is the serviceErrorCode of a missing permission.
const scopeError = 100

// problem is an error of the API
// (https://learn.microsoft.com/linkedin/shared/api-guide/concepts/error-handling).
type problem struct {
	code, message string
	service       float64
	duplicate     bool
}

func parseProblem(r outbound.Response) problem {
	var body struct {
		Code    any `json:"code"`
		Message any `json:"message"`
		Service any `json:"serviceErrorCode"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(r.Body, &body)
	p := problem{duplicate: strings.Contains(string(r.Body), "DUPLICATE_POST")}
	p.code, _ = body.Code.(string)
	p.message, _ = body.Message.(string)
	p.service, _ = body.Service.(float64)
	return p
}

// lacksScope reports whether the token lacks a permission that its author needs. Of other
// requests than those that publish, upload and identify, it says nothing about the account.
func (p problem) lacksScope(status int) bool {
	organization := strings.Contains(p.message, "Organization permissions must be used")
	return status == http.StatusForbidden && (p.service == scopeError || organization) || status == http.StatusBadRequest && organization
}

// refusal returns the error for a response that is not 2xx.
func refusal(r outbound.Response, purpose publish.Purpose, now time.Time, a access, hidden ...string) *publish.Error {
	e, p := outbound.Refusal(r, purpose, now), parseProblem(r)
	switch {
	case r.Status == http.StatusUnauthorized:
		e = unauthorized(p)
	case !purpose.Secondary() && p.lacksScope(r.Status):
		e = missingScope(a, purpose, r.Status)
	case r.Status == http.StatusUnprocessableEntity && p.duplicate:
		return duplicate(p)
	case r.Status == http.StatusTooManyRequests && e.RetryAt.IsZero():
		// The limits of LinkedIn are those of a day in UTC.
		e.RetryAt = now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	}
	return outbound.WithErrorText(e, outbound.ErrorText(r, a.hidden(hidden...)...))
}

// holdWith returns the error of a hold with a message for LinkedIn.
func holdWith(code publish.HoldCode, status int, message string) *publish.Error {
	e := publish.Hold(code, "LinkedIn", status, "")
	e.Message = message
	return e
}

const newToken = "create a new one at https://www.linkedin.com/developers/tools/oauth/token-generator"

func unauthorized(p problem) *publish.Error {
	if p.code == "EXPIRED_ACCESS_TOKEN" {
		return holdWith(publish.HoldExpired, http.StatusUnauthorized, "the access token has ended after 60 days: "+newToken+", and reconnect the account")
	}
	return tokenRevoked(http.StatusUnauthorized)
}

func tokenRevoked(status int) *publish.Error {
	return holdWith(publish.HoldRevoked, status, "LinkedIn does not accept the access token: "+newToken+", and reconnect the account")
}

// missingScope returns the error of a token without a permission that a request of its author
// needs, and names only those that this request needs. status is that of the response, or zero
// if LinkedIn has refused no request.
func missingScope(a access, purpose publish.Purpose, status int) *publish.Error {
	scopes := slices.DeleteFunc(slices.Clone(scopesOf(a.organization())), func(scope string) bool {
		return strings.HasPrefix(scope, "w_") == (purpose == publish.PurposeIdentity)
	})
	needed := strings.Join(scopes, ", ") + " as well"
	if a.organization() {
		needed += ", as an administrator of the organization"
	}
	return holdWith(publish.HoldScope, status, "the access token lacks a permission: "+newToken+" with "+needed+", and reconnect the account")
}

var namedURN = pattern.Lazy(`urn:li:(?:share|ugcPost|activity):[0-9]{1,30}`)

// duplicate returns the error of a post that LinkedIn refuses as a duplicate. The post
// that LinkedIn names may not exist, so it is only a hint.
func duplicate(p problem) *publish.Error {
	e := &publish.Error{
		Kind: schedctl.KindDuplicate, Code: codeDuplicate, HTTPStatus: http.StatusUnprocessableEntity, Outcome: schedctl.OutcomeNotPublished,
		Message: "LinkedIn refused the post because it has one with the same text; change the text",
	}
	if urn := namedURN().FindString(p.message); urn != "" {
		e.Message = "LinkedIn refused the post and names " + urn + " as one with the same text, which may not exist: look at " + postURL(urn) + ", then change the text or retry later"
	}
	return e
}

// postRefusal returns the error of a refused post or comment.
func postRefusal(response outbound.Response, now time.Time, a access, r publish.Request) error {
	if i := slices.IndexFunc(r.Files, func(f publish.File) bool { return names(response, f.Upload.ID) }); i >= 0 {
		return notReady(response.Status, r.Files[i].Upload, now)
	}
	return refusal(response, r.Purpose(), now, a, append(r.Texts(), escape(r.Content))...)
}

const (
	readyWithin = 2 * time.Minute // how long after its upload a file may not be ready
	readyWait   = 30 * time.Second
)

// notReady returns the error of a post that LinkedIn refuses because of a file. It may not
// have processed the file yet, which it does not say to persons. The time counts from the
// upload and not from the first attempt: LinkedIn starts to process a file when it has it, so a
// file that was uploaded ahead has had the time already, and is refused for another reason. A
// request has no time of its first attempt, and the number of attempts counts those that were
// held.
func notReady(status int, u publish.Upload, now time.Time) *publish.Error {
	sent := u.SentAt
	if u.ReadyAt.After(sent) {
		sent = u.ReadyAt
	}
	if now.Sub(sent) >= readyWithin {
		e := publish.MediaError("not_ready", "LinkedIn does not accept a file of the post; convert it to another format, such as JPEG, MP4 or PDF")
		e.HTTPStatus = status
		return e
	}
	return &publish.Error{
		Kind: schedctl.KindPlatform, Code: "not_ready", HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished, RetryAt: now.Add(readyWait),
		Message: "LinkedIn has not processed the files of the post yet; schedctl will retry",
	}
}
