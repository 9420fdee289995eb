package publishtest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// The metrics of posts, and of videos.
var (
	facebookPostMetrics  = []string{"post_media_view", "post_total_media_view_unique", "post_clicks"}
	facebookVideoMetrics = []string{"total_video_views", "total_video_views_unique"}
)

// Delete deletes a post.
func (f *FakeFacebook) Delete(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.posts {
		f.posts[i].Deleted = f.posts[i].Deleted || f.posts[i].ID == id || f.posts[i].Video == id && id != ""
	}
}

// owns reports whether a path is that of a post or a video of the Page, deleted or not, or of
// its insights.
func (f *FakeFacebook) owns(path string) bool {
	id, _, _ := strings.Cut(path, "/")
	return slices.ContainsFunc(f.posts, func(p FacebookPost) bool { return p.ID == id || p.Video == id && id != "" })
}

// object returns a post or a video, or its insights. The caller holds mu.
func (f *FakeFacebook) object(path string, token *FacebookToken, form url.Values) (int, string) {
	id, edge, _ := strings.Cut(path, "/")
	i := slices.IndexFunc(f.posts, func(p FacebookPost) bool { return (p.ID == id || p.Video == id) && !p.Deleted })
	if i < 0 {
		return 400, MetaError(100, 33, "Unsupported get request. Object with ID '"+id+"' does not exist, cannot be loaded due to missing permissions, or does not support this operation")
	}
	p := f.posts[i]
	video := p.ID != id
	switch {
	case edge == "insights" && !video, edge == "video_insights" && video:
		if !slices.Contains(token.Scopes, "read_insights") {
			return http.StatusForbidden, MetaError(10, 0, "(#10) This endpoint requires the 'read_insights' permission or the 'Page Public Content Access' feature")
		}
		return f.insights(p, video, strings.Split(form.Get("metric"), ","))
	case edge != "":
		return 400, MetaError(100, 0, "(#100) Tried accessing nonexisting field ("+edge+")")
	}
	body := map[string]any{"id": id}
	for field := range strings.SplitSeq(form.Get("fields"), ",") {
		name, _, _ := strings.Cut(field, ".")
		switch {
		case name == "id":
		case video && (name == "shares" || name == "reactions"), !video && name == "likes":
			return 400, MetaError(100, 0, "(#100) Tried accessing nonexisting field ("+name+") on node type (Video)")
		case name == "shares":
			if n := p.Numbers[name]; n > 0 {
				body[name] = map[string]any{"count": n}
			}
		default:
			body[name] = map[string]any{"data": []any{}, "summary": map[string]any{"total_count": p.Numbers[name]}}
		}
	}
	return 200, encode(body)
}

func (f *FakeFacebook) insights(p FacebookPost, video bool, wanted []string) (int, string) {
	known := facebookPostMetrics
	if video {
		known = facebookVideoMetrics
	}
	data := []any{}
	for _, name := range wanted {
		if !slices.Contains(known, name) || slices.Contains(f.Retired, name) {
			return 400, MetaError(100, 0, "(#100) The value must be a valid insights metric")
		}
		data = append(data, map[string]any{"name": name, "period": "lifetime", "values": []any{map[string]any{"value": p.Numbers[name]}}})
	}
	return 200, encode(map[string]any{"data": data})
}
