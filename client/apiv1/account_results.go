package apiv1

import (
	"encoding/json"
	"strings"

	"github.com/schedctl/schedctl"
)

// The states of [AccountResults].
const (
	AccountResultsOn                = "on"
	AccountResultsDelayed           = "delayed"
	AccountResultsOff               = "off"
	AccountResultsUnavailable       = "unavailable"
	AccountResultsReconnectRequired = "reconnect_required"
)

// AccountResults says whether the results of an account's posts are read, and what that costs.
type AccountResults struct {
	State           string                  `json:"state" doc:"on; delayed if a limit or the network holds readings up; off; unavailable if there are no numbers; reconnect_required." enum:"on,delayed,off,unavailable,reconnect_required"`
	Reason          *schedctl.ResultsReason `json:"reason" doc:"As in TargetResults; null if readings work."`
	Metrics         []string                `json:"metrics" doc:"The numbers that the network may give."`
	LastReadAt      *Time                   `json:"last_read_at" doc:"The last reading with numbers; null for none."`
	RequestsLastDay int                     `json:"requests_last_day" doc:"Requests of readings."`
	CostUSDMonth    float64                 `json:"cost_usd_month" doc:"US dollars that readings cost this month, in UTC."`
	DroppedMetrics  []string                `json:"dropped_metrics" doc:"Metrics that the network refused in the last 7 days, by its names."`
	MissingScopes   []string                `json:"missing_scopes" doc:"Permissions that the credentials lack for numbers."`
}

// PlatformResults say how a network reports results.
type PlatformResults struct {
	Metrics    []string `json:"metrics" doc:"The numbers that it may give."`
	Batch      int      `json:"batch" doc:"Posts of one reading."`
	Points     []int64  `json:"points" doc:"The ages of a post at which it is read, in seconds."`
	WindowDays *int     `json:"window_days" doc:"The age from which it reports nothing; null for no limit."`
	Scope      *string  `json:"scope" doc:"The permission that readings need; null for none."`
	CostUSD    *float64 `json:"cost_usd" doc:"US dollars for each post that it returns; null if it is free. Such accounts are read only with the option results set to on."`
}

// OptionValue returns the JSON value of an option of an account as people write it.
func OptionValue(name, text string) any {
	switch {
	case name == "langs":
		return strings.Split(text, ",")
	case text == "true" || text == "false":
		return text == "true"
	case name == schedctl.OptionResultsPerHour || name == schedctl.OptionResultsBudget:
		var n float64
		if json.Unmarshal([]byte(text), &n) == nil {
			return n
		}
	}
	return text
}
