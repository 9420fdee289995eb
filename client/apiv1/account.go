package apiv1

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Account is a social account. It never carries a secret.
type Account struct {
	ID            string                 `json:"id" doc:"Starts with acct_."`
	Platform      string                 `json:"platform" doc:"The network, such as mastodon."`
	Name          string                 `json:"name" doc:"Chosen by the user, unique in the workspace."`
	Username      string                 `json:"username" doc:"The network's name for the account."`
	DisplayName   string                 `json:"display_name" doc:"The name that people see on the network."`
	Status        schedctl.AccountStatus `json:"status" doc:"connected; error when the network rejects the account, and its posts wait; disconnected when it was removed."`
	ProfileURL    *string                `json:"profile_url" doc:"The public page of the account; null when unknown."`
	Limits        Limits                 `json:"limits" doc:"Limits of the network for one post."`
	ExpiresAt     *Time                  `json:"expires_at" doc:"When the credentials end; null if they do not end, or if that is unknown. The daemon renews them before where the network allows that."`
	ExpiryAssumed bool                   `json:"expires_at_assumed" doc:"Whether the network does not report the end, and expires_at follows from its documentation."`
	Options       map[string]any         `json:"options" doc:"Options that were set; the others have their defaults."`
	Error         *TargetError           `json:"error" doc:"Why the status is error; null otherwise."`
	Waits         *Waits                 `json:"waits" doc:"Why and until when no post is sent to the network; null if posts need not wait, or if that has no known end."`
	Results       AccountResults         `json:"results" doc:"Whether the results of its posts are read."`
	CreatedAt     *Time                  `json:"created_at" doc:"When the account was first connected." nullable:"false"`
	UpdatedAt     *Time                  `json:"updated_at" doc:"When the account was last changed." nullable:"false"`
	Warnings      []string               `json:"warnings,omitempty" doc:"Things to check, such as another account that logs in as the same user, or a permission that the credentials lack; absent without warnings."`
}

// The reasons of [Waits].
const (
	WaitsHold        = "hold"         // the network refuses the account
	WaitsUnreachable = "unreachable"  // the network does not respond
	WaitsRateLimited = "rate_limited" // the network accepts no more requests for now
	WaitsPause       = "pause"        // the last response of the network was an error
	WaitsBlackout    = "blackout"     // a blackout of mode hold holds the account
	WaitsLabel       = "label"        // a hold of one of the labels of the post
)

// Waits says why posts of an account wait, or one target, and until when.
type Waits struct {
	Reason  string `json:"reason" doc:"hold if the network refuses the account; unreachable if the network does not respond; rate_limited if the network accepts no more requests for now; pause if its last response was an error. Targets also wait because of a blackout that holds the account, or of a hold of a label of the post." enum:"hold,unreachable,rate_limited,pause,blackout,label"`
	Until   *Time  `json:"until" doc:"When the wait ends, as far as it is known: the account is tried again, or the hold ends. Null if it ends when a person resumes or reconnects; only on targets."`
	Message string `json:"message" doc:"The reason in words. GET /social-accounts/{id} adds how many scheduled posts are due before, and which of them would be too late."`
}

// Limits are what the account's network accepts in one post; null where the
// network sets none.
type Limits struct {
	MaxCharacters *int   `json:"max_characters" doc:"The maximum length of the text, counted in unit; null for no limit."`
	Unit          string `json:"unit" doc:"How text is counted: characters, graphemes or bytes."`
	URLCharacters *int   `json:"url_characters" doc:"The length that each URL counts as; null for its actual length."`
	Posts         *int   `json:"posts" doc:"How many posts the network accepts in each period of window_seconds; null for no known limit."`
	WindowSeconds *int   `json:"window_seconds" doc:"The period of posts in seconds; null for no known limit."`
}

// AccountEnvelope is the response to requests about one account.
type AccountEnvelope struct {
	SocialAccount Account    `json:"social_account" doc:"The account."`
	Open          *OpenPosts `json:"open,omitempty" doc:"The posts and series with the account that are not over; only in the response of GET."`
}

// AccountList is the response of GET /social-accounts.
type AccountList struct {
	Results []Account `json:"results" doc:"The accounts in order of creation."`
	Count   int       `json:"count" doc:"The number of results."`
}

// AddAccount is the body of POST /social-accounts.
type AddAccount struct {
	Platform    string            `json:"platform" doc:"The network, such as mastodon."`
	Name        string            `json:"name,omitempty" doc:"1 to 80 characters. Default: the network's name for the account." minLength:"1" maxLength:"80"`
	Credentials map[string]string `json:"credentials,omitempty" doc:"The platform's credentials, such as instance_url and access_token. Stored encrypted and never returned."`
	AppOf       string            `json:"app_of,omitempty" doc:"The id of an account of the same platform and workspace whose developer app this account uses, too: its client_id and client_secret, or api_key and api_secret, are copied to the credentials."`
	Options     map[string]any    `json:"options,omitempty" doc:"Options of the platform, and common ones: pacing, the time between overdue posts; duplicate_guard, the time during which the same text is refused; require_alt, true to refuse files without an alt text; approval, required if all posts need an approval; results (auto, on or off), results_per_hour, results_budget and own_app of the readings of results."`
}

// EditAccount is the body of PATCH /social-accounts/{id}; absent fields stay as
// they are, and new credentials are verified first. An option set to null goes
// back to its default.
type EditAccount struct {
	Name        *string           `json:"name,omitempty" doc:"The new name." minLength:"1" maxLength:"80"`
	Credentials map[string]string `json:"credentials,omitempty" doc:"All credentials; they replace the stored ones after they were verified. This reconnects the account."`
	AppOf       string            `json:"app_of,omitempty" doc:"With credentials: the id of an account, possibly this one, whose developer app the account uses; as in POST /social-accounts."`
	Options     map[string]any    `json:"options,omitempty" doc:"Options to change; null resets an option to its default."`
	Existing    string            `json:"existing,omitempty" doc:"With the option approval: what becomes of scheduled posts and active series of the account that lack an approval; as in PATCH /workspaces/{id}." enum:"approve,submit"`
}

// NewAccount returns the wire form of an account.
func NewAccount(a schedctl.Account) Account {
	return Account{
		ID: a.ID, Platform: a.Platform, Name: a.Name, Username: a.Username, DisplayName: a.DisplayName,
		Status: a.Status, ProfileURL: optional(a.ProfileURL),
		Limits: Limits{
			MaxCharacters: optional(a.Limits.MaxCharacters), Unit: a.Limits.Unit,
			URLCharacters: optional(a.Limits.URLCharacters),
			Posts:         optional(a.Limits.Posts), WindowSeconds: optional(int(a.Limits.Window / time.Second)),
		},
		ExpiresAt: NewTime(a.Expiry.At), ExpiryAssumed: a.Expiry.Assumed,
		Options: orEmpty(a.Options), Error: NewTargetError(a.Error),
		CreatedAt: NewTime(a.CreatedAt), UpdatedAt: NewTime(a.UpdatedAt),
	}
}
