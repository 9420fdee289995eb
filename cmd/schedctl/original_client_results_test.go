package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rules are the keys that an object has, with the types of their values: string, number, a
// status, a list of rules, or rules. A type with "?" may be null.
type rules map[string]any

// statusType is one of the values that the client of the original service knows.
const statusType = "status"

var resultStatuses = "ready collecting delayed reconnect_required unavailable failed"

// targetRules are what the client of the original service demands of a target in both calls.
func targetRules(more rules) rules {
	r := rules{
		"post_target_id": "string", "platform": "string", "account_label": "string", "platform_url": "string?", "published_at": "string?", "analytics_status": statusType,
		"status_label": "string", "last_refresh_at": "string?", "next_refresh_at": "string?", "views": "number?", "clicks": "number?", "engagements": "number?", "engagement_rate": "number?",
	}
	for key, rule := range more {
		r[key] = rule
	}
	return r
}

func workspaceRules() rules {
	gain := rules{"value": "number", "previous_value": "number?"}
	metrics := rules{}
	for _, name := range []string{"views", "clicks", "engagements"} {
		metrics[name+"_last_hour"], metrics[name+"_last_day"] = gain, gain
	}
	row := targetRules(rules{"post_id": "string", "preview": "string", "trend": "number?"})
	return rules{
		"workspace": rules{"id": "string", "timezone": "string"}, "metrics": metrics, "sparkline": []rules{{"label": "string", "value": "number"}},
		"posts": []rules{row}, "count": "number", "limit": "number", "offset": "number",
	}
}

func postRules() rules {
	return rules{
		"post_id": "string", "post": rules{"id": "string", "title": "string?", "preview": "string", "status": "string", "published_targets": "number"},
		"totals":  rules{"views": "number", "clicks": "number", "engagements": "number", "engagement_rate": "number?"},
		"targets": []rules{targetRules(rules{"social_account_id": "string", "platform_post_id": "string?"})},
	}
}

// faults returns what an object breaks of rules.
func (r rules) faults(path string, object any) (faults []string) {
	values, ok := object.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s is %T", path, object)}
	}
	for key, rule := range r {
		at, value := path+"."+key, values[key]
		if _, has := values[key]; !has {
			faults = append(faults, at+" is missing")
			continue
		}
		switch rule := rule.(type) {
		case rules:
			faults = append(faults, rule.faults(at, value)...)
		case []rules:
			list, ok := value.([]any)
			if !ok {
				faults = append(faults, at+" is no list")
			}
			for i, v := range list {
				faults = append(faults, rule[0].faults(fmt.Sprintf("%s[%d]", at, i), v)...)
			}
		case string:
			if !hasType(rule, value) {
				faults = append(faults, fmt.Sprintf("%s is %v, not a %s", at, value, rule))
			}
		}
	}
	return faults
}

func hasType(rule string, value any) bool {
	rule, optional := strings.CutSuffix(rule, "?")
	switch value := value.(type) {
	case nil:
		return optional
	case string:
		return rule == "string" || rule == statusType && strings.Contains(resultStatuses, value)
	case float64:
		return rule == "number"
	}
	return false
}

// results checks the commands about results, and what they get by the rules of the client.
func (o *originalClient) results(t *testing.T, account string) {
	published := o.post("posts", "create", "--content", "What became of it", "--title", "Fate", "--account", account, "--publish-at", "now")
	id := published["id"].(string)
	o.post("posts", "wait", id, "--interval", "1")
	draft := o.post("posts", "create", "--content", "Draft")
	for _, limits := range [][]string{nil, {"--limit", "1"}, {"--limit", "5", "--offset", "1"}} {
		got := o.run(0, append([]string{"analytics", "workspace"}, limits...)...)
		for _, fault := range workspaceRules().faults("workspace", got) {
			t.Errorf("%v: %s", limits, fault)
		}
		if _, has := got["top_post"]; !has || len(got["sparkline"].([]any)) != 14 {
			t.Errorf("%v: %v", limits, got)
		}
	}
	got := o.run(0, "analytics", "post", id)
	for _, fault := range postRules().faults("post", got) {
		t.Error(fault)
	}
	row := got["targets"].([]any)[0].(map[string]any)
	if row["views"] != nil || row["analytics_status"] != "unavailable" || got["post"].(map[string]any)["title"] != "Fate" {
		t.Errorf("the post is %v", got)
	}
	none := o.run(0, "analytics", "post", draft["id"].(string))
	for _, fault := range postRules().faults("draft", none) {
		t.Error(fault)
	}
	if len(none["targets"].([]any)) != 0 {
		t.Errorf("the draft is %v", none)
	}
	o.output(0, "openapi", "--base-url", o.url, "--output", "openapi.json") // it knows the address from its flag alone
	var document map[string]any
	if text, err := os.ReadFile(filepath.Join(o.dir, "openapi.json")); err != nil || json.Unmarshal(text, &document) != nil || document["paths"] == nil {
		t.Errorf("the document: %v", err)
	}
}
