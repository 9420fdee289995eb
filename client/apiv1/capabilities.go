package apiv1

// Capabilities is the answer of GET /capabilities: what this daemon can do, for
// whoever asks.
type Capabilities struct {
	Workspace Workspace                `json:"workspace"`
	APIKey    APIKey                   `json:"api_key"`
	Features  map[string]bool          `json:"features"` // see the list in the OpenAPI document; true for each
	Limits    ServiceLimits            `json:"limits"`
	Platforms map[string]PlatformEntry `json:"platforms"` // by name
}

// ServiceLimits are the limits of the API itself; networks have their own.
type ServiceLimits struct {
	ContentCharacters  int      `json:"content_characters"` // Unicode code points
	AccountsPerPost    int      `json:"accounts_per_post"`
	BodyBytes          int      `json:"body_bytes"`
	PageSize           int      `json:"page_size"`
	Webhooks           int      `json:"webhooks"`
	IdempotencySeconds int      `json:"idempotency_seconds"`
	RequestsPerSecond  *float64 `json:"requests_per_second"` // for each key; null without a limit
}

// PlatformEntry is one network that accounts can be connected on.
type PlatformEntry struct {
	Name        string          `json:"name"`
	Credentials []PlatformField `json:"credentials"`
	Options     []PlatformField `json:"options"`
}

// PlatformField is a credential or an option of a platform.
type PlatformField struct {
	Name     string `json:"name"`
	About    string `json:"about"`
	Required bool   `json:"required"`
	Secret   bool   `json:"secret"`
	PerPost  bool   `json:"per_post"` // a single post may override it
}
