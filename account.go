package schedctl

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Account is one identity on one network that a workspace publishes to.
type Account struct {
	ID          string
	WorkspaceID string
	Platform    string
	Name        string // chosen by the user, unique in the workspace; 1–80 characters
	Username    string // the network's name for the account
	DisplayName string
	ProfileURL  string
	Status      AccountStatus
	Limits      Limits
	Options     Options
	Credentials []byte       // sealed; only the daemon can open it
	Error       *TargetError // why Status is AccountError, or nil
	PausedUntil time.Time    // no request is sent before this time; zero for no pause
	PausedBy    ErrorKind    // the kind of the error that paused the account while it is connected; empty if it is not known

	// DisruptedSince is the time of the first request for the account without a
	// response, with no success since; otherwise zero. While it is set, PausedUntil is
	// the time of the next probe. A successful verification ends both.
	DisruptedSince time.Time

	// ThreadTargetID is the target whose thread the account started last. It may be
	// finished. While it is not, no other target of the account is published.
	ThreadTargetID string

	Expiry Expiry // of the credentials

	// Warnings are what the network does not let the credentials do, at the last check. It
	// has at most [MaxAccountWarnings].
	Warnings []string

	// Blackouts are copies of the blackouts of the account that are not settled, in
	// order of their ids.
	Blackouts []AccountBlackout

	// ResultsAskedAt is when a client last asked for results to be read at once; zero for never.
	ResultsAskedAt time.Time

	// Approvals is a copy of the policy of the workspace.
	Approvals ApprovalPolicy

	CreatedAt time.Time
	UpdatedAt time.Time
}

// MaxAccountWarnings is how many warnings of its network an account has at most.
const MaxAccountWarnings = 5

// EndDisruption ends the wait for the next probe of an unreachable network, after a
// success or because a person wants the probe at once. A pause that the network
// requested stays.
func (a *Account) EndDisruption() {
	if !a.DisruptedSince.IsZero() {
		a.EndPause()
	}
}

// EndPause ends a disruption, and a pause that the network requested of a connected account,
// because a person wants the next request at once. The date of a refusal stays.
func (a *Account) EndPause() {
	if a.Status == AccountConnected || !a.DisruptedSince.IsZero() {
		a.PausedUntil, a.PausedBy, a.DisruptedSince = time.Time{}, "", time.Time{}
	}
}

// Refused records why the network refuses the account, and until when: zero if it does not
// say so. An older pause ends, because its date says nothing about the refusal.
func (a *Account) Refused(why *TargetError, until time.Time) {
	a.Status, a.Error, a.PausedUntil, a.PausedBy = AccountError, why, until, ""
}

// Accepted records that the network accepts the account. It ends a hold, also before its
// date, and a disruption. A pause that the network requested of a connected account stays.
func (a *Account) Accepted() {
	if a.Status != AccountConnected {
		a.PausedUntil, a.PausedBy = time.Time{}, ""
	}
	a.Status, a.Error = AccountConnected, nil
	a.EndDisruption()
}

// Identity is a user of a network, as the network names it. Several accounts may
// log in as the same identity, in one workspace or in several.
type Identity struct {
	Platform string
	Login    string // the URL of the public page, or else the user name; may be empty
}

// Identity returns the user that the account logs in as. Ids of posts are unique among
// all accounts with the same identity.
func (a *Account) Identity() Identity {
	if a.ProfileURL != "" {
		return Identity{Platform: a.Platform, Login: a.ProfileURL}
	}
	return Identity{Platform: a.Platform, Login: a.Username}
}

// AccountStatus says whether an account can be published to.
type AccountStatus string

// The statuses of an account.
const (
	AccountConnected    AccountStatus = "connected"
	AccountDisconnected AccountStatus = "disconnected" // removed; its secrets are erased
	AccountError        AccountStatus = "error"        // refused by its network; its queue is held
)

// Limits are what a network accepts in one post.
type Limits struct {
	MaxCharacters int    // 0 if the network has no limit
	Unit          string // the unit of MaxCharacters: "characters", "graphemes" or "bytes"
	URLCharacters int    // the counted length of every URL; 0 for its real length
	Polls         PollLimits
	Files         FileLimits

	// Posts is how many posts the network accepts in any period of Window. Both are 0 if
	// the network reports no such limit.
	Posts  int
	Window time.Duration
}

// PollLimits are the limits of polls that the network of an account reports. The zero
// value means that it reports none, and a zero field that it has no such limit.
type PollLimits struct {
	None       bool // the network has no polls
	MaxOptions int
	MaxOption  int           // characters of an option
	MinTime    time.Duration // how long a poll runs at least
	MaxTime    time.Duration
}

// FileLimits are the limits of files that the network of an account reports. A zero field
// means that it reports none.
type FileLimits struct {
	MaxFiles    int // in one post
	MaxAlt      int // characters of an alt text
	ImageBytes  int64
	ImagePixels int
	VideoBytes  int64
	VideoPixels int

	Types string // the MIME types that the network takes, separated by spaces
}

// Options are settings of an account, as in the API: JSON values by name.
type Options map[string]any

// Bool returns the named option, or false.
func (o Options) Bool(name string) bool { v, _ := o[name].(bool); return v }

// String returns the named option, or the empty string.
func (o Options) String(name string) string { v, _ := o[name].(string); return v }

// Number returns the named option, and whether it is set to a number.
func (o Options) Number(name string) (float64, bool) { v, ok := o[name].(float64); return v, ok }

// Duration returns the named option, and whether it is set and valid.
func (o Options) Duration(name string) (time.Duration, bool) {
	d, err := time.ParseDuration(o.String(name))
	return d, err == nil
}

// OptionRequireAlt is the name of the option, a boolean, of accounts that take no file
// without an alt text. Accounts of every platform have it.
const OptionRequireAlt = "require_alt"

// Options of accounts about the results of their posts; see [ResultsSetting].
const (
	OptionResults        = "results"
	OptionResultsPerHour = "results_per_hour"
	OptionResultsBudget  = "results_budget"
	OptionOwnApp         = "own_app" // the account owns the developer app
)

// The values of [OptionResults].
const (
	ResultsAuto   = "auto" // where reading is free and the credentials allow it
	ResultsAlways = "on"
	ResultsNever  = "off"
)

// MaxResultsPerHour is the largest value of [OptionResultsPerHour].
const MaxResultsPerHour = 600

// ResultsSetting is what an account wants of the readings of its results.
type ResultsSetting struct {
	Mode    string // [ResultsAuto], [ResultsAlways] or [ResultsNever]
	PerHour int    // the most requests in an hour
	Budget  int64  // the most that readings may cost in a month, in millionths of a US dollar
}

// ResultsSetting returns the setting, with the default of what is not set.
func (a *Account) ResultsSetting() ResultsSetting {
	s := ResultsSetting{Mode: ResultsAuto, PerHour: 60, Budget: 1_000_000}
	if mode := a.Options.String(OptionResults); mode != "" {
		s.Mode = mode
	}
	if n, ok := a.Options.Number(OptionResultsPerHour); ok {
		s.PerHour = int(n)
	}
	if n, ok := a.Options.Number(OptionResultsBudget); ok {
		s.Budget = int64(n*1e6 + 0.5)
	}
	return s
}

// MaxAccountName is the longest account name, in characters.
const MaxAccountName = 80

// CheckAccountName returns nil for a name of 1–80 characters without control
// characters and without white space around it, else a [ValidationFailed] error.
func CheckAccountName(name string) error {
	n := utf8.RuneCountInString(name)
	switch {
	case n == 0 || n > MaxAccountName:
		return Errorf(ValidationFailed, "name", "the name has %d characters; use 1 to %d", n, MaxAccountName)
	case !utf8.ValidString(name), strings.ContainsFunc(name, unicode.IsControl):
		return Errorf(ValidationFailed, "name", "the name contains a control character or invalid UTF-8; use printable characters")
	case strings.TrimSpace(name) != name:
		return Errorf(ValidationFailed, "name", "the name starts or ends with white space; remove it")
	}
	return nil
}

// MaxAccounts is the largest number of accounts of one post.
const MaxAccounts = 100

// ResolveAccounts returns the accounts with the given ids, in the same order.
// lookup finds an account of the post's workspace. Unknown, repeated, not
// connected and too many ids are [InvalidSocialAccounts] with one detail each.
func ResolveAccounts(ids []string, lookup func(id string) (Account, bool)) ([]Account, error) {
	const field = "social_account_ids"
	if len(ids) > MaxAccounts {
		return nil, Errorf(InvalidSocialAccounts, field, "%d accounts are too many; a post goes to at most %d", len(ids), MaxAccounts)
	}
	seen := make(map[string]bool, len(ids))
	accounts := make([]Account, 0, len(ids))
	var faults []FieldError
	for _, id := range ids {
		a, found := lookup(id)
		if reason := refuseAccount(a, found, seen[id]); reason != "" {
			name := id
			if found {
				name = a.Platform + ":" + a.Name
			}
			faults = append(faults, FieldError{Field: field, Code: InvalidSocialAccounts, Message: name + ": " + reason})
			continue
		}
		seen[id] = true
		accounts = append(accounts, a)
	}
	if faults != nil {
		e := Errorf(InvalidSocialAccounts, field, "%s", faults[0].Message)
		e.Details = faults
		return nil, e
	}
	return accounts, nil
}

func refuseAccount(a Account, found, repeated bool) string {
	switch {
	case !found:
		return "no such account in this workspace"
	case repeated:
		return "is given twice; name each account once"
	case a.Status == AccountDisconnected:
		return "is disconnected; connect it again"
	case a.Status == AccountError && a.Error != nil && a.Error.Message != "":
		return "is refused by its network: " + a.Error.Message
	case a.Status == AccountError:
		return "is refused by its network; reconnect it with new credentials first"
	}
	return ""
}
