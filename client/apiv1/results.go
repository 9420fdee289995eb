package apiv1

import "github.com/schedctl/schedctl"

// Metrics are the numbers that a network reports about a published post. Null means that the
// network gives no number, and 0 that it says there is none.
type Metrics struct {
	Views     *int64           `json:"views" doc:"Times shown."`
	Reach     *int64           `json:"reach" doc:"People reached."`
	Reactions *int64           `json:"reactions" doc:"Of all kinds."`
	Reposts   *int64           `json:"reposts" doc:"Without a text."`
	Quotes    *int64           `json:"quotes" doc:"With a text."`
	Replies   *int64           `json:"replies" doc:"Without own ones."`
	Clicks    *int64           `json:"clicks" doc:"Clicks."`
	Saves     *int64           `json:"saves" doc:"Saves."`
	Other     map[string]int64 `json:"other" doc:"By their name on the network."`
}

// NewMetrics returns the form of the API.
func NewMetrics(m schedctl.Metrics) Metrics {
	if m.Other == nil {
		m.Other = map[string]int64{}
	}
	return Metrics(m)
}

// ResultsStatus says how current the results of a target are.
type ResultsStatus string

// The statuses of results.
const (
	ResultsUnavailable       ResultsStatus = "unavailable"
	ResultsReconnectRequired ResultsStatus = "reconnect_required"
	ResultsFailed            ResultsStatus = "failed"
	ResultsCollecting        ResultsStatus = "collecting"
	ResultsDelayed           ResultsStatus = "delayed"
	ResultsReady             ResultsStatus = "ready"
)

// PostResults is the response to GET /posts/{id}/results.
type PostResults struct {
	PostID      string          `json:"post_id" doc:"The post."`
	PostVersion int64           `json:"post_version" doc:"The version of the post. Readings do not change it."`
	Totals      ResultsTotals   `json:"totals" doc:"Sums."`
	Targets     []TargetResults `json:"targets" doc:"The published targets, in the order of the post's accounts."`
}

// ResultsTotals are sums of targets.
type ResultsTotals struct {
	Views          *int64       `json:"views" doc:"Times shown."`
	Clicks         *int64       `json:"clicks" doc:"Clicks."`
	Engagements    *int64       `json:"engagements" doc:"Reactions, reposts, quotes, replies and saves."`
	EngagementRate *float64     `json:"engagement_rate" doc:"Of the targets that give both."`
	Known          KnownResults `json:"known" doc:"Targets that give it."`
}

// KnownResults count the targets that give a number.
type KnownResults struct {
	Views       int `json:"views" doc:"Times shown."`
	Clicks      int `json:"clicks" doc:"Clicks."`
	Engagements int `json:"engagements" doc:"Engagements."`
}

// TargetResults are the results of one target.
type TargetResults struct {
	TargetID        string                  `json:"target_id" doc:"The target."`
	SocialAccountID string                  `json:"social_account_id" doc:"The account."`
	Platform        string                  `json:"platform" doc:"The platform."`
	Status          ResultsStatus           `json:"status" doc:"How current the numbers are." enum:"unavailable,reconnect_required,failed,collecting,delayed,ready"`
	StatusLabel     string                  `json:"status_label" doc:"For people."`
	Reason          *schedctl.ResultsReason `json:"reason" doc:"Why there are no new numbers: removed, unsupported, off, too_old, disconnected, missing_scope, refused, pending, rate_limited, budget, unreachable or complete; null if they are current."`
	Metrics         Metrics                 `json:"metrics" doc:"The numbers."`
	Engagements     *int64                  `json:"engagements" doc:"Engagements."`
	EngagementRate  *float64                `json:"engagement_rate" doc:"For each view."`
	PublishedAt     *Time                   `json:"published_at" doc:"When published."`
	LastRefreshAt   *Time                   `json:"last_refresh_at" doc:"When the numbers were read; null before the first reading."`
	NextRefreshAt   *Time                   `json:"next_refresh_at" doc:"When they are read next; null for never."`
	RemovedAt       *Time                   `json:"removed_at" doc:"When the network was first found not to have the post any longer; null otherwise."`
	Estimated       bool                    `json:"estimated" doc:"Whether the numbers are estimates."`
	Parts           []PartResults           `json:"parts" doc:"Of a thread: the further parts, as far as the network gives their numbers."`
	Reported        *ReportedResults        `json:"reported" doc:"What clients reported, also part of metrics where the network gives nothing; null for nothing."`
	Points          []ResultPoint           `json:"points" doc:"The readings, the oldest first, at most 12."`
}

// PartResults are the numbers of a further part of a thread.
type PartResults struct {
	Index          int     `json:"index" doc:"Of the part; the first further one is 1."`
	PlatformPostID string  `json:"platform_post_id" doc:"Its id on the network."`
	Metrics        Metrics `json:"metrics" doc:"The numbers."`
}

// ReportedResults are numbers that clients have given.
type ReportedResults struct {
	At      *Time   `json:"at" doc:"When they were counted." nullable:"false"`
	Metrics Metrics `json:"metrics" doc:"The numbers."`
}

// RefreshResults is the body of POST /posts/{id}/results/refresh; it may be absent.
type RefreshResults struct {
	TargetIDs []string `json:"target_ids,omitempty" doc:"The targets to read; absent for all published ones." minItems:"1" maxItems:"100"`
}

// ResultsRefresh is the response to POST /posts/{id}/results/refresh.
type ResultsRefresh struct {
	PostID        string   `json:"post_id" doc:"The post."`
	TargetIDs     []string `json:"target_ids" doc:"The targets that are read."`
	CostUSDAtMost float64  `json:"cost_usd_at_most" doc:"What the networks may charge, in US dollars."`
}

// ReportResults is the body of PUT /posts/{id}/results.
type ReportResults struct {
	TargetID string         `json:"target_id" doc:"The target."`
	Metrics  ReportedCounts `json:"metrics" doc:"The numbers; others stay."`
	At       *Time          `json:"at,omitempty" doc:"When they were counted; absent or null for now." nullable:"true"`
}

// ReportedCounts are numbers that a client gives.
type ReportedCounts struct {
	Views     *int64 `json:"views,omitempty" doc:"Times shown."`
	Reach     *int64 `json:"reach,omitempty" doc:"People reached."`
	Reactions *int64 `json:"reactions,omitempty" doc:"Of all kinds."`
	Reposts   *int64 `json:"reposts,omitempty" doc:"Without a text."`
	Quotes    *int64 `json:"quotes,omitempty" doc:"With a text."`
	Replies   *int64 `json:"replies,omitempty" doc:"Without own ones."`
	Clicks    *int64 `json:"clicks,omitempty" doc:"Clicks."`
	Saves     *int64 `json:"saves,omitempty" doc:"Saves."`
}

// ResultPoint is one reading.
type ResultPoint struct {
	At         *Time   `json:"at" doc:"When." nullable:"false"`
	AgeSeconds int64   `json:"age_seconds" doc:"Of the post."`
	Metrics    Metrics `json:"metrics" doc:"The numbers."`
}

// AnalyticsRow is a published target in both analytics calls.
type AnalyticsRow struct {
	PostID          string                  `json:"post_id" doc:"The post."`
	PostTargetID    string                  `json:"post_target_id" doc:"The target."`
	SocialAccountID string                  `json:"social_account_id" doc:"The account."`
	Platform        string                  `json:"platform" doc:"The platform."`
	AccountLabel    string                  `json:"account_label" doc:"Its name."`
	Preview         string                  `json:"preview" doc:"Its start."`
	PlatformPostID  *string                 `json:"platform_post_id" doc:"Null if the network did not say."`
	PlatformURL     *string                 `json:"platform_url" doc:"Null if the network did not say."`
	PublishedAt     *Time                   `json:"published_at" doc:"When published."`
	AnalyticsStatus ResultsStatus           `json:"analytics_status" doc:"status of TargetResults."`
	StatusLabel     string                  `json:"status_label" doc:"For people."`
	Reason          *schedctl.ResultsReason `json:"reason" doc:"See TargetResults."`
	LastRefreshAt   *Time                   `json:"last_refresh_at" doc:"Null before the first reading."`
	NextRefreshAt   *Time                   `json:"next_refresh_at" doc:"Null for never."`
	Views           *int64                  `json:"views" doc:"Times shown."`
	Clicks          *int64                  `json:"clicks" doc:"Clicks."`
	Engagements     *int64                  `json:"engagements" doc:"Engagements."`
	EngagementRate  *float64                `json:"engagement_rate" doc:"For each view."`
	Trend           *float64                `json:"trend" doc:"Engagements of the last 24 hours against the 24 hours before, as a fraction."`
	Reactions       *int64                  `json:"reactions" doc:"Reactions."`
	Reposts         *int64                  `json:"reposts" doc:"Reposts."`
	Quotes          *int64                  `json:"quotes" doc:"Quotes."`
	Replies         *int64                  `json:"replies" doc:"Replies."`
	Reach           *int64                  `json:"reach" doc:"People reached."`
	Saves           *int64                  `json:"saves" doc:"Saves."`
	RemovedAt       *Time                   `json:"removed_at" doc:"Null if the network still has it."`
	Estimated       bool                    `json:"estimated" doc:"Whether some numbers are estimates."`
	Growth          []int64                 `json:"growth" doc:"Engagements of the readings, the oldest first."`
}

// ResultsSort is an order of published targets.
type ResultsSort string

// The orders. Targets without the number come last, and the latest first among equal ones.
const (
	ResultsByTime        ResultsSort = "-published_at"
	ResultsByEngagements ResultsSort = "-engagements"
	ResultsByViews       ResultsSort = "-views"
	ResultsByReactions   ResultsSort = "-reactions"
	ResultsByReplies     ResultsSort = "-replies"
	ResultsByClicks      ResultsSort = "-clicks"
	ResultsByRate        ResultsSort = "-engagement_rate"
	ResultsByRemoval     ResultsSort = "removed_at"
)

// ResultsSorts lists the orders, the default one first.
func ResultsSorts() []ResultsSort {
	return []ResultsSort{
		ResultsByTime, ResultsByEngagements, ResultsByViews, ResultsByReactions, ResultsByReplies, ResultsByClicks, ResultsByRate, ResultsByRemoval,
	}
}

// ResultsList is the response to GET /results.
type ResultsList struct {
	Results    []AnalyticsRow `json:"results" doc:"The targets of this page."`
	Count      int            `json:"count" doc:"How many results this page has."`
	NextCursor *string        `json:"next_cursor" doc:"Null at the end."`
}

// ResultsBy is what groups of published targets have in common.
type ResultsBy string

// The ways to group.
const (
	ResultsByAccount  ResultsBy = "account"
	ResultsByPlatform ResultsBy = "platform"
	ResultsByLabel    ResultsBy = "label"
	ResultsBySeries   ResultsBy = "series"
	ResultsByQueue    ResultsBy = "queue"
	ResultsByWeekday  ResultsBy = "weekday"
	ResultsByHour     ResultsBy = "hour"
	ResultsByMedia    ResultsBy = "media"
)

// ResultsGroupings lists the ways to group.
func ResultsGroupings() []ResultsBy {
	return []ResultsBy{ResultsByAccount, ResultsByPlatform, ResultsByLabel, ResultsBySeries, ResultsByQueue, ResultsByWeekday, ResultsByHour, ResultsByMedia}
}

// Weekdays lists the keys of groups by weekday.
func Weekdays() []string {
	return []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
}

// ResultsSummary is the response to GET /results/summary.
type ResultsSummary struct {
	Groups    []ResultsGroup `json:"groups" doc:"Weekdays and hours in their order, others with the highest median of engagements first."`
	Truncated bool           `json:"truncated" doc:"Whether there are more than 200 groups; those with the fewest posts are left out."`
}

// ResultsGroup has the numbers of the published targets of a group.
type ResultsGroup struct {
	Key         *string        `json:"key" doc:"The id of an account, a series or a queue; a platform or label; a weekday such as monday; an hour from 00 to 23; or none, picture, gif, video, document or mixed. Null for the posts that have none."`
	Posts       int            `json:"posts" doc:"Posts."`
	Targets     int            `json:"targets" doc:"Targets of these posts."`
	Few         bool           `json:"few" doc:"Whether there are fewer than 5 posts, so that a median says little."`
	Engagements ResultsMeasure `json:"engagements" doc:"Engagements."`
	Views       ResultsMeasure `json:"views" doc:"Times shown. Without sum and median if several platforms give views, since each counts them in its own way."`
	Rate        ResultsMeasure `json:"rate" doc:"Engagements for each view; its sum is the rate of all together."`
}

// ResultsMeasure sums up one number of a group.
type ResultsMeasure struct {
	Known  int      `json:"known" doc:"Targets that give it."`
	Sum    *float64 `json:"sum" doc:"Of these."`
	Median *float64 `json:"median" doc:"Of these."`
}

// AnalyticsWorkspace is the response to GET /analytics/workspace.
type AnalyticsWorkspace struct {
	Workspace AnalyticsPlace `json:"workspace" doc:"Of the key."`
	Metrics   AnalyticsGains `json:"metrics" doc:"The numbers."`
	Sparkline []AnalyticsDay `json:"sparkline" doc:"Engagements of the last 14 days, the oldest first."`
	TopPost   *AnalyticsRow  `json:"top_post" doc:"The target of the last 7 days with the most engagements; null for none."`
	Posts     []AnalyticsRow `json:"posts" doc:"The latest first. A page of a limited key can be short."`
	Count     int            `json:"count" doc:"Of rows."`
	Total     int            `json:"total" doc:"Of all published targets of the accounts, counted up to 10,000."`
	Limit     int            `json:"limit" doc:"As asked."`
	Offset    int            `json:"offset" doc:"As asked."`
}

// AnalyticsPlace is the workspace of the numbers.
type AnalyticsPlace struct {
	ID       string `json:"id" doc:"The id."`
	Timezone string `json:"timezone" doc:"The IANA time zone that decides where days begin."`
}

// AnalyticsGains are what the targets gained in the last hour and in the last day.
type AnalyticsGains struct {
	ViewsLastHour       AnalyticsGain `json:"views_last_hour" doc:"Last hour."`
	ViewsLastDay        AnalyticsGain `json:"views_last_day" doc:"Last day."`
	ClicksLastHour      AnalyticsGain `json:"clicks_last_hour" doc:"Last hour."`
	ClicksLastDay       AnalyticsGain `json:"clicks_last_day" doc:"Last day."`
	EngagementsLastHour AnalyticsGain `json:"engagements_last_hour" doc:"Last hour."`
	EngagementsLastDay  AnalyticsGain `json:"engagements_last_day" doc:"Last day."`
}

// AnalyticsGain is what was gained in a period.
type AnalyticsGain struct {
	Value         int64  `json:"value" doc:"The gain, which can be negative; 0 if nothing is known."`
	PreviousValue *int64 `json:"previous_value" doc:"The gain of the period before; null if no reading reaches back that far."`
	KnownTargets  int    `json:"known_targets" doc:"How many targets were read for the period."`
	Estimated     bool   `json:"estimated" doc:"Whether readings are further apart than the period, or targets were left out."`
}

// AnalyticsDay is the gain of one day.
type AnalyticsDay struct {
	Label string `json:"label" doc:"YYYY-MM-DD" format:"date"`
	Value int64  `json:"value" doc:"The engagements gained on that day; 0 if nothing is known."`
}

// AnalyticsPost is the response to GET /analytics/post/{id}.
type AnalyticsPost struct {
	PostID  string            `json:"post_id" doc:"The post."`
	Post    AnalyticsPostHead `json:"post" doc:"In short."`
	Totals  AnalyticsTotals   `json:"totals" doc:"Sums."`
	Targets []AnalyticsRow    `json:"targets" doc:"If published."`
}

// AnalyticsPostHead describes a post in short.
type AnalyticsPostHead struct {
	ID               string          `json:"id" doc:"The id."`
	Title            *string         `json:"title" doc:"Or null."`
	Preview          string          `json:"preview" doc:"Its start."`
	Status           schedctl.Status `json:"status" doc:"Of the post."`
	PublishedTargets int             `json:"published_targets" doc:"How many targets are published."`
}

// AnalyticsTotals are sums that are never null, for clients that cannot read null.
type AnalyticsTotals struct {
	Views          int64        `json:"views" doc:"Times shown."`
	Clicks         int64        `json:"clicks" doc:"Clicks."`
	Engagements    int64        `json:"engagements" doc:"Engagements."`
	EngagementRate *float64     `json:"engagement_rate" doc:"Of the targets that give both."`
	Known          KnownResults `json:"known" doc:"Targets that give it."`
}
