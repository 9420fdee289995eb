package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func (f *fixture) auditPage(query string) apiv1.AuditList {
	f.t.Helper()
	list := decodeAs[apiv1.AuditList](f.t, f.do(nil, "GET", "/audit"+query, nil).want(200))
	if list.Count != len(list.Results) {
		f.t.Errorf("count is %d, there are %d", list.Count, len(list.Results))
	}
	return list
}

func TestAuditEntry(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	k := f.keyOf(f.mine.key)
	p := decodeAs[apiv1.PostEnvelope](t, f.do(header("X-Request-Id", "follow-me"), "POST", "/posts", body{"content": "x"}).want(201)).Post
	got := f.auditPage("?limit=1").Results[0]
	want := apiv1.AuditEntry{
		ID: got.ID, CreatedAt: got.CreatedAt, APIKeyID: k.ID, APIKeyName: k.Name, RemoteAddr: new("192.0.2.1"),
		Action: "createPost", ResourceID: &p.ID, RequestID: "follow-me",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAuditRemoteAddresses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for remote, want := range map[string]string{
		"192.0.2.7:80": "192.0.2.7", "[2001:db8::1]:80": "2001:db8::1", "[fe80::1%eth0]:80": "fe80::1%eth0", "@": "unix", "": "unix", "/run/x.sock": "unix",
	} {
		from := func(r *http.Request) {
			r.RemoteAddr = remote
			r.Header.Set("X-Forwarded-For", "203.0.113.1")
		}
		f.do(from, "POST", "/posts", body{"content": "x"}).want(201)
		if got := f.auditPage("?limit=1").Results[0].RemoteAddr; got == nil || *got != want {
			t.Errorf("from %q the entry has %v, want %s", remote, got, want)
		}
	}
}

func TestAuditPages(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		for i := range 5 {
			f.do(header("X-Request-Id", fmt.Sprint("r", i)), "POST", "/posts", body{"content": "x"}).want(201)
		}
		var got []string
		page := f.auditPage("?limit=2")
		for {
			for _, e := range page.Results {
				got = append(got, e.RequestID)
			}
			if page.NextCursor == nil {
				break
			}
			f.do(nil, "POST", "/posts", body{"content": "meanwhile"}).want(201)
			page = f.auditPage("?limit=2&cursor=" + *page.NextCursor)
		}
		if want := []string{"r4", "r3", "r2", "r1", "r0"}; len(got) < 5 || !cmp.Equal(got[:5], want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if len(got) != 6 { // the account was connected before
			t.Errorf("%d entries: %v", len(got), got)
		}
	})
}

func TestAuditQuery(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.draft()
	for query, code := range map[string]schedctl.Code{
		"?limit=0": schedctl.ValidationFailed, "?limit=101": schedctl.ValidationFailed, "?limit=x": schedctl.ValidationFailed,
		"?actions=createPost": schedctl.ValidationFailed, "?cursor=": schedctl.InvalidCursor, "?cursor=x": schedctl.InvalidCursor,
		"?limit=1&limit=2": schedctl.ValidationFailed,
	} {
		f.do(nil, "GET", "/audit"+query, nil).refused(code)
	}
	posts := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts?limit=1", nil).want(200))
	if posts.NextCursor == nil {
		f.draft()
		posts = decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts?limit=1", nil).want(200))
	}
	f.do(nil, "GET", "/audit?cursor="+*posts.NextCursor, nil).refused(schedctl.InvalidCursor)
	f.do(as(f.scoped(schedctl.ScopePostsRead)), "GET", "/audit", nil).refused(schedctl.InsufficientScope)
}

// TestRefusedWritesAreNotAudited guards that the audit log has accepted writes
// only.
func TestRefusedWritesAreNotAudited(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := len(f.audit())
	f.do(nil, "POST", "/posts", body{"content": ""}).refused(schedctl.ValidationFailed)
	f.do(nil, "DELETE", "/posts/post_0", nil).refused(schedctl.NotFound)
	f.store.FailUpdates(1, storagetest.BeforeDisk)
	f.do(nil, "POST", "/posts", body{"content": "x"}).refused(schedctl.Unavailable)
	f.do(nil, "POST", "/posts/validate", body{"content": "x"}).want(200)
	f.do(nil, "GET", "/posts", nil).want(200)
	if after := len(f.audit()); after != before {
		t.Errorf("%d entries were added", after-before)
	}
}
