package publish

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/schedctl/schedctl"
)

// HoldCode says why a network refuses an account and not only a post. The queue of the
// account waits until a person has done what the message says. It is the code of the
// account's error.
type HoldCode string

// The codes of holds that several networks have. Networks also use codes of their own.
const (
	HoldCredits  HoldCode = "credits_depleted" // the account of the developer app has no credit left
	HoldVersion  HoldCode = "version_retired"  // the network has retired every version of its API that schedctl knows
	HoldScope    HoldCode = "missing_scope"    // the token lacks a permission
	HoldExpired  HoldCode = "token_expired"    // the token has reached its end
	HoldRevoked  HoldCode = "token_revoked"    // the user or the network has ended the token
	HoldBlocked  HoldCode = "blocked"          // the network blocks the account for some time
	reconnecting          = "reconnect it with: schedctl account reconnect ACCOUNT"
)

// EndsCredentials reports whether an account with this code needs new credentials. The other
// holds end with the credentials that the account has, once a person has done what the error
// says.
func (c HoldCode) EndsCredentials() bool {
	return c != HoldCredits && c != HoldBlocked && c != HoldVersion
}

// holds are what a person has to do. %s is the platform.
var holds = map[HoldCode]string{
	HoldCredits: "the credits of the developer app on %s are used up; buy credits in its developer portal, then run: schedctl account verify ACCOUNT",
	HoldVersion: "%s has retired every version of its API that this schedctl knows; update schedctl, or set the option api_version",
	HoldScope:   "the token for %s lacks a permission; create one with all permissions that \"schedctl help\" lists for it, and " + reconnecting,
	HoldExpired: "the token for %s has expired; create a new one, and " + reconnecting,
	HoldRevoked: "%s does not accept the token: it was revoked, or is not complete; create a new one, and " + reconnecting,
	HoldBlocked: "%s blocks this account at the moment; check the account there, then run: schedctl account verify ACCOUNT",
}

// Hold returns the error of a network that refuses an account, with the sentence for the
// code. detail is what the network said in addition, or empty. Nothing was published.
func Hold(code HoldCode, platform string, status int, detail string) *Error {
	e := &Error{
		Kind: schedctl.KindAuth, Code: string(code), HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished,
		Message: fmt.Sprintf(holds[code], platform), Words: Clip(detail, maxHoldMessage),
	}
	if detail != "" {
		e.Message = Clip(e.Message+" ("+detail+")", maxHoldMessage)
	}
	return e
}

// maxHold bounds the date that a network gives for the end of a hold.
const maxHold = 62 * 24 * time.Hour

// HeldUntil returns when a network that refuses an account says that it ends, at most two
// months from now, or the zero time if it does not say so.
func (e *Error) HeldUntil(now time.Time) time.Time {
	if latest := now.Add(maxHold); e.RetryAt.After(latest) {
		return schedctl.Millis(latest)
	}
	return schedctl.Millis(e.RetryAt)
}

// NeedsScope returns err, the error of a request that needs a permission. If the network
// holds the account because the token lacks one, the message names it.
func NeedsScope(err error, platform, scope string) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != string(HoldScope) {
		return err
	}
	named := *e
	named.Message = fmt.Sprintf("the token for %s lacks the permission %s; add it to your app, create a new token, and %s", platform, scope, reconnecting)
	return &named
}

// reconnectAdvice is the advice of errors to reconnect an account.
var reconnectAdvice = regexp.MustCompile(`(?:, and|;) reconnect (?:the account|it with: schedctl account reconnect ACCOUNT)( \(|:|$)`)

// WhileConnecting returns err, the error of credentials that a user gives at the moment,
// without the advice to reconnect the account.
func WhileConnecting(err *Error) *Error {
	e := *err
	e.Message = reconnectAdvice.ReplaceAllString(e.Message, "$1")
	return &e
}

// maxHoldMessage is how many bytes the message of a hold has at most.
const maxHoldMessage = 500

// HoldCodes lists the codes of holds that several networks have.
func HoldCodes() []HoldCode {
	return []HoldCode{HoldCredits, HoldVersion, HoldScope, HoldExpired, HoldRevoked, HoldBlocked}
}
