package meta

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The credentials that Connect and Renew of platforms with tokens of 60 days add.
const (
	FieldIssued  = "issued_at"  // when the token was issued or first given, in Unix seconds
	FieldEnds    = "expires_at" // in Unix seconds
	FieldAssumed = "expires_at_assumed"
)

const (
	// tokenLife is how long a token is valid.
	tokenLife = 60 * 24 * time.Hour

	// renewBefore is how long before its end a token is renewed, and renewAfter how old it
	// must be.
	renewBefore = 7 * 24 * time.Hour
	renewAfter  = 24 * time.Hour
)

// WithEnd returns the credentials with the end of a token of 60 days, and the end. The
// credentials are nil if they have it already, and do not change. If they have none, or one
// that was assumed, the network is asked, and a token that ends within a week is renewed. If
// the network does not say, an end 60 days after the token was first given is assumed. grant is that of [API.Renew].
func (a API) WithEnd(ctx context.Context, grant, version string, c publish.Credentials) (publish.Credentials, publish.Expiry) {
	issued, err := strconv.ParseInt(c[FieldIssued], 10, 64)
	ends, err2 := strconv.ParseInt(c[FieldEnds], 10, 64)
	known, assumed := err == nil && err2 == nil, c[FieldAssumed] == "yes"
	if known && !assumed {
		return nil, expiryOf(time.Unix(issued, 0), time.Unix(ends, 0), false)
	}
	now := time.Now()
	issuedAt, endsAt := a.debugEnd(ctx, version)
	switch {
	case endsAt.After(now):
	case known:
		return nil, expiryOf(time.Unix(issued, 0), time.Unix(ends, 0), true)
	default:
		return ending(c, now, now.Add(tokenLife), true)
	}
	if endsAt.Sub(now) <= renewBefore && now.Sub(issuedAt) >= renewAfter {
		if fresh, expiry, err := a.Renew(ctx, grant, c); err == nil {
			return fresh, expiry
		}
	}
	return ending(c, issuedAt, endsAt, false)
}

// debugEnd asks when the token was issued and when it ends
// (https://developers.facebook.com/docs/graph-api/reference/debug_token). Both are zero if the
// network does not say.
func (a API) debugEnd(ctx context.Context, version string) (issued, ends time.Time) {
	var body struct {
		Data struct {
			Issued int64 `json:"issued_at"`
			Ends   int64 `json:"expires_at"`
		} `json:"data"`
	}
	if a.Read(ctx, &body, url.Values{"input_token": {a.Token}}, version, "debug_token") != nil || body.Data.Ends <= 0 {
		return issued, ends
	}
	ends = time.Unix(body.Data.Ends, 0)
	if issued = ends.Add(-tokenLife); body.Data.Issued > 0 {
		issued = time.Unix(body.Data.Issued, 0)
	}
	return issued, ends
}

// WithoutEnd returns the credentials without what [WithEnd] adds.
func WithoutEnd(c publish.Credentials) publish.Credentials {
	given := maps.Clone(c)
	for _, name := range []string{FieldIssued, FieldEnds, FieldAssumed} {
		delete(given, name)
	}
	return given
}

// ending returns credentials with the end of their token.
func ending(c publish.Credentials, issued, ends time.Time, assumed bool) (publish.Credentials, publish.Expiry) {
	held := maps.Clone(c)
	held[FieldIssued], held[FieldEnds], held[FieldAssumed] = strconv.FormatInt(issued.Unix(), 10), strconv.FormatInt(ends.Unix(), 10), "no"
	if assumed {
		held[FieldAssumed] = "yes"
	}
	return held, expiryOf(issued, ends, assumed)
}

func expiryOf(issued, ends time.Time, assumed bool) publish.Expiry {
	renew := ends.Add(-renewBefore)
	if earliest := issued.Add(renewAfter); renew.Before(earliest) {
		renew = earliest
	}
	return publish.Expiry{At: ends, Assumed: assumed, RenewAt: renew}
}

// Renew exchanges the token for a new one, valid for 60 days. The old token stays valid.
// grant is the grant type of the platform, such as "th_refresh_token".
func (a API) Renew(ctx context.Context, grant string, c publish.Credentials) (publish.Credentials, publish.Expiry, error) {
	var fresh struct {
		Token   string      `json:"access_token"`
		Seconds json.Number `json:"expires_in"`
	}
	if err := a.Read(ctx, &fresh, url.Values{"grant_type": {grant}}, "refresh_access_token"); err != nil {
		return nil, publish.Expiry{}, err
	}
	seconds, err := fresh.Seconds.Int64()
	if err != nil || seconds <= 0 || !outbound.ValidToken(fresh.Token) || fresh.Token == "" {
		return nil, publish.Expiry{}, &publish.Error{
			Kind: schedctl.KindPlatform, Outcome: schedctl.OutcomeNotPublished, Message: a.Platform + " returned no usable token",
		}
	}
	now, renewed := time.Now(), maps.Clone(c)
	renewed[FieldToken] = fresh.Token
	renewed, expiry := ending(renewed, now, now.Add(time.Duration(seconds)*time.Second), false)
	return renewed, expiry, nil
}
