package publish

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/schedctl/schedctl"
)

// ResultsReader is a publisher whose network reports numbers about published posts, and
// whether it still has them. Readings never hold an account and never delay a post.
type ResultsReader interface {
	// ResultsRules returns the rules for an account. It sends no request and reads only
	// the account's limits and options.
	ResultsRules(schedctl.Account) ResultsRules

	// Results reads the results of at most ResultsRules.Batch posts. It does not repeat a
	// request and waits for nothing. The error is an [*Error] about the whole reading, of
	// [PurposeResults]: no result is valid then. Its code is [HoldScope] if the token lacks a
	// permission for it. Requests, Cost and NotBefore of the reading are set also with an error.
	Results(ctx context.Context, r ResultsRequest) (ResultsReading, error)
}

// NoResultsReader is a publisher whose network reports nothing about published posts.
type NoResultsReader interface {
	// NoResults returns why, as a sentence for users.
	NoResults() string
}

// NoResults returns why the network of a publisher reports nothing, as a sentence for users.
func NoResults(p Publisher) string {
	if none, ok := p.(NoResultsReader); ok {
		return none.NoResults()
	}
	return "schedctl reads no numbers from this network."
}

// ResultsRules say how a network reports results.
type ResultsRules struct {
	Refused string   // why the account has no results, and what to do; otherwise empty
	Metrics []string // the names of [schedctl.Metrics.Named] that the network may tell
	Batch   int      // the most posts of one reading; at least 1
	Scope   string   // the permission of the token that readings need; empty for none

	// Points are the ages at which a post is read, in ascending order. Nil means the
	// default: from 15 minutes to 30 days.
	Points []time.Duration

	// Window is the age from which the network reports nothing about a post. 0 means that
	// it always does.
	Window time.Duration

	// AllReplies means that Replies also counts the replies to replies. Otherwise it counts
	// only those to the post.
	AllReplies bool

	// Price is what each post that the network returns costs, in millionths of a US dollar; 0
	// for nothing. AtLeast is how many posts it may return even if it was asked for fewer.
	Price   int64
	AtLeast int

	// Off means that results are read only if the account says so, because they cost money.
	Off bool
}

// Wanted reports whether the results of an account are read, as far as its options say.
func (r *ResultsRules) Wanted(a *schedctl.Account) bool {
	mode := a.ResultsSetting().Mode
	return mode == schedctl.ResultsAlways || mode == schedctl.ResultsAuto && !r.Off
}

// MostCost returns what a reading of some posts may cost, in millionths of a US dollar.
func (r *ResultsRules) MostCost(posts int) int64 { return r.Price * int64(max(posts, r.AtLeast)) }

// defaultPoints are dense at first, because most of what happens to a post happens on its
// first day.
var defaultPoints = []time.Duration{
	15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	days(1), days(2), days(3), days(5), days(7), days(14), days(30),
}

// DailyPoints returns the ages at which a post is read on a network that counts once a day.
func DailyPoints() []time.Duration {
	return []time.Duration{days(1), days(2), days(3), days(7), days(14), days(30)}
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// Ages returns the ages at which a post is read.
func (r *ResultsRules) Ages() []time.Duration {
	if r.Points != nil {
		return r.Points
	}
	return defaultPoints
}

// Last returns the age of the last reading.
func (r *ResultsRules) Last() time.Duration {
	points := r.Ages()
	return points[len(points)-1]
}

// EarlyReading is the part of its age that a reading may come before a point, so that posts
// that are published one after the other are read together.
const EarlyReading = 10 // a tenth

// Next returns when a post that was published at a time, and read last at read, is due next.
// It returns the zero time if it is not read again. A reading up to a tenth of its age before
// a point counts as the reading of the point.
func (r *ResultsRules) Next(published, read time.Time) time.Time {
	age := read.Sub(published)
	for _, point := range r.Ages() {
		if r.Window > 0 && point > r.Window {
			break
		}
		if point-point/EarlyReading > age {
			return schedctl.Millis(published.Add(point))
		}
	}
	return time.Time{}
}

// ResultsRequest is one reading of results.
type ResultsRequest struct {
	Account     schedctl.Account // without credentials
	Credentials Credentials
	IDs         []string // ids of posts as their receipts have them, without repeats

	// Dropped are metrics that are not asked for, because the network refused them lately:
	// names from [ResultsReading].Dropped.
	Dropped []string
}

// ResultsReading is what a network reported.
type ResultsReading struct {
	// Results are by id. An id that is missing was not reported: nothing is known about it.
	Results map[string]Result

	Requests int   // how many requests were sent
	Cost     int64 // of what the network returned, in millionths of a US dollar

	// Dropped are metrics that the network refused by their names of its API, so that the
	// reading went on without them.
	Dropped []string

	// Lacks are permissions that the token lacks for a part of the numbers.
	Lacks []string

	// NotBefore is when the account may be read again, if the network says that less than a
	// fifth of a limit of requests remains; otherwise zero.
	NotBefore time.Time
}

// Result is what a network reported about one post.
type Result struct {
	Metrics schedctl.Metrics

	// Gone means that the network no longer has the post, or never had it. Metrics is
	// empty.
	Gone bool

	Estimated bool // the numbers are estimates
}

// Count returns a number that a network reported, as a value of encoding/json. It returns nil
// for anything but a whole number from 0 to 2^53, so that a wrong value is never a number.
func Count(value any) *int64 {
	var n float64
	switch v := value.(type) {
	case float64:
		n = v
	case json.Number:
		whole, err := v.Int64()
		if err != nil {
			return nil
		}
		n = float64(whole)
	default:
		return nil
	}
	if n < 0 || n > 1<<53 || n != math.Trunc(n) {
		return nil
	}
	return new(int64(n))
}

// MetricsOf returns the numbers of a JSON object, by a table from its names to those of
// [schedctl.Metrics.Named]. An empty name in the table, or one that is no such name, is that
// of a number in Other.
func MetricsOf(object map[string]any, table map[string]string) schedctl.Metrics {
	var m schedctl.Metrics
	for raw, name := range table {
		if n := Count(object[raw]); n != nil {
			m.Set(cmp.Or(name, raw), *n)
		}
	}
	return m
}
