package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// directory is what a call knows of its workspace, to speak of it as people do.
type directory struct {
	caller   *Caller
	me       apiv1.Me
	zone     *time.Location
	accounts []apiv1.Account // none if the key may not read them
	now      time.Time
}

// look returns the directory. It reads it once in a call.
func (c *call) look(ctx context.Context) (*directory, error) {
	if c.directory != nil {
		return c.directory, nil
	}
	var in zoned
	if err := json.Unmarshal(c.arguments, &in); err != nil {
		in.Timezone = "" // the tool reports it
	}
	me, err := c.Client.Me(ctx)
	if err != nil {
		return nil, err
	}
	d := &directory{caller: &c.Caller, me: me, zone: time.UTC, now: c.now()}
	if zone, err := when.LoadZone(me.Workspace.Timezone); err == nil {
		d.zone = zone
	}
	if in.Timezone != "" {
		if d.zone, err = when.LoadZone(in.Timezone); err != nil {
			return nil, invalidArgument("timezone", "no time zone %q; use a name such as Europe/Rome, or leave timezone out for %s", clip(in.Timezone, 40), me.Workspace.Timezone)
		}
	}
	if d.accounts, err = c.Client.Accounts(ctx, client.AccountQuery{Status: "all"}); err != nil && schedctl.CodeOf(err) != schedctl.InsufficientScope {
		return nil, err
	}
	c.directory = d
	return d, nil
}

// name returns the name of an account, or its id if the name is not known.
func (d *directory) name(id string) string {
	for i := range d.accounts {
		if d.accounts[i].ID == id {
			return d.accounts[i].Name
		}
	}
	return id
}

func (d *directory) names(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = d.name(id)
	}
	return out
}

// accountID returns the id of an account that a client names.
func (d *directory) accountID(field, name string) (string, error) {
	var ids, known []string
	for i := range d.accounts {
		a := &d.accounts[i]
		if a.ID == name {
			return name, nil
		}
		if a.Status == schedctl.AccountDisconnected {
			continue
		}
		ids, known = append(ids, a.ID), append(known, a.Name)
	}
	at := indexOfName(known, name)
	_, isID := schedctl.ParseID(schedctl.AccountPrefix, name)
	switch {
	case at >= 0:
		return ids[at], nil
	case isID || len(d.accounts) == 0:
		return name, nil // the daemon decides
	}
	return "", wrongName(at, field, "account", name, known, "list_accounts")
}

// The results of indexOfName for no name, and for several.
const (
	noName = -1 - iota
	severalNames
)

// indexOfName returns the index of the name that is the same, or else of the only one that
// differs in case alone; else noName or severalNames.
func indexOfName(names []string, name string) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		at := noName
		for i := range names {
			if same(names[i], name) {
				if at >= 0 {
					return severalNames
				}
				at = i
			}
		}
		if at >= 0 {
			return at
		}
	}
	return noName
}

// wrongName returns the error for a name with the index at of [indexOfName].
func wrongName(at int, field, what, name string, known []string, tool string) error {
	if at == severalNames {
		return invalidArgument(field, "several %s names are like %s; give the id, which %s has", what, quote(name, 40), tool)
	}
	return unknownName(field, what, name, known, tool)
}

// maxKnown is how many existing names an error has.
const maxKnown = 15

func unknownName(field, what, name string, known []string, tool string) error {
	more := ""
	if len(known) > maxKnown {
		known, more = known[:maxKnown], ", …"
	}
	for i := range known {
		known[i] = quote(known[i], 40)
	}
	list := "none"
	if len(known) > 0 {
		list = strings.Join(known, ", ") + more
	}
	return schedctl.Errorf(schedctl.NotFound, field, "no %s %s; existing: %s; call %s for their ids", what, quote(name, 40), list, tool)
}

// resolve replaces names by ids, and times of people by those of the API, in the arguments
// of a call. It sets the Idempotency-Key: the same one for the same API key, tool, arguments
// and what their words mean. A span from now means its day, because the time in a repeated
// call is a later one.
func (c *call) resolve(ctx context.Context) (err error) {
	if c.given, err = decode[arguments](c.arguments); err != nil {
		return err
	}
	if c.values, err = decode[arguments](c.arguments); err != nil {
		return err
	}
	r := resolver{call: c, means: []string{c.KeyID, c.tool.name, string(c.arguments)}}
	if name, isText := c.values["id"].(string); isText && c.tool.ofSeries {
		id, err := c.seriesID(ctx, "id", name)
		if err != nil {
			return err
		}
		c.values["id"], r.means = id, append(r.means, id)
	}
	if err := r.object(ctx, c.values); err != nil {
		return err
	}
	c.key = hashed(r.means...)
	c.arguments, err = json.Marshal(c.values)
	return err
}

// resolver resolves the arguments of a call.
type resolver struct {
	*call
	means []string // what the words mean, in the order of the arguments' names
}

func (r *resolver) object(ctx context.Context, values arguments) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var err error
		switch v := values[name].(type) {
		case arguments:
			err = r.object(ctx, v)
		case []any:
			err = r.list(ctx, name, v)
		case string:
			values[name], err = r.text(ctx, name, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *resolver) list(ctx context.Context, name string, list []any) error {
	for i, item := range list {
		var err error
		switch item := item.(type) {
		case arguments:
			err = r.object(ctx, item)
		case string:
			if name == "social_account_ids" {
				list[i], err = r.text(ctx, name, item)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bounds are arguments that a day alone is a time for: its start.
var bounds = []string{"from", "before", "after", "publish_after", "publish_before", "not_before"}

// text returns the value of one argument.
func (r *resolver) text(ctx context.Context, name, text string) (value string, err error) {
	isTime := (name == "publish_at" || name == "proposed_at") && text != apiv1.PublishNextSlot || slices.Contains(bounds, name)
	isName := name == "social_account_id" || name == "social_account_ids" || name == "queue_id" || name == "series_id"
	switch {
	case name == "created_by" && text == "me":
		return r.KeyID, nil
	case !isTime && !isName:
		return text, nil
	}
	d, err := r.look(ctx)
	if err != nil {
		return "", err
	}
	switch {
	case isTime:
		var means string
		value, means, err = d.time(name, text)
		r.means = append(r.means, means)
		return value, err
	case name == "queue_id":
		value, err = r.queueID(ctx, text)
	case name == "series_id":
		value, err = r.seriesID(ctx, name, text)
	default:
		value, err = d.accountID(name, text)
	}
	r.means = append(r.means, value)
	return value, err
}

// time returns a time as the API has it, and what the text means for as long as a call is
// repeated.
func (d *directory) time(name, text string) (value, means string, err error) {
	parse := when.Parse
	if slices.Contains(bounds, name) {
		parse = func(text string, now time.Time, loc *time.Location) (when.Result, error) {
			r, _, err := when.ParseBound(text, now, loc)
			return r, err
		}
	}
	r, err := parse(text, d.now, d.zone)
	if err != nil {
		return "", "", invalidArgument(name, `%s cannot be %s; write "friday 9am", "tomorrow 18:30", "2026-12-04 09:00" (in %s) or a time of RFC 3339`, name, quote(text, 40), d.zone)
	}
	value = apiv1.Time{Time: r.Time}.String()
	if r.FromNow {
		return value, r.Time.In(d.zone).Format(time.DateOnly), nil
	}
	return value, value, nil
}

func (c *call) queueID(ctx context.Context, name string) (string, error) {
	if _, ok := schedctl.ParseID(schedctl.QueuePrefix, name); ok {
		return name, nil
	}
	queues, err := c.Client.Queues(ctx)
	if err != nil {
		return "", err
	}
	known := make([]string, len(queues))
	for i := range queues {
		known[i] = queues[i].Name
	}
	at := indexOfName(known, name)
	if at < 0 {
		return "", wrongName(at, "queue_id", "queue", name, known, "list_slots")
	}
	return queues[at].ID, nil
}

func (c *call) seriesID(ctx context.Context, field, name string) (string, error) {
	if _, ok := schedctl.ParseID(schedctl.SeriesPrefix, name); ok {
		return name, nil
	}
	var ids, known []string
	for s, err := range c.Client.EachSeries(ctx, client.SeriesQuery{Limit: 100}) {
		if err != nil {
			return "", err
		}
		if s.State != schedctl.SeriesEnded { // its name can be that of a running one
			ids, known = append(ids, s.ID), append(known, s.Name)
		}
	}
	at := indexOfName(known, name)
	if at < 0 {
		return "", wrongName(at, field, "series", name, known, "list_series")
	}
	return ids[at], nil
}
