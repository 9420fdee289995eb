package apiv1

// Capabilities is the response of GET /capabilities: the features, limits and
// platforms of this daemon.
type Capabilities struct {
	Workspace Workspace                `json:"workspace" doc:"The workspace of the key."`
	APIKey    APIKey                   `json:"api_key" doc:"The key of the request."`
	Features  map[string]bool          `json:"features" doc:"The features of this daemon, each true: drafts, scheduling, publish_now, cancel, retry, validation, timeline, target_overrides, duplicate_guard, idempotency, if_match, unschedule, external_ids, collections, labels, webhooks, events, api_keys, draft_keys (the scope posts:draft), account_keys (keys limited to accounts), workspaces, audit, accounts, account_groups, snippets, forecast, results (what became of published posts), approvals, notes, series, queues, blackouts, label_holds (blackouts for posts with a label), calendar_feeds, shares, sources, notifications, webhook_replay, archive, resend, search, nodes, docs (the page at /docs); of posts: threads, first_comments, polls, link_cards, content_warnings, visibility, languages, titles, post_styles; and, where the daemon has them, backup, rate_limit, media, agents (/mcp), feeds (/feeds) and metrics (/metrics). Names never change their meaning."`
	Limits    ServiceLimits            `json:"limits" doc:"Limits of the API itself; networks have their own."`
	Platforms map[string]PlatformEntry `json:"platforms" doc:"Networks that accounts can be connected on, by name."`
}

// ServiceLimits are the limits of the API itself; networks have their own.
type ServiceLimits struct {
	ContentCharacters  int      `json:"content_characters" doc:"The maximum length of content in Unicode code points."`
	AccountsPerPost    int      `json:"accounts_per_post" doc:"The maximum number of accounts of one post."`
	BodyBytes          int      `json:"body_bytes" doc:"The maximum size of a request body."`
	PageSize           int      `json:"page_size" doc:"The maximum number of results on a page."`
	Webhooks           int      `json:"webhooks" doc:"The maximum number of webhooks in a workspace."`
	IdempotencySeconds int      `json:"idempotency_seconds" doc:"How long a request can be repeated with its Idempotency-Key."`
	RequestsPerSecond  *float64 `json:"requests_per_second" doc:"The sustained request rate of each API key; null for no limit."`

	Media *MediaLimits `json:"media" doc:"Limits of media; null if the daemon stores none."`
}

// MediaLimits are the limits of media. GET /media/config has the accepted types.
type MediaLimits struct {
	PerPost       int   `json:"per_post" doc:"The maximum number of files of a post."`
	ImageBytes    int64 `json:"image_bytes" doc:"The maximum size of a picture."`
	GIFBytes      int64 `json:"gif_bytes" doc:"The maximum size of a GIF."`
	VideoBytes    int64 `json:"video_bytes" doc:"The maximum size of a video."`
	DocumentBytes int64 `json:"document_bytes" doc:"The maximum size of a document."`
	QuotaBytes    int64 `json:"quota_bytes" doc:"The maximum size of all media of the workspace."`
	KeepSeconds   int   `json:"keep_seconds" doc:"How long a file is kept after the last post with it was published."`
}

// PlatformEntry is one network that accounts can be connected on.
type PlatformEntry struct {
	Name        string           `json:"name" doc:"The value of platform, such as mastodon."`
	Credentials []PlatformField  `json:"credentials" doc:"The credentials that the platform needs."`
	Options     []PlatformField  `json:"options" doc:"The options that the platform has."`
	Results     *PlatformResults `json:"results" doc:"How it reports results; null if it does not."`
}

// PlatformField is a credential or an option of a platform.
type PlatformField struct {
	Name     string `json:"name" doc:"The name of the field."`
	About    string `json:"about" doc:"A description for people."`
	Required bool   `json:"required" doc:"Whether connecting an account requires it."`
	Secret   bool   `json:"secret" doc:"Whether clients should hide it on a screen."`
	PerPost  bool   `json:"per_post" doc:"Whether target_overrides of a post may set it."`
}
