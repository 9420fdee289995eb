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
// credentials are nil if they have it already. The network reports the end only when a
// token is renewed, so that of a pasted token is assumed.
func WithEnd(c publish.Credentials, now time.Time) (publish.Credentials, publish.Expiry) {
	issued, err := strconv.ParseInt(c[FieldIssued], 10, 64)
	ends, err2 := strconv.ParseInt(c[FieldEnds], 10, 64)
	if err == nil && err2 == nil {
		return nil, expiryOf(time.Unix(issued, 0), time.Unix(ends, 0), c[FieldAssumed] == "yes")
	}
	return ending(c, now, now.Add(tokenLife), true)
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
