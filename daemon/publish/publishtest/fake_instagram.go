package publishtest

import (
	"strings"
	"unicode/utf8"
)

// InstagramAPI is the API of Instagram with Instagram login for [FakeContainers]. Its user
// is "acme" with the id 17841400000000001.
var InstagramAPI = ContainerAPI{
	name: "instagram", version: "v25.0", user: "17841400000000001",
	profile: map[string]any{"user_id": "17841400000000001", "id": "2600", "username": "acme", "name": "Acme", "account_type": "Business"},
	create:  "media", publish: "media_publish", quota: "content_publishing_limit",
	total: map[string]any{"config": map[string]any{"quota_total": 100, "quota_duration": 86400}},
	text:  "caption", lists: map[string]bool{"media": false}, status: "status_code",
	early: [2]int{9007, 2207027}, again: [2]int{-1, 2207001}, invalid: invalidMedia, post: instagramPost,
	metrics: []string{"views", "reach", "saved", "shares", "likes", "comments", "total_interactions"}, fields: []string{"like_count", "comments_count"},
}

// invalidMedia returns the error for a new container, or code 0.
func invalidMedia(f *FakeContainers, form map[string]string) (code, subcode int, message string) {
	item := form["is_carousel_item"] == "true"
	image, video, kind := form["image_url"], form["video_url"], form["media_type"]
	switch {
	case utf8.RuneCountInString(form["caption"]) > 2200:
		return 36004, 2207010, "The caption was too long"
	case strings.Count(form["caption"], "@") > 20:
		return 100, 2207040, "Cannot use more than 20 tags per created media"
	case item && form["caption"] != "", image != "" && video != "", form["alt_text"] != "" && image == "":
		return 100, 0, "Invalid parameter"
	case kind == "CAROUSEL":
		return f.invalidCarousel(form)
	case video != "" && kind != "REELS" && (kind != "VIDEO" || !item):
		return 352, 2207023, "The media type is unknown"
	case image != "" && kind != "":
		return 352, 2207023, "The media type is unknown"
	case !strings.HasPrefix(image+video, "https://"):
		return 9004, 2207052, "The media could not be fetched from this URI"
	}
	return 0, 0, ""
}

// invalidCarousel returns the error for a container with several files, or code 0. Its
// items must be processed.
func (f *FakeContainers) invalidCarousel(form map[string]string) (code, subcode int, message string) {
	children := strings.Split(form["children"], ",")
	if len(children) < 2 || len(children) > 10 {
		return 100, 2207028, "The post will not work as a carousel"
	}
	for _, id := range children {
		switch c := f.containers[id]; {
		case c == nil || c.Form["is_carousel_item"] != "true":
			return 24, 2207008, "The media builder does not exist or has been expired"
		case f.status(c) != "FINISHED":
			return 9007, 2207027, "The media is not ready for publishing"
		}
	}
	return 0, 0, ""
}

func instagramPost(p ContainerPost) map[string]any {
	kind := "IMAGE"
	switch p.Form["media_type"] {
	case "REELS":
		kind = "VIDEO"
	case "CAROUSEL":
		kind = "CAROUSEL_ALBUM"
	}
	body := map[string]any{
		"id": p.ID, "media_type": kind, "permalink": "https://www.instagram.com/p/" + p.ID + "/", "timestamp": p.At.UTC().Format("2006-01-02T15:04:05-0700"),
	}
	if p.Text != "" {
		body["caption"] = p.Text
	}
	return body
}
