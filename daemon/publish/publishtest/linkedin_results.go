package publishtest

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Add adds a post.
func (f *FakeLinkedIn) Add(p LinkedInPost) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posts = append(f.posts, p)
}

// one returns a post of the organization.
func (f *FakeLinkedIn) one(urn string) (int, string) {
	if !slices.Contains(f.Scopes, "r_organization_social") {
		return linkedInError(403, 100, "ACCESS_DENIED", "Not enough permissions to access: partnerApiPostsExternal.GET.20251001")
	}
	i := slices.IndexFunc(f.posts, func(p LinkedInPost) bool { return p.ID == urn && !p.Deleted })
	if i < 0 {
		return linkedInError(404, 0, "NOT_FOUND", "Entity not found")
	}
	body, _ := json.Marshal(f.posts[i].shown())
	return 200, string(body)
}

var linkedInList = regexp.MustCompile(`^List\(([^()]*)\)$`)

// statistics returns the numbers of posts of the organization. Those that nobody has seen are
// left out.
func (f *FakeLinkedIn) statistics(rawQuery string) (int, string) {
	parameters := rawParameters(rawQuery)
	author, _ := url.QueryUnescape(parameters["organizationalEntity"])
	kind, list := "share", linkedInList.FindStringSubmatch(parameters["shares"])
	if list == nil {
		kind, list = "ugcPost", linkedInList.FindStringSubmatch(parameters["ugcPosts"])
	}
	switch {
	case !slices.Contains(f.Scopes, "rw_organization_admin"), author != "urn:li:organization:"+f.Organization:
		return linkedInError(403, 100, "ACCESS_DENIED", "Not enough permissions to access: organizationalEntityShareStatistics.FINDER-organizationalEntity.20251001")
	case parameters["q"] != "organizationalEntity" || list == nil:
		return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "Invalid query parameters passed to request")
	}
	elements := []any{}
	for item := range strings.SplitSeq(list[1], ",") {
		urn, _ := url.QueryUnescape(item)
		for _, p := range f.posts {
			if p.ID != urn || p.Deleted || p.Numbers == nil {
				continue
			}
			numbers := map[string]any{"engagement": 0.07}
			for _, name := range []string{"impressionCount", "uniqueImpressionsCount", "clickCount", "likeCount", "commentCount", "shareCount"} {
				numbers[name] = p.Numbers[name]
			}
			elements = append(elements, map[string]any{kind: urn, "organizationalEntity": author, "totalShareStatistics": numbers})
		}
	}
	body, _ := json.Marshal(map[string]any{"elements": elements, "paging": map[string]any{"start": 0, "count": 10, "links": []any{}}})
	return 200, string(body)
}

var linkedInEntity = regexp.MustCompile(`^\((share|ugc):([^()]*)\)$`)

// analytics returns one number of a post of the person.
func (f *FakeLinkedIn) analytics(rawQuery string) (int, string) {
	parameters := rawParameters(rawQuery)
	entity := linkedInEntity.FindStringSubmatch(parameters["entity"])
	kind := parameters["queryType"]
	switch {
	case !slices.Contains(f.Scopes, "r_member_postAnalytics"):
		return linkedInError(403, 100, "ACCESS_DENIED", "Not enough permissions to access: memberCreatorPostAnalytics.FINDER-entity.20251001")
	case slices.Contains(f.Unknown, kind):
		return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "Invalid value for param; wire value: "+kind+", param: queryType")
	case parameters["q"] != "entity" || parameters["aggregation"] != "TOTAL" || entity == nil:
		return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "Invalid query parameters passed to request")
	}
	urn, _ := url.QueryUnescape(entity[2])
	elements := []any{}
	for _, p := range f.posts {
		if p.ID == urn && !p.Deleted && p.Author == "urn:li:person:"+f.Person {
			elements = append(elements, map[string]any{
				"targetEntity": map[string]any{entity[1]: urn}, "count": p.Numbers[kind],
				"metricType": map[string]any{"com.linkedin.adsexternalapi.memberanalytics.v1.CreatorPostAnalyticsMetricTypeV1": kind},
			})
		}
	}
	body, _ := json.Marshal(map[string]any{"elements": elements, "paging": map[string]any{"start": 0, "count": 10, "links": []any{}}})
	return 200, string(body)
}

// rawParameters returns the parameters of a query as they were sent: a list is not escaped,
// and its items are.
func rawParameters(rawQuery string) map[string]string {
	parameters := map[string]string{}
	for pair := range strings.SplitSeq(rawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		parameters[name] = value
	}
	return parameters
}
