package publish

import (
	"context"
	"time"
)

// Expiry says when the credentials of an account end. The zero value is for credentials
// that do not end, or whose end the publisher does not know.
type Expiry struct {
	At      time.Time
	Assumed bool      // the network does not report At
	RenewAt time.Time // from when on Renew is called; zero if only a person can renew them
}

// Renewer is a publisher whose credentials end, and can be replaced before. Connect returns
// the end in [Profile].Expiry.
type Renewer interface {
	// Renew returns credentials that end later, and when. It is called once a day after
	// RenewAt, never twice at the same time for an account, and on one node only. An
	// error changes nothing. It has the outcome unknown if the network may have accepted
	// the request.
	Renew(ctx context.Context, c Credentials) (Credentials, Expiry, error)
}

// Rotating is a [Refresher] whose network replaces the token that renews the session. The
// new session is stored before it is used. If the process ends before it is stored, or the
// outcome of the request is unknown, the old token is sent again.
type Rotating interface {
	// Rotates reports whether renewing these credentials replaces such a token.
	Rotates(c Credentials) bool
}

// PaidCheck is a publisher whose network charges for the requests of Connect. Its accounts
// are checked once a day, also while their network refuses them.
type PaidCheck interface{ PaidCheck() bool }

// SingleUse is a [Renewer] or [Refresher] whose network accepts some tokens only once, and
// revokes the login if one is sent again. That it is sent is stored before the request, and
// the response is stored before the new credentials are used. If the process ends in
// between, or the outcome of the request is unknown, the token is never sent again: a
// person has to reconnect the account. Connect of such a publisher sends none.
type SingleUse interface {
	// SingleUse reports whether renewing these credentials sends such a token.
	SingleUse(c Credentials) bool
}
