package x

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// problem is an error of the API (https://docs.x.com/x-api/fundamentals/response-codes-and-errors).
type problem struct {
	kind, title, detail, reason string
	reset                       time.Time // when the spending limit ends; zero if it is not given
}

func parseProblem(r outbound.Response) problem {
	var body struct {
		Type   any `json:"type"`
		Title  any `json:"title"`
		Detail any `json:"detail"`
		Reason any `json:"reason"`
		Reset  any `json:"reset_date"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(r.Body, &body)
	text := func(value any) string { s, _ := value.(string); return strings.ToLower(s) }
	kind := text(body.Type)
	reset, _ := time.Parse(time.DateOnly, text(body.Reset))
	return problem{kind[strings.LastIndexByte(kind, '/')+1:], text(body.Title), text(body.Detail), text(body.Reason), reset}
}

// refusal returns the error for a response that is not 2xx. hidden are texts that the
// error must not contain, besides the credentials.
func refusal(r outbound.Response, purpose publish.Purpose, now time.Time, a access, hidden ...string) *publish.Error {
	text := outbound.ErrorText(r, a.hidden(hidden...)...)
	p := parseProblem(r)
	switch r.Status {
	case http.StatusUnauthorized:
		if !a.oauth1() {
			return &publish.Error{
				Kind: schedctl.KindAuth, Code: publish.CodeSessionExpired, HTTPStatus: r.Status, Outcome: schedctl.OutcomeNotPublished,
				Message: "the access token has expired",
			}
		}
		return outbound.WithErrorText(tokenRevoked(r.Status), text)
	case http.StatusPaymentRequired:
		return holdWith(publish.HoldCredits, r.Status, "your developer account has no credits left: buy credits at https://console.x.com, then verify the account")
	case http.StatusForbidden:
		return outbound.WithErrorText(forbidden(r, p, purpose, now), text)
	case http.StatusTooManyRequests:
		if p.kind == "usage-capped" || p.title == "usagecapexceeded" {
			return outbound.WithErrorText(holdWith(publish.HoldCredits, r.Status,
				"your developer account has used up its posts of this month: raise the limit at https://console.x.com, or wait for the next month, then verify the account"), text)
		}
		e := outbound.Refusal(r, purpose, now)
		if at := resetOf(r.Header, now); !at.IsZero() && r.Header.Get("Retry-After") == "" {
			e.RetryAt = at
		}
		return outbound.WithErrorText(e, text)
	}
	return outbound.WithErrorText(outbound.Refusal(r, purpose, now), text)
}

// accountClosed matches the details about an account that may not post at all.
var accountClosed = pattern.Lazy(`\b(?:suspended|temporarily locked)\b`)

// forbidden returns the error for a response with the status 403. Only those that X
// documents for the whole account hold it: a post that X does not allow is no reason.
func forbidden(r outbound.Response, p problem, purpose publish.Purpose, now time.Time) *publish.Error {
	e := outbound.Refusal(r, purpose, now)
	switch {
	case strings.Contains(p.detail, "duplicate content"):
		e.Kind, e.Code = schedctl.KindDuplicate, "duplicate_content"
		e.Message = "X refused the post because the account has published the same text recently; change the text"
	case p.kind == "credits", p.title == "spendcapreached":
		return spendCapReached(p)
	case p.kind == "oauth1-permissions", p.kind == "unsupported-authentication":
		return missingScope(http.StatusForbidden)
	case accountClosed().MatchString(p.detail):
		return holdWith(publish.HoldBlocked, http.StatusForbidden, "X has locked or suspended the account: log in to https://x.com and follow the instructions there, then verify the account")
	case p.reason == "client-not-enrolled", p.kind == "client-not-enrolled", p.kind == "client-forbidden":
		return holdWith(publish.HoldScope, http.StatusForbidden, "the app may not use this API: attach it to a project at https://console.x.com, create new tokens, and reconnect the account")
	}
	return e
}

// holdWith returns the error of a hold with a message for X.
func holdWith(code publish.HoldCode, status int, message string) *publish.Error {
	e := publish.Hold(code, "X", status, "")
	e.Message = message
	return e
}

// spendCapReached returns the error of a developer account that has reached its spending
// limit. It holds until the next billing cycle starts.
func spendCapReached(p problem) *publish.Error {
	until := "the next billing cycle"
	if !p.reset.IsZero() {
		until = p.reset.Format(time.DateOnly)
	}
	e := holdWith(publish.HoldCredits, http.StatusForbidden,
		"your developer account has reached its spending limit: posts wait until "+until+", or raise the limit at https://console.x.com and verify the account")
	e.RetryAt = p.reset
	return e
}

// missingScope returns the error of an access token that may only read.
func missingScope(status int) *publish.Error {
	return holdWith(publish.HoldScope, status,
		`the access token may not write: set the permissions of the app to "Read and write" at https://console.x.com, create a new access token, and reconnect the account`)
}

// tokenRevoked returns the error of credentials that X does not accept.
func tokenRevoked(status int) *publish.Error {
	return holdWith(publish.HoldRevoked, status, "X does not accept the keys and tokens: create new ones at https://console.x.com, and reconnect the account")
}

// rateLimits are the prefixes of the headers of X's limits.
var rateLimits = []string{"X-Rate-Limit", "X-User-Limit-24hour", "X-App-Limit-24hour"}

// resetOf returns when the limits that are used up end, or the zero time if the headers
// do not say. Limits that are not used up do not matter.
func resetOf(h http.Header, now time.Time) (latest time.Time) {
	for _, prefix := range rateLimits {
		left, err := strconv.Atoi(strings.TrimSpace(h.Get(prefix + "-Remaining")))
		if err != nil || left > 0 {
			continue
		}
		seconds, err := strconv.ParseInt(strings.TrimSpace(h.Get(prefix+"-Reset")), 10, 64)
		if err != nil {
			continue
		}
		if at := outbound.RetryIn(float64(seconds-now.Unix()), now); at.After(latest) {
			latest = at
		}
	}
	return latest.Truncate(time.Second)
}
