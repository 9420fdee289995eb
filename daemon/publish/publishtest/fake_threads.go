package publishtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// ThreadsAPI is the API of Threads for [FakeContainers]. Its user is "acme".
var ThreadsAPI = ContainerAPI{
	name: "threads", version: "v1.0", user: "1700",
	profile: map[string]any{"id": "1700", "username": "acme", "name": "Acme"},
	create:  "threads", publish: "threads_publish", quota: "threads_publishing_limit",
	total: map[string]any{
		"config":            map[string]any{"quota_total": 250, "quota_duration": 86400},
		"reply_quota_usage": 0, "reply_config": map[string]any{"quota_total": 1000, "quota_duration": 86400},
	},
	text: "text", lists: map[string]bool{"threads": false, "replies": true}, status: "status",
	early: [2]int{24, 4279009}, again: [2]int{1, 0}, invalid: invalidThread, post: threadsPost,
	metrics: []string{"views", "likes", "replies", "reposts", "quotes", "shares"},
}

func respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func fail(w http.ResponseWriter, code, subcode int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprint(w, MetaError(code, subcode, message))
}

// invalidThread returns the error for a new container, or code 0.
func invalidThread(f *FakeContainers, form map[string]string) (code, subcode int, message string) {
	parent := form["reply_to_id"]
	known := func(p ContainerPost) bool { return p.ID == parent }
	switch {
	case parent != "" && !slices.ContainsFunc(f.posts, known):
		return 100, 0, "Invalid parameter: reply_to_id"
	case form["media_type"] == "TEXT" && form["text"] == "":
		return 100, 0, "Invalid parameter: text"
	}
	return 0, 0, ""
}

func threadsPost(p ContainerPost) map[string]any {
	body := map[string]any{
		"id": p.ID, "text": p.Text, "permalink": "https://www.threads.net/@acme/post/" + p.ID, "timestamp": p.At.UTC().Format("2006-01-02T15:04:05-0700"),
	}
	if p.ReplyTo != "" {
		body["replied_to"] = map[string]string{"id": p.ReplyTo}
	}
	return body
}
