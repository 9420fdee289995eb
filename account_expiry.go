package schedctl

import (
	"fmt"
	"time"
)

// Expiry says when the credentials of an account end. The zero value is for credentials
// that do not end, or whose end is unknown.
type Expiry struct {
	At      time.Time // when they end
	Assumed bool      // the network does not report At
	RenewAt time.Time // when the daemon renews them; zero if only a person can

	// Announced is the smallest of [ExpiryThresholds] for which there was an event about
	// At, or 0.
	Announced int

	// RenewingSince is when the daemon sent a token that the network accepts only once,
	// and the response is not stored yet. It is zero after the response was stored. If
	// the process ended in between, the token must not be sent again.
	RenewingSince time.Time
}

// AccountExpiringEvent returns the event that the credentials of an account end soon.
func AccountExpiringEvent(a Account, now time.Time) Event {
	e := AccountErrorEvent(a, now)
	e.Type, e.Error = EventAccountExpiring, &TargetError{
		Kind: KindAuth, Code: "expiring", Outcome: OutcomeNotPublished,
		Message: ExpiryWarning(a),
	}
	return e
}

// ExpiryWarning says when the credentials of an account end, and what to do.
func ExpiryWarning(a Account) string {
	about := ""
	if a.Expiry.Assumed {
		about = "about "
	}
	return fmt.Sprintf("the credentials of the account end %son %s; get new ones and reconnect the account before: schedctl account reconnect %s",
		about, a.Expiry.At.UTC().Format("2006-01-02 15:04 UTC"), a.ID)
}

// EndsSoon reports whether people should renew the credentials of the account now: they end
// within the first of [ExpiryThresholds], and the daemon should have renewed them by now.
func (e Expiry) EndsSoon(now time.Time) bool {
	soon := time.Duration(ExpiryThresholds()[0]) * 24 * time.Hour
	return !e.At.IsZero() && e.At.Sub(now) <= soon && (e.RenewAt.IsZero() || now.Sub(e.RenewAt) >= 24*time.Hour)
}

// ExpiryThresholds returns how many days before the end of the credentials of an account
// events announce it.
func ExpiryThresholds() []int { return []int{14, 3, 1} }
