package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// postFilter are the arguments of list_posts.
type postFilter struct {
	Status        []schedctl.Status `json:"status,omitempty" doc:"Any of these." enum:"draft,scheduled,publishing,published,failed,canceled" maxItems:"6"`
	AccountID     string            `json:"social_account_id,omitempty" doc:"Account." maxLength:"100"`
	Search        string            `json:"q,omitempty" doc:"Text that they contain." minLength:"1" maxLength:"200"`
	PublishAfter  *apiv1.Time       `json:"publish_after,omitempty" doc:"From this time on." maxLength:"200"`
	PublishBefore *apiv1.Time       `json:"publish_before,omitempty" doc:"Before this time." maxLength:"200"`
	Options       json.RawMessage   `json:"options,omitempty" doc:"label, queue_id, series_id, approval, created_by (me), sort."`
	zoned
	detailed
	paged
}

// rareFilter are the options of list_posts.
type rareFilter struct {
	Labels    []string `json:"label,omitempty" doc:"Posts with all of these labels." maxItems:"20" minLength:"1" maxLength:"50"`
	QueueID   string   `json:"queue_id,omitempty" doc:"Posts in slots of this queue: its name or id." maxLength:"100"`
	SeriesID  string   `json:"series_id,omitempty" doc:"Occurrences of this series: its name or id." maxLength:"100"`
	Approval  string   `json:"approval,omitempty" doc:"Posts whose approval has this state." enum:"pending,approved,changes_requested,withdrawn"`
	CreatedBy string   `json:"created_by,omitempty" doc:"Posts that this API key created: its id, or me." maxLength:"100"`
	Sort      string   `json:"sort,omitempty" doc:"-created_at by default; publish_at if a time is given." enum:"created_at,-created_at,publish_at,-publish_at"`
}

// period are the arguments of get_calendar.
type period struct {
	From   *apiv1.Time `json:"from,omitempty" doc:"Now by default." maxLength:"200"`
	Before *apiv1.Time `json:"before,omitempty" doc:"Its end; seven days later by default." maxLength:"200"`
	zoned
	detailed
	paged
}

// slotFilter are the arguments of list_slots.
type slotFilter struct {
	QueueID   string      `json:"queue_id,omitempty" doc:"Queue; the default one if absent." maxLength:"100"`
	AccountID string      `json:"social_account_id,omitempty" doc:"Free for this account." maxLength:"100"`
	After     *apiv1.Time `json:"after,omitempty" doc:"From this time on." maxLength:"200"`
	Before    *apiv1.Time `json:"before,omitempty" doc:"Before this time." maxLength:"200"`
	Limit     int         `json:"limit,omitempty" doc:"Number of slots." minimum:"1" maximum:"100"`
	zoned
}

// seriesFilter are the arguments of list_series.
type seriesFilter struct {
	zoned
	detailed
	paged
}

// mediaFilter are the arguments of list_media.
type mediaFilter struct {
	detailed
	paged
}

func listTools() []tool {
	return []tool{{
		name: "list_accounts", scopes: readsAccounts, about: "The social accounts, with the limits of their networks.",
		in: reflect.TypeFor[detailed](), call: with(listAccounts),
	}, {
		name: "list_posts", scopes: readsPosts, about: "Posts, newest first; in order of time with a time, drafts that wait for approval too.",
		in: reflect.TypeFor[postFilter](), rare: rareFields{of: reflect.TypeFor[rareFilter]()}, call: with(listPosts),
	}, {
		name: "get_calendar", scopes: readsPosts, about: "The posts of a period in order of time, and drafts that wait for approval at a time in it.",
		in: reflect.TypeFor[period](), call: with(getCalendar),
	}, {
		name: "list_slots", scopes: readsPosts, about: "All queues, and slots of one: free, proposed by drafts, taken by a post, or blocked.",
		in: reflect.TypeFor[slotFilter](), call: with(listSlots),
	}, {
		name: "list_series", scopes: readsPosts, about: "Recurring posts.",
		in: reflect.TypeFor[seriesFilter](), call: with(listSeries),
	}, {
		name: "list_media", scopes: readsPosts, about: "Stored files, newest first.",
		in: reflect.TypeFor[mediaFilter](), call: with(listMedia),
	}}
}

// accountView is an account as results have it.
type accountView struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Platform string `json:"platform"`
	Username string `json:"username,omitempty"`
	Status   string `json:"status"`
	Limit    string `json:"limit,omitempty"` // such as "500 characters"
	Error    string `json:"error,omitempty"`
	Waits    string `json:"waits,omitempty"`
}

func listAccounts(ctx context.Context, c *call, in detailed) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	list, err := c.Client.Accounts(ctx, client.AccountQuery{})
	if err != nil {
		return outcome{}, err
	}
	views, text := make([]accountView, len(list)), plural(len(list), "account")+"."
	for i := range list {
		a := &list[i]
		v := accountView{ID: a.ID, Name: a.Name, Platform: a.Platform, Username: a.Username, Status: string(a.Status), Error: d.saidBy(a.Error)}
		if a.Limits.MaxCharacters != nil {
			v.Limit = fmt.Sprintf("%d %s", *a.Limits.MaxCharacters, a.Limits.Unit)
		}
		if a.Waits != nil {
			v.Waits = d.said(a.Waits.Message)
		}
		views[i] = v
		text += "\n" + strings.Join(nonEmpty([]string{quote(a.Name, 40), "on", a.Platform + ",", v.Status, v.Limit, quoted(v.Error)}), " ")
	}
	data := map[string]any{"results": views}
	if in.Full {
		data["results"] = list
	}
	return outcome{text, data}, nil
}

func listPosts(ctx context.Context, c *call, in postFilter) (outcome, error) {
	rare, err := as[rareFilter](merged(c.values))
	if err != nil {
		return outcome{}, err
	}
	q := client.PostQuery{
		Statuses: in.Status, AccountID: in.AccountID, Search: in.Search,
		Labels: rare.Labels, QueueID: rare.QueueID, SeriesID: rare.SeriesID, Approval: schedctl.ApprovalState(rare.Approval), CreatedBy: rare.CreatedBy,
		Sort: rare.Sort, Limit: in.Limit,
	}
	within, next, err := c.page(window{"publish_after", "publish_before", timeOf(in.PublishAfter), timeOf(in.PublishBefore), in.Cursor})
	if err != nil {
		return outcome{}, err
	}
	q.Cursor = next
	if q.Sort == "" && !(within.afterTime.IsZero() && within.beforeTime.IsZero()) {
		q.Sort = "publish_at"
	}
	alone := q.Search == "" && len(q.Labels) == 0 && q.QueueID == "" && q.SeriesID == "" && q.Approval == "" && q.CreatedBy == ""
	q.Proposed = alone && strings.HasSuffix(q.Sort, "publish_at")
	return c.posts(ctx, q, within, in.Full)
}

func timeOf(t *apiv1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

func getCalendar(ctx context.Context, c *call, in period) (outcome, error) {
	from := c.now()
	if in.From != nil {
		from = in.From.Time
	}
	before := from.AddDate(0, 0, 7)
	if in.Before != nil {
		before = in.Before.Time
	}
	within, next, err := c.page(window{"from", "before", from, before, in.Cursor})
	if err != nil {
		return outcome{}, err
	}
	return c.posts(ctx, client.PostQuery{Sort: "publish_at", Proposed: true, Limit: in.Limit, Cursor: next}, within, in.Full)
}

// posts returns a page of the posts within bounds of time. A search may find nothing on many pages. It continues until
// the page is full, all posts were searched, or its time is over.
func (c *call) posts(ctx context.Context, q client.PostQuery, within window, full bool) (outcome, error) {
	d, err := c.look(ctx)
	if err == nil {
		err = within.check(d)
	}
	if err != nil {
		return outcome{}, err
	}
	q.After, q.Before = within.afterTime, within.beforeTime
	if q.Limit == 0 {
		q.Limit = 20
	}
	found, deadline, most := []apiv1.Post{}, time.Now().Add(cmp.Or(c.SearchTime, CallTimeout/2)), q.Limit
	for {
		page, err := c.Client.Posts(ctx, q)
		if err != nil {
			return outcome{}, err
		}
		found, q.Cursor, q.Limit = append(found, page.Results...), textOf(page.NextCursor), most-len(found)-len(page.Results)
		if q.Cursor == "" || q.Limit <= 0 || time.Now().After(deadline) {
			break
		}
	}
	views, text := d.views(found), plural(len(found), "post")+"."
	for i := range views {
		text += "\n" + views[i].row(maxRow)
	}
	data := map[string]any{"results": views}
	if full {
		data["results"] = found
	}
	if next := c.nextPage(within, q.Cursor); next != "" {
		data["next_cursor"] = next
		text += "\nThere is more: call again with cursor " + next
		if q.Limit > 0 {
			data["incomplete"] = true
			text += "\nThe search is incomplete: not all posts were searched yet."
		}
	}
	return outcome{text, data}, nil
}

// slotView is a slot of a queue.
type slotView struct {
	At      apiv1.Time `json:"at"`
	Local   string     `json:"local"`
	State   string     `json:"state"`
	PostIDs []string   `json:"post_ids,omitempty"`
}

func listSlots(ctx context.Context, c *call, in slotFilter) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	queues, err := c.Client.Queues(ctx)
	if err != nil {
		return outcome{}, err
	}
	names, queue := []string{}, ""
	for i := range queues {
		names = append(names, queues[i].Name)
		if in.QueueID == queues[i].ID || in.QueueID == "" && queues[i].Default {
			in.QueueID, queue = queues[i].ID, queues[i].Name
		}
	}
	within := window{after: "after", before: "before", afterTime: timeOf(in.After), beforeTime: timeOf(in.Before)}
	if in.After == nil && in.Before != nil {
		within.afterTime = d.now // slots start now
	}
	if err := within.check(d); err != nil {
		return outcome{}, err
	}
	if in.QueueID == "" {
		return outcome{}, schedctl.Errorf(schedctl.NoQueue, "queue_id", "this workspace has no queue")
	}
	found, err := c.Client.QueueSlots(ctx, in.QueueID, client.SlotQuery{AccountID: in.AccountID, After: timeOf(in.After), Before: timeOf(in.Before), Limit: in.Limit})
	if err != nil {
		return outcome{}, err
	}
	views, text := make([]slotView, len(found)), plural(len(found), "slot")+" of queue "+quote(queue, 40)+"."
	for i := range found {
		s := &found[i]
		views[i] = slotView{At: s.At, Local: d.local(s.At.Time), State: string(s.State), PostIDs: s.PostIDs}
		if s.PostID != nil {
			views[i].PostIDs = []string{*s.PostID}
		}
		text += "\n" + strings.TrimRight(views[i].Local+" "+views[i].State+" "+strings.Join(views[i].PostIDs, " "), " ")
	}
	return outcome{text, map[string]any{"queue": queue, "queue_id": in.QueueID, "queues": names, "results": views}}, nil
}

// seriesView is a series as results have it.
type seriesView struct {
	ID       string   `json:"id"`
	Version  int64    `json:"version"`
	Name     string   `json:"name"`
	State    string   `json:"state"`
	Approval string   `json:"approval,omitempty"`
	Rule     string   `json:"rule"`
	Start    string   `json:"start"`
	Timezone string   `json:"timezone"`
	NextAt   string   `json:"next_at,omitempty"`
	Local    string   `json:"local,omitempty"`
	Accounts []string `json:"accounts,omitempty"`
	Content  string   `json:"content,omitempty"`
	Clipped  bool     `json:"clipped,omitempty"`
}

func (d *directory) viewSeries(s *apiv1.Series) seriesView {
	v := seriesView{
		ID: s.ID, Version: s.Version, Name: s.Name, State: string(s.State), Rule: s.Rule, Start: s.Start, Timezone: s.Timezone,
		Accounts: d.names(s.SocialAccountIDs), Content: clip(s.Content, maxText),
	}
	v.Clipped = v.Content != s.Content
	if s.Approval != nil {
		v.Approval = string(s.Approval.State)
	} else {
		v.Approval = s.Waits()
	}
	if s.NextAt != nil {
		v.NextAt, v.Local = s.NextAt.String(), d.local(s.NextAt.Time)
	}
	return v
}

func (v *seriesView) row() string {
	next := " from " + v.begins()
	if v.Local != "" {
		next = " next " + v.Local
	}
	state := v.State
	if v.Approval != "" {
		state += " " + v.Approval
	}
	return fmt.Sprintf("%s v%d %s %s %s%s %s", v.ID, v.Version, quote(v.Name, 40), state, plain(v.Rule, 60), next, quote(v.Content, maxRow))
}

// begins returns when the rule starts, in the zone of the series.
func (v *seriesView) begins() string {
	loc, err := time.LoadLocation(v.Timezone)
	if err != nil {
		return plain(v.Start, 60)
	}
	at, _ := schedctl.LocalTime(v.Start).In(loc)
	return when.Format(at)
}

func listSeries(ctx context.Context, c *call, in seriesFilter) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	page, err := c.Client.SeriesList(ctx, client.SeriesQuery{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return outcome{}, err
	}
	views, text := make([]seriesView, len(page.Results)), fmt.Sprintf("%d series.", len(page.Results))
	for i := range page.Results {
		views[i] = d.viewSeries(&page.Results[i])
		text += "\n" + views[i].row()
	}
	data := map[string]any{"results": views}
	if in.Full {
		data["results"] = page.Results
	}
	return morePages(outcome{text, data}, page.NextCursor), nil
}

func listMedia(ctx context.Context, c *call, in mediaFilter) (outcome, error) {
	page, err := c.Client.MediaAssets(ctx, client.MediaQuery{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return outcome{}, err
	}
	views, text := make([]mediaView, len(page.Results)), plural(len(page.Results), "file")+"."
	for i := range page.Results {
		views[i] = viewMedia(&page.Results[i])
		text += "\n" + views[i].row()
	}
	data := map[string]any{"results": views}
	if in.Full {
		data["results"] = page.Results
	}
	return morePages(outcome{text, data}, page.NextCursor), nil
}

// morePages adds the cursor of the next page to a result.
func morePages(out outcome, cursor *string) outcome {
	if cursor != nil {
		out.data.(map[string]any)["next_cursor"] = *cursor
		out.text += "\nThere is more: call again with cursor " + *cursor
	}
	return out
}
