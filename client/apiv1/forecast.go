package apiv1

// ForecastKind says why a post will fail or be late.
type ForecastKind string

// The kinds of [ForecastEntry].
const (
	ForecastAccountRemoved  ForecastKind = "account_removed"  // the account is disconnected
	ForecastAccountError    ForecastKind = "account_error"    // the network refuses the account
	ForecastAccountWaits    ForecastKind = "account_waits"    // the account waits beyond the time of the post
	ForecastAccountWarning  ForecastKind = "account_warning"  // the credentials do not let the account publish the post
	ForecastTokenEnds       ForecastKind = "token_ends"       // the credentials end before the post
	ForecastApprovalMissing ForecastKind = "approval_missing" // the post or the series is not approved
	ForecastRefused         ForecastKind = "refused"          // the network does not accept the text or the files
	ForecastBlackout        ForecastKind = "blackout"         // the post falls in a period that the account avoids
	ForecastPaused          ForecastKind = "paused"           // the post falls in a hold
	ForecastRateLimit       ForecastKind = "rate_limit"       // the network accepts no more posts in the period
	ForecastDuplicate       ForecastKind = "duplicate"        // the account gets the same text twice
	ForecastClockChange     ForecastKind = "clock_change"     // the clocks skip or repeat the local time
	ForecastKeyRevoked      ForecastKind = "key_revoked"      // the key that made the post is revoked
)

// ForecastKinds lists the kinds.
func ForecastKinds() []ForecastKind {
	return []ForecastKind{
		ForecastAccountRemoved, ForecastAccountError, ForecastAccountWaits, ForecastAccountWarning, ForecastTokenEnds, ForecastApprovalMissing,
		ForecastRefused, ForecastBlackout, ForecastPaused, ForecastRateLimit, ForecastDuplicate, ForecastClockChange, ForecastKeyRevoked,
	}
}

// ForecastEntry is one thing that makes scheduled posts fail, or be published late, if no
// one acts.
type ForecastEntry struct {
	Kind            ForecastKind `json:"kind" doc:"What is wrong. Clients must ignore kinds that they do not know." enum:"account_removed,account_error,account_waits,account_warning,token_ends,approval_missing,refused,blackout,paused,rate_limit,duplicate,clock_change,key_revoked"`
	At              *Time        `json:"at" doc:"The time of the first post, or occurrence, that would fail or be late." nullable:"false"`
	PostIDs         []string     `json:"post_ids" doc:"The affected posts in order of time, at most 100. Empty for occurrences of a series that are not posts yet."`
	PostCount       int          `json:"post_count" doc:"The number of affected posts that were found."`
	SocialAccountID *string      `json:"social_account_id" doc:"The account; null if the entry is about several accounts or about none."`
	Message         string       `json:"message" doc:"What will happen, and why. Times in it are in UTC."`
	Command         string       `json:"command" doc:"The command of the command line that fixes it, or that shows what to fix."`
}

// ForecastList is the response to GET /forecast.
type ForecastList struct {
	Results   []ForecastEntry `json:"results" doc:"In order of their times, at most 500."`
	Count     int             `json:"count" doc:"The number of results."`
	Until     *Time           `json:"until" doc:"Posts before this time were checked. It is earlier than the requested days if they have more than 2,000 posts, 30,000 targets, or 2 MiB of text." nullable:"false"`
	Truncated bool            `json:"truncated" doc:"Whether not all posts of the days were checked, or not all results are here; then fix what is here and ask again. It is also true if the store of the files did not say which of them exist, and if the accounts published more than 1,000 posts lately: results of the kinds rate_limit and duplicate may then be missing."`
}
