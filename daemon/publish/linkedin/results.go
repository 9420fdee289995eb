package linkedin

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// The permissions to read numbers. That of an organization needs an administrator.
const (
	scopeOrganizationResults = "rw_organization_admin"
	scopePersonResults       = "r_member_postAnalytics"
)

// maxStatistics is how many posts of an organization are read at once.
const maxStatistics = 20

// statistics are the numbers of an organization's post by their names in the API
// (https://learn.microsoft.com/linkedin/marketing/community-management/organizations/share-statistics).
var statistics = map[string]string{
	"impressionCount": "views", "uniqueImpressionsCount": "reach", "clickCount": "clicks", "likeCount": "reactions", "commentCount": "replies", "shareCount": "reposts",
}

// queries are the numbers of a person's post, one for each request
// (https://learn.microsoft.com/linkedin/marketing/community-management/members/post-statistics).
var queries = []struct{ name, metric string }{
	{"IMPRESSION", "views"}, {"MEMBERS_REACHED", "reach"}, {"REACTION", "reactions"}, {"COMMENT", "replies"}, {"RESHARE", "reposts"}, {"POST_SAVE", "saves"}, {"POST_SEND", "sends"},
}

// countedURN matches the URN of a post, and not that of a comment.
var countedURN = pattern.Lazy(`^urn:li:(share|ugcPost):[0-9]{1,30}$`)

// isOrganization reports whether an account is that of an organization, by its page.
func isOrganization(a schedctl.Account) bool {
	return strings.HasPrefix(a.ProfileURL, "https://www.linkedin.com/company/")
}

// ResultsRules returns the rules for readings.
func (p *Publisher) ResultsRules(a schedctl.Account) publish.ResultsRules {
	if isOrganization(a) {
		return publish.ResultsRules{
			Metrics: []string{"views", "reach", "reactions", "reposts", "replies", "clicks"}, Batch: maxStatistics, Scope: scopeOrganizationResults,
			Window: 365 * 24 * time.Hour, AllReplies: true,
		}
	}
	return publish.ResultsRules{
		Metrics: []string{"views", "reach", "reactions", "reposts", "replies", "saves"}, Batch: 1, Scope: scopePersonResults,
		Points: publish.DailyPoints(), AllReplies: true,
	}
}

// Results reads the posts of an organization together, and those of a person number by
// number. LinkedIn lets no app see whether a person's post is gone.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	a, err := p.parseCredentials(r.Credentials, r.Account.Options)
	if err != nil {
		return reading, publish.NotPublished(err)
	}
	of := results{p, a, r.Dropped, &reading}
	if !a.organization() {
		for _, urn := range r.IDs {
			if err := of.person(ctx, urn); err != nil {
				return reading, err
			}
		}
		return reading, nil
	}
	for _, kind := range []struct{ name, parameter string }{{"share", "shares"}, {"ugcPost", "ugcPosts"}} {
		list := slices.DeleteFunc(slices.Clone(r.IDs), func(urn string) bool {
			m := countedURN().FindStringSubmatch(urn)
			return m == nil || m[1] != kind.name
		})
		if err := of.organization(ctx, kind.name, kind.parameter, list); err != nil {
			return reading, err
		}
	}
	return reading, nil
}

// results is one reading.
type results struct {
	*Publisher
	access
	dropped []string
	reading *publish.ResultsReading
}

// get sends a request.
func (r results) get(ctx context.Context, address string, into any) (outbound.Response, error) {
	response, err := r.sendCounted(ctx, r.access, http.MethodGet, address, nil, nil, &r.reading.Requests)
	if err != nil {
		return response, publish.NotPublished(err)
	}
	r.reading.NotBefore = outbound.LowUntil(response.Header, r.now())
	switch {
	case response.Status != http.StatusOK:
		return response, r.refused(response)
	case response.Cut || json.Unmarshal(response.Body, into) != nil:
		return response, outbound.NoResults(response, "LinkedIn")
	}
	return response, nil
}

// refused returns the error of a refused reading, which does not hold the account.
func (r results) refused(response outbound.Response) error {
	e := refusal(response, publish.PurposeResults, r.now(), r.access)
	e.Outcome = schedctl.OutcomeNotPublished
	if parseProblem(response).lacksScope(response.Status) {
		e.Kind, e.Code = schedctl.KindContent, string(publish.HoldScope)
	}
	return e
}

// organization reads posts of an organization. LinkedIn leaves out posts that nobody has seen
// yet, so only the post itself shows whether it is gone.
func (r results) organization(ctx context.Context, kind, parameter string, list []string) error {
	if len(list) == 0 {
		return nil
	}
	escaped := make([]string, len(list))
	for i, urn := range list {
		escaped[i] = url.QueryEscape(urn)
	}
	query := "q=organizationalEntity&organizationalEntity=" + url.QueryEscape(r.author) + "&" + parameter + "=List(" + strings.Join(escaped, ",") + ")"
	var body struct {
		Elements []map[string]any `json:"elements"`
	}
	response, err := r.get(ctx, r.endpoint(query, "organizationalEntityShareStatistics"), &body)
	if err == nil && body.Elements == nil {
		err = outbound.NoResults(response, "LinkedIn")
	}
	if err != nil {
		return err
	}
	for _, element := range body.Elements {
		urn, _ := element[kind].(string)
		total, _ := element["totalShareStatistics"].(map[string]any)
		if m := publish.MetricsOf(total, statistics); slices.Contains(list, urn) && m.Given() {
			r.reading.Results[urn] = publish.Result{Metrics: m}
		}
	}
	for _, urn := range list {
		if _, told := r.reading.Results[urn]; told {
			continue
		}
		var post map[string]any
		if response, err := r.get(ctx, r.endpoint("", "posts", urn), &post); response.Status == http.StatusNotFound && isNotFound(response) {
			r.reading.Results[urn] = publish.Result{Gone: true}
		} else if err != nil && response.Status != http.StatusForbidden { // the token need not read posts
			return err
		}
	}
	return nil
}

// isNotFound reports whether a response with the status 404 is one of the API about a post,
// and not about a route that it does not have.
func isNotFound(response outbound.Response) bool {
	var body struct {
		Status float64 `json:"status"`
		Code   string  `json:"code"`
	}
	return !response.Cut && json.Unmarshal(response.Body, &body) == nil && body.Status == http.StatusNotFound && body.Code != "RESOURCE_NOT_FOUND"
}

// person reads the numbers of a person's post. A number that this version of the API does not
// have is left out.
func (r results) person(ctx context.Context, urn string) error {
	kind := countedURN().FindStringSubmatch(urn)
	if kind == nil {
		return nil
	}
	entity := map[string]string{"share": "share", "ugcPost": "ugc"}[kind[1]]
	var m schedctl.Metrics
	for _, q := range queries {
		if slices.Contains(r.dropped, q.name) {
			continue
		}
		query := "q=entity&entity=(" + entity + ":" + url.QueryEscape(urn) + ")&queryType=" + q.name + "&aggregation=TOTAL"
		var body struct {
			Elements []struct {
				Count any `json:"count"`
			} `json:"elements"`
		}
		response, err := r.get(ctx, r.endpoint(query, "memberCreatorPostAnalytics"), &body)
		switch {
		case response.Status == http.StatusBadRequest && strings.Contains(parseProblem(response).message, "queryType"):
			r.reading.Dropped = append(r.reading.Dropped, q.name)
			continue
		case err == nil && body.Elements == nil:
			return outbound.NoResults(response, "LinkedIn")
		case err != nil:
			return err
		}
		if len(body.Elements) == 1 {
			if n := publish.Count(body.Elements[0].Count); n != nil {
				m.Set(q.metric, *n)
			}
		}
	}
	if m.Given() {
		r.reading.Results[urn] = publish.Result{Metrics: m}
	}
	return nil
}
