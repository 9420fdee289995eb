package publishtest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Add adds a post of the account.
func (f *FakeContainers) Add(p ContainerPost) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posts = append(f.posts, p)
}

// Remove deletes a post.
func (f *FakeContainers) Remove(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posts = slices.DeleteFunc(f.posts, func(p ContainerPost) bool { return p.ID == id })
}

// SetNumbers sets the numbers of a post.
func (f *FakeContainers) SetNumbers(id string, numbers map[string]int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.posts {
		if f.posts[i].ID == id {
			f.posts[i].Numbers = maps.Clone(numbers)
		}
	}
}

// object returns a container or a post, or the insights of a post.
func (f *FakeContainers) object(w http.ResponseWriter, r *http.Request, path string) {
	id, edge, _ := strings.Cut(path, "/")
	if c := f.containers[id]; c != nil && edge == "" {
		respond(w, map[string]string{"id": id, f.API.status: f.status(c)})
		return
	}
	i := slices.IndexFunc(f.posts, func(p ContainerPost) bool { return p.ID == id })
	switch {
	case i < 0:
		fail(w, 100, 33, "Unsupported get request. Object with ID '"+id+"' does not exist, cannot be loaded due to missing permissions, or does not support this operation")
	case edge == "insights":
		f.insights(w, f.posts[i], strings.Split(r.Form.Get("metric"), ","))
	default:
		body := f.API.post(f.posts[i])
		for _, name := range f.API.fields {
			if slices.Contains(strings.Split(r.Form.Get("fields"), ","), name) {
				body[name] = f.posts[i].Numbers[name]
			}
		}
		respond(w, body)
	}
}

// insights returns metrics of a post, or refuses the whole request for one that there is not.
func (f *FakeContainers) insights(w http.ResponseWriter, p ContainerPost, wanted []string) {
	known := slices.DeleteFunc(slices.Clone(f.API.metrics), func(name string) bool { return slices.Contains(f.Retired, name) })
	data := []any{}
	for i, name := range wanted {
		switch {
		case !slices.Contains(known, name):
			fail(w, 100, 0, fmt.Sprintf("(#100) metric[%d] must be one of the following values: %s", i, strings.Join(known, ", ")))
			return
		case name == "shares" && f.API.name == "instagram" && p.Form["media_type"] != "REELS":
			fail(w, 100, 0, "(#100) The metric shares is not supported for this media type")
			return
		case f.Few:
			fail(w, 10, 0, "(#10) Not enough viewers for the media to show insights")
			return
		}
		data = append(data, map[string]any{
			"name": name, "period": "lifetime", "values": []any{map[string]any{"value": p.Numbers[name]}}, "title": name, "id": p.ID + "/insights/" + name + "/lifetime",
		})
	}
	respond(w, map[string]any{"data": data})
}
