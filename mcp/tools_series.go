package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
)

// oneSeries are the arguments that tools for one series share.
type oneSeries struct {
	ID string `json:"id" doc:"Series, name or id." minLength:"1" maxLength:"100"`
	version
}

// seriesNote is the note of a submission.
type seriesNote struct {
	Note string `json:"note,omitempty" doc:"For the reviewers." minLength:"1" maxLength:"5000"`
}

// newSeries are the arguments of create_series.
type newSeries struct {
	Name string `json:"name" doc:"Unique." minLength:"1" maxLength:"80"`
	postContent
	Repeat string `json:"repeat" doc:"Such as weekly on tue,thu at 9:00 until 2027-06-30, or an RRULE with at 9:00." minLength:"1" maxLength:"600"`
	Submit bool   `json:"submit,omitempty" doc:"Also ask for approval."`
	seriesNote
	Options  json.RawMessage `json:"options,omitempty" doc:"variants, exdates, ahead_days, queue_id, and those of create_draft but title."`
	Timezone string          `json:"timezone,omitempty" doc:"Of the series; else the workspace's." minLength:"1" maxLength:"100"`
	deliberate
}

// seriesEdit are the arguments of edit_series.
type seriesEdit struct {
	oneSeries
	Occurrence string `json:"occurrence,omitempty" doc:"Only from this one on, its local time such as 2026-12-08T09:00." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"`
	Name       string `json:"name,omitempty" doc:"A new name." minLength:"1" maxLength:"80"`
	postContent
	Repeat   string          `json:"repeat,omitempty" doc:"As in create_series." minLength:"1" maxLength:"600"`
	Options  json.RawMessage `json:"options,omitempty" doc:"As in create_series; null removes."`
	Timezone string          `json:"timezone,omitempty" doc:"A new zone of the series." minLength:"1" maxLength:"100"`
	deliberate
}

// seriesSubmission are the arguments of submit_series.
type seriesSubmission struct {
	oneSeries
	seriesNote
	zoned
	deliberate
}

// rareSeries are the fields of a series that tools take inside options.
var rareSeries = slices.Concat([]string{"variants", "exdates", "ahead_days", "queue_id"}, sharedContent, []string{"media_asset_ids"})

func seriesTools() []tool {
	return []tool{{
		name: "create_series", scopes: writesPosts, effect: publishes,
		about: "Creates a recurring post. That of an agent publishes nothing before a person has approved it.",
		in:    reflect.TypeFor[newSeries](), rare: rareFields{reflect.TypeFor[apiv1.CreateSeries](), rareSeries}, call: with(createSeries),
	}, {
		name: "edit_series", scopes: writesPosts, effect: publishes, ofSeries: true,
		about: "Changes a series and its scheduled posts. What you leave out stays; lists replace the old ones.",
		in:    reflect.TypeFor[seriesEdit](), rare: rareFields{reflect.TypeFor[apiv1.EditSeries](), rareSeries}, call: with(editSeries),
	}, {
		name: "submit_series", scopes: writesPosts, effect: drafts, ofSeries: true,
		about: "Asks a person to approve a series. Approved, it makes its posts.",
		in:    reflect.TypeFor[seriesSubmission](), call: with(submitSeries),
	}}
}

// setTimes sets the rule and the start of a series in a request, from words.
func setTimes(body arguments, words string, zone *time.Location, now time.Time) error {
	r, err := repeat.Parse(words, now, zone)
	if err != nil {
		return invalidArgument("repeat", `repeat cannot be %s: %s; write "daily at 9:00", "weekly on tue,thu at 9:00 until 2027-06-30", "first monday of the month at 9:00" (in %s), or "FREQ=WEEKLY;BYDAY=TU at 9:00"`,
			quote(words, 40), plain(err.Error(), maxSaid), zone)
	}
	body["rule"], body["start"] = r.Rule.String(), string(r.Start)
	return nil
}

func createSeries(ctx context.Context, c *call, in newSeries) (outcome, error) {
	if in.Note != "" && !in.Submit {
		return outcome{}, invalidArgument("note", "note needs submit: true")
	}
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	body := merged(c.values, "name", "content", "social_account_ids", "media")
	body["timezone"] = d.zone.String()
	if err := setTimes(body, in.Repeat, d.zone, d.now); err != nil {
		return outcome{}, err
	}
	request, err := as[apiv1.CreateSeries](body)
	if err != nil {
		return outcome{}, err
	}
	s, recreated, err := createOnce(c, creation[apiv1.Series]{
		create: func(options ...client.Option) (apiv1.Series, error) {
			return c.Client.CreateSeries(ctx, request, options...)
		},
		id:   func(s apiv1.Series) string { return s.ID },
		read: func(id string) (apiv1.Series, error) { return c.Client.Series(ctx, id) },
		what: "series",
	}, c.key)
	if err == nil && in.Submit && s.Approval == nil { // also if an earlier such call ended before it
		s, err = c.submitNew(ctx, s, in.seriesNote)
	}
	if err != nil {
		return outcome{}, c.aboutSeries(err)
	}
	out, err := c.series(ctx, s, nil)
	if err == nil && recreated {
		out.data.(map[string]any)["recreated"] = true
		out.text = "Created again, because the series of an earlier such call was deleted: " + out.text
	}
	return out, err
}

// submitNew asks for the approval of a new series. An error says that the series exists.
func (c *call) submitNew(ctx context.Context, s apiv1.Series, note seriesNote) (apiv1.Series, error) {
	key := client.IdempotencyKey(hashed(c.key, s.ID, "submit"))
	done, err := c.Client.SubmitSeries(ctx, s.ID, note.request(), key, client.IfVersion(s.Version))
	if err != nil {
		return s, reworded(err, "the series "+s.ID+" was created and not submitted: "+clip(apiError(err).Message, 400)+"; call submit_series")
	}
	return done.Series, nil
}

func (n seriesNote) request() apiv1.SubmitSeries {
	if n.Note == "" {
		return apiv1.SubmitSeries{}
	}
	return apiv1.SubmitSeries{Note: &n.Note}
}

// editSeries sends the arguments as they are, because null means something in them that the
// types of a client leave out.
func editSeries(ctx context.Context, c *call, in seriesEdit) (outcome, error) {
	request := merged(c.values, "name", "content", "social_account_ids", "media")
	if in.Repeat != "" || in.Timezone != "" {
		if err := c.editTimes(ctx, request, in); err != nil {
			return outcome{}, err
		}
	}
	body, err := json.Marshal(request)
	if err != nil {
		return outcome{}, err
	}
	path := "/series/" + url.PathEscape(in.ID)
	if in.Occurrence != "" {
		path += "?from=" + url.QueryEscape(in.Occurrence)
	}
	response, err := c.Client.Raw(ctx, http.MethodPatch, path, body, c.onVersion(in.version)...)
	var done apiv1.SeriesEnvelope
	if err == nil {
		err = json.Unmarshal(response.Body, &done)
	}
	return c.changedSeries(ctx, in.ID, done, err)
}

// editTimes sets the zone of a series, its rule and its start, as far as the edit has them.
func (c *call) editTimes(ctx context.Context, body arguments, in seriesEdit) error {
	d, err := c.look(ctx)
	if err != nil {
		return err
	}
	zone := d.zone
	if in.Timezone != "" {
		body["timezone"] = zone.String()
	} else {
		s, err := c.Client.Series(ctx, in.ID)
		if err != nil {
			return c.aboutSeries(err)
		}
		if zone, err = when.LoadZone(s.Timezone); err != nil {
			return err
		}
	}
	if in.Repeat == "" {
		return nil
	}
	return setTimes(body, in.Repeat, zone, d.now)
}

func submitSeries(ctx context.Context, c *call, in seriesSubmission) (outcome, error) {
	done, err := c.Client.SubmitSeries(ctx, in.ID, in.request(), c.onVersion(in.version)...)
	return c.changedSeries(ctx, in.ID, done, err)
}

// changedSeries returns the result of a tool that changed a series: of a repeated call, the
// series as it is now.
func (c *call) changedSeries(ctx context.Context, id string, done apiv1.SeriesEnvelope, err error) (outcome, error) {
	if schedctl.CodeOf(err) == schedctl.IdempotencyKeyReused { // with other words for the same times
		err, c.replayed = nil, true
	}
	if err == nil && c.replayed {
		if done.Series.ID != "" {
			id = done.Series.ID // an edit from an occurrence on made it
		}
		current, failure := c.Client.Series(ctx, id)
		if schedctl.CodeOf(failure) != schedctl.InsufficientScope {
			done.Series, err = current, failure
		}
	}
	if err != nil {
		return outcome{}, c.aboutSeries(err)
	}
	return c.series(ctx, done.Series, done.Kept)
}

// series returns a series as a result, with the ids of the posts that an edit left as they
// are.
func (c *call) series(ctx context.Context, s apiv1.Series, kept []string) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	v := d.viewSeries(&s)
	data := map[string]any{"series": v}
	out := outcome{v.row(), data}
	if len(kept) > 0 {
		data["kept"] = kept[:min(len(kept), maxKnown)]
		out.text += "\n" + plural(len(kept), "post") + " stay as they are, because they were changed alone or are no longer scheduled."
	}
	if waits := d.waitsForPerson(&s); waits != "" {
		out.text += "\n" + waits
	}
	return c.done(out), nil
}

// waitsForPerson says what is left to do before the series of an agent publishes anything.
func (d *directory) waitsForPerson(s *apiv1.Series) string {
	approved := s.Approval != nil && s.Approval.State == schedctl.ApprovalApproved
	switch {
	case d.me.APIKey.Kind != apiv1.KeyAgent || approved || s.State == schedctl.SeriesEnded:
		return ""
	case s.Approval != nil && s.Approval.State == schedctl.ApprovalPending:
		return "Nothing is published before a person approves it."
	}
	return "Nothing is published before a person approves it: call submit_series."
}

// seriesSteps say what a model can do about an error of a tool for series.
var seriesSteps = map[schedctl.Code]steps{
	schedctl.VersionMismatch:    {"call list_series, look at the change, and pass its version", "a person has to look at the change"},
	schedctl.ApprovalNotPending: {"call list_series for the state of its approval", "a person has the state of its approval"},
	schedctl.ApprovalMissing:    {"a person changes it, or withdraws its approval: then call edit_series again, and submit_series"},
	schedctl.NameTaken:          {"call list_series for the names, and edit_series changes a series", "choose another name"},
	schedctl.SeriesIsOver:       {"call create_series"},
	schedctl.NotFound:           {"call list_series", "a person has the series"},
}

// aboutSeries adds to an error what to do next.
func (c *call) aboutSeries(err error) error {
	e := apiError(err)
	if step := c.first(seriesSteps[e.Code]); step != "" && !strings.Contains(e.Message, "; call ") {
		return reworded(err, clip(e.Message, 600)+"; "+step)
	}
	return err
}
