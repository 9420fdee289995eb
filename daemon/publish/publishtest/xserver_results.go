package publishtest

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
)

// What a [FakeX] charges for a post that it returns, in millionths of a US dollar.
const (
	xOwnPrice   = 1_000
	xOtherPrice = 5_000
)

// xNumbersAge is how long X has the numbers that only the author sees.
const xNumbersAge = 30 * 24 * time.Hour

// Add adds a post of the user.
func (f *FakeX) Add(p XPost) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posts = append(f.posts, p)
}

// Charged returns what reading posts has cost so far, in millionths of a US dollar.
func (f *FakeX) Charged() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.charged
}

func (f *FakeX) ownPrice() int64 {
	if f.OwnApp {
		return xOwnPrice
	}
	return xOtherPrice
}

// withNumbers adds the numbers of a post to how it is shown.
func (f *FakeX) withNumbers(shown map[string]any, p XPost, fields string) map[string]any {
	add := func(field string, names ...string) {
		if !slices.Contains(strings.Split(fields, ","), field) {
			return
		}
		numbers := map[string]int64{}
		for _, name := range names {
			numbers[name] = p.Numbers[name]
		}
		shown[field] = numbers
	}
	add("public_metrics", "retweet_count", "reply_count", "like_count", "quote_count", "bookmark_count", "impression_count")
	if time.Since(p.Created) < xNumbersAge {
		add("non_public_metrics", "impression_count", "url_link_clicks", "user_profile_clicks")
	}
	return shown
}

// lookUp returns a post by its id. X responds 200 for a post that it does not have.
func (f *FakeX) lookUp(id string, query url.Values) (int, string) {
	for _, p := range f.posts {
		if p.ID == id && !p.Deleted {
			f.charged += xOtherPrice
			body, _ := json.Marshal(map[string]any{"data": f.withNumbers(f.shown(p), p, query.Get("tweet.fields"))})
			return 200, string(body)
		}
	}
	body, _ := json.Marshal(map[string]any{"errors": []map[string]string{{
		"value": id, "detail": "Could not find tweet with id: [" + id + "].", "title": "Not Found Error", "resource_type": "tweet", "parameter": "id",
		"resource_id": id, "type": "https://api.twitter.com/2/problems/resource-not-found",
	}}})
	return 200, string(body)
}
