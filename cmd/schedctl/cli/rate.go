package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/daemon/api"
)

// RateFlag is a flag value such as 20/s, 100/m or 20/s:40. The last one allows 40
// requests at once.
type RateFlag struct {
	text  string
	Limit api.RateLimit
}

// rateForm describes valid values for error messages.
const rateForm = "a rate such as 20/s or 600/m, or 20/s:40 to allow 40 at once"

var errRate = errors.New("not " + rateForm)

var perSecond = map[string]float64{"s": 1, "m": 1.0 / 60, "h": 1.0 / 3600}

// Set reads the value.
func (r *RateFlag) Set(text string) error {
	amount, burst, hasBurst := strings.Cut(text, ":")
	count, unit, _ := strings.Cut(amount, "/")
	n, err := strconv.Atoi(count)
	seconds, known := perSecond[unit]
	if err != nil || n < 1 || !known {
		return errRate
	}
	limit := api.RateLimit{PerSecond: float64(n) * seconds}
	if hasBurst {
		if limit.Burst, err = strconv.Atoi(burst); err != nil || limit.Burst < 1 {
			return errRate
		}
	}
	r.text, r.Limit = text, limit
	return nil
}

// String returns the value.
func (r *RateFlag) String() string { return r.text }

// Type names the value in help texts.
func (*RateFlag) Type() string { return "rate" }
