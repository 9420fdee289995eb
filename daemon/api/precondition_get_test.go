package api_test

import (
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// A client that has the current version of a post gets 304 without a body.
func TestIfNoneMatch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	post := decodeAs[apiv1.PostEnvelope](t, f.do(nil, "POST", "/posts", body{"content": "Hello"}).want(201)).Post
	path := "/posts/" + post.ID
	etag := f.do(nil, "GET", path, nil).want(200).header.Get("ETag")
	for value, status := range map[string]int{
		etag: 304, "W/" + etag: 304, `"99", ` + etag: 304, "*": 304,
		`"99"`: 200, etag[1 : len(etag)-1]: 200, "": 200, `"99" nonsense`: 200,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			got := f.do(header("If-None-Match", value), method, path, nil).want(status)
			if got.header.Get("ETag") != etag || status == 304 && (len(got.body) > 0 || got.header.Get("Content-Type") != "") {
				t.Errorf("%s with %q: %q, %v", method, value, got.body, got.header)
			}
		}
	}
	f.do(nil, "PATCH", path, body{"content": "Hello again"}).want(200)
	if got := f.do(header("If-None-Match", etag), "GET", path, nil).want(200); len(got.body) == 0 || got.header.Get("ETag") == etag {
		t.Errorf("after a change: %q, %v", got.body, got.header)
	}
	f.do(header("If-None-Match", "*"), "GET", "/posts/post_01M82DCTKB1X3BSPB43VHBRH06", nil).want(404)
}
