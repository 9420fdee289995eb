package meta

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Results reads the results of posts. It has the API for one reading.
type Results struct {
	API
	Version string
	Reading *publish.ResultsReading
	Dropped []string // metrics that are not asked for
}

// NewResults returns the API for a reading.
func NewResults(api API, version string, r publish.ResultsRequest, reading *publish.ResultsReading) Results {
	return Results{API: api.For(publish.PurposeResults), Version: version, Reading: reading, Dropped: r.Dropped}
}

// get sends a request and reads what the response says about limits.
func (r Results) get(ctx context.Context, into any, query url.Values, path ...string) (outbound.Response, error) {
	r.Reading.Requests++
	response, err := r.ReadResponse(ctx, into, query, append([]string{r.Version}, path...)...)
	if at := lowUntil(response, time.Now()); at.After(r.Reading.NotBefore) {
		r.Reading.NotBefore = at
	}
	if err == nil {
		return response, nil
	}
	e := *publish.AsError(err)
	if known := ErrorOf(response); known.MissingScope() {
		e.Code = string(publish.HoldScope)
	}
	return response, &e
}

// Object reads fields of a post. gone reports that Meta does not have it.
func (r Results) Object(ctx context.Context, id, fields string, own Own) (object map[string]any, gone bool, err error) {
	response, err := r.get(ctx, &object, url.Values{"fields": {fields}}, id)
	if ErrorOf(response) == missingObject {
		gone, err = r.gone(ctx, id, own)
		return nil, gone, err
	}
	if err == nil && object["id"] != id {
		err = outbound.NoResults(response, r.Platform)
	}
	return object, false, err
}

// Own is a list of the account's own posts.
type Own struct{ User, Edge string }

// missingObject is the error for an object that does not exist, and also for one that the
// token may not read.
var missingObject = Error{Code: CodeParameter, Subcode: 33}

// gone reports whether a post that Meta does not show is gone. That is proven only if the
// token may read the account's posts, and if they are without it.
func (r Results) gone(ctx context.Context, id string, own Own) (bool, error) {
	var list struct {
		Data []OwnPost `json:"data"`
	}
	response, err := r.get(ctx, &list, url.Values{"fields": {"id"}, "limit": {"25"}}, own.User, own.Edge)
	if err != nil {
		return false, err
	}
	if len(list.Data) == 0 {
		return false, outbound.NoResults(response, r.Platform)
	}
	return !slices.ContainsFunc(list.Data, func(o OwnPost) bool { return o.ID == id }), nil
}

// Insights reads metrics of a post, as the raw values by name. Meta refuses the whole request
// for a metric that it no longer has: the request is repeated once without it, and the
// reading reports that it was dropped. A metric that only this kind of post does not have is
// left out, too. missing reports that
// Meta does not show the post.
func (r Results) Insights(ctx context.Context, id, edge string, names []string) (values map[string]any, missing bool, err error) {
	wanted := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(r.Dropped, name) })
	var guessed []string // without which the request is repeated, although Meta named none
	for range 2 {
		if len(wanted) == 0 {
			return nil, false, nil
		}
		var body struct {
			Data []insight `json:"data"`
		}
		response, err := r.get(ctx, &body, url.Values{"metric": {strings.Join(wanted, ",")}}, id, edge)
		known := ErrorOf(response)
		switch {
		case err == nil && body.Data == nil:
			return nil, false, outbound.NoResults(response, r.Platform)
		case err == nil:
			r.Reading.Dropped = append(r.Reading.Dropped, guessed...)
			return valuesOf(body.Data), false, nil
		case known == missingObject:
			return nil, true, nil
		case known.Code == CodeScope && fewViewers().Match(response.Body):
			return nil, false, nil
		case known.Code != CodeParameter || response.Status == http.StatusTooManyRequests:
			return nil, false, err
		}
		refused, named, forGood := refusedMetrics(messageOf(response), wanted)
		switch {
		case !forGood || known.Subcode != 0: // a subcode is about the post
		case named:
			r.Reading.Dropped = append(r.Reading.Dropped, refused...)
		default: // the error may be about the post
			guessed = refused
		}
		wanted = slices.DeleteFunc(wanted, func(name string) bool { return slices.Contains(refused, name) })
	}
	return nil, false, nil
}

// PartOnly returns the error of a request for a part of the numbers. If the token lacks a
// permission, the reading reports that and goes on without them.
func (r Results) PartOnly(err error, scope string) error {
	if err == nil || publish.AsError(err).Code != string(publish.HoldScope) {
		return err
	}
	r.Reading.Lacks = []string{scope}
	return nil
}

// CodeScope is the code of a missing permission, and on Instagram also that of a post with
// few viewers.
const CodeScope = 10

// fewViewers matches the error of a post that too few people have seen.
var fewViewers = pattern.Lazy(`(?i)not enough viewers`)

// insight is a metric in a response. Newer metrics have a total instead of values.
type insight struct {
	Name   string `json:"name"`
	Period string `json:"period"`
	Values []struct {
		Value any `json:"value"`
	} `json:"values"`
	Total struct {
		Value any `json:"value"`
	} `json:"total_value"`
}

// valuesOf returns the totals of metrics.
func valuesOf(list []insight) map[string]any {
	values := map[string]any{}
	for _, i := range list {
		switch {
		case i.Period != "" && i.Period != "lifetime":
		case i.Total.Value != nil:
			values[i.Name] = i.Total.Value
		case len(i.Values) == 1:
			values[i.Name] = i.Values[0].Value
		}
	}
	return values
}

// messageOf returns the message of an error.
func messageOf(response outbound.Response) string {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(response.Body, &body)
	return publish.Clip(body.Error.Message, 4000)
}

var (
	// allowedMetrics matches the list of metrics that Meta has.
	allowedMetrics = pattern.Lazy(`must be one of the following values:(.*)`)

	metricName = pattern.Lazy(`[a-z][a-z0-9_]*`)

	// onlyHere matches the error of a metric that Meta has, but not for this kind of post.
	onlyHere = pattern.Lazy(`for this media|for this (?:post|object|video)|media product type`)
)

// refusedMetrics returns which of the wanted metrics an error is about: those that are not in
// its list of metrics, or those that it names. If it names none, only the first one, which is
// the most certain, is tried again. forGood means that Meta refuses them for every post.
func refusedMetrics(message string, wanted []string) (refused []string, named, forGood bool) {
	text, listed := message, false
	if m := allowedMetrics().FindStringSubmatch(message); m != nil {
		text, listed = m[1], true
	}
	names := metricName().FindAllString(text, -1)
	for _, name := range wanted {
		if slices.Contains(names, name) != listed {
			refused = append(refused, name)
		}
	}
	if named = len(refused) > 0; !named {
		refused = slices.Clone(wanted[min(1, len(wanted)-1):])
	}
	return refused, named, !onlyHere().MatchString(message)
}

// lowUntil returns when the limits of requests of which Meta says that more than four fifths
// are used end, or the zero time. It counts them per hour.
func lowUntil(response outbound.Response, now time.Time) time.Time {
	var used []map[string]any
	var cases map[string][]map[string]any
	_ = json.Unmarshal([]byte(response.Header.Get("X-Business-Use-Case-Usage")), &cases)
	for _, list := range cases {
		used = append(used, list...)
	}
	var app map[string]any
	if json.Unmarshal([]byte(response.Header.Get("X-App-Usage")), &app) == nil {
		used = append(used, app)
	}
	for _, u := range used {
		for _, name := range []string{"call_count", "total_time", "total_cputime"} {
			if percent := percentOf(u[name]); percent > 80 {
				if at := RetryAt(response, now); !at.IsZero() {
					return at
				}
				return now.Add(time.Hour).UTC()
			}
		}
	}
	return outbound.LowUntil(response.Header, now)
}

func percentOf(value any) float64 {
	switch v := value.(type) {
	case float64:
		return v
	case string:
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || math.IsNaN(n) {
			return 0
		}
		return n
	}
	return 0
}
