package client_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Each method about keys and workspaces sends one request, and returns the daemon's
// response.
func TestKeyMethods(t *testing.T) {
	t.Parallel()
	made := apiv1.CreatedAPIKey{APIKey: apiv1.APIKey{ID: "key_1"}, Secret: "sctl_1"}
	for name, tc := range map[string]struct {
		answer any
		call   func(context.Context, *client.Client) (string, error)
		want   string // method, path, body
		result string
	}{
		"create key": {made, func(ctx context.Context, c *client.Client) (string, error) {
			k, err := c.CreateAPIKey(ctx, apiv1.CreateAPIKey{Name: "ci", Scopes: []schedctl.Scope{"posts:read"}, ExpiresAt: apiv1.NewTime(time.Date(2036, 6, 2, 15, 0, 0, 0, time.UTC)), SocialAccountIDs: []string{"acct_1"}})
			return k.APIKey.ID + " " + k.Secret, err
		}, `POST /api/v1/api-keys {"name":"ci","scopes":["posts:read"],"expires_at":"2036-06-02T15:00:00Z","social_account_ids":["acct_1"]}`, "key_1 sctl_1"},
		"create a usual key": {made, func(ctx context.Context, c *client.Client) (string, error) {
			k, err := c.CreateAPIKey(ctx, apiv1.CreateAPIKey{Name: "ci"})
			return k.Secret, err
		}, `POST /api/v1/api-keys {"name":"ci"}`, "sctl_1"},
		"keys": {apiv1.APIKeyList{Results: []apiv1.APIKey{{ID: "key_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.APIKeys(ctx)
			return list[0].ID, err
		}, "GET /api/v1/api-keys ", "key_1"},
		"revoke": {nil, func(ctx context.Context, c *client.Client) (string, error) { return "", c.RevokeAPIKey(ctx, "key_1") },
			"DELETE /api/v1/api-keys/key_1 ", ""},
		"create workspace": {apiv1.CreatedWorkspace{Workspace: apiv1.Workspace{ID: "ws_1"}, Secret: "sctl_1"}, func(ctx context.Context, c *client.Client) (string, error) {
			w, err := c.CreateWorkspace(ctx, apiv1.CreateWorkspace{Name: "a", Timezone: ptr("Europe/Rome")})
			return w.Workspace.ID + " " + w.Secret, err
		}, `POST /api/v1/workspaces {"name":"a","timezone":"Europe/Rome"}`, "ws_1 sctl_1"},
		"workspaces": {apiv1.WorkspaceList{Results: []apiv1.Workspace{{ID: "ws_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Workspaces(ctx)
			return list[0].ID, err
		}, "GET /api/v1/workspaces ", "ws_1"},
		"audit": {apiv1.AuditList{Results: []apiv1.AuditEntry{{ID: "aud_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			page, err := c.Audit(ctx, client.AuditQuery{Limit: 5, Cursor: "a b"})
			return page.Results[0].ID, err
		}, "GET /api/v1/audit?cursor=a+b&limit=5 ", "aud_1"},
		"capabilities": {apiv1.Capabilities{Features: map[string]bool{"drafts": true}}, func(ctx context.Context, c *client.Client) (string, error) {
			can, err := c.Capabilities(ctx)
			return fmt.Sprint(can.Features), err
		}, "GET /api/v1/capabilities ", "map[drafts:true]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answer{status: http.StatusNoContent}
			if tc.answer != nil {
				a = ok(tc.answer)
			}
			f, c := serve(t, a)
			result, err := tc.call(t.Context(), c)
			if err != nil || result != tc.result {
				t.Errorf("got %q and %v, want %q", result, err, tc.result)
			}
			r := f.only(t)
			checkDocumented(t, r)
			path := r.Path
			if r.Query != "" {
				path += "?" + r.Query
			}
			if diff := cmp.Diff(tc.want, r.Method+" "+path+" "+r.Body); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if wrote := r.Header.Get("Idempotency-Key") != ""; wrote != (r.Method != http.MethodGet) {
				t.Errorf("%s with idempotency key: %v", r.Method, wrote)
			}
		})
	}
}

func TestKeyIDsThatWouldLeadElsewhere(t *testing.T) {
	t.Parallel()
	f, c := serve(t, ok(struct{}{}))
	for _, id := range []string{"", ".", ".."} {
		if err := c.RevokeAPIKey(t.Context(), id); schedctl.CodeOf(err) != schedctl.NotFound {
			t.Errorf("%q: got %v, want not found", id, err)
		}
	}
	if seen := f.seen(); len(seen) > 0 {
		t.Errorf("requests were made: %v", seen)
	}
}

func TestEachAuditGoesFromPageToPage(t *testing.T) {
	t.Parallel()
	page := func(next *string, ids ...string) answer {
		list := apiv1.AuditList{NextCursor: next}
		for _, id := range ids {
			list.Results = append(list.Results, apiv1.AuditEntry{ID: id})
		}
		return ok(list)
	}
	collect := func(c *client.Client, stopAt string) (ids string, err error) {
		for e, err := range c.EachAudit(t.Context(), client.AuditQuery{Limit: 2}) {
			if err != nil {
				return ids, err
			}
			if ids += e.ID; e.ID == stopAt {
				break
			}
		}
		return ids, nil
	}
	f, c := serve(t, page(ptr("two"), "a", "b"), page(nil, "c"))
	if ids, err := collect(c, ""); err != nil || ids != "abc" {
		t.Errorf("got %s and %v", ids, err)
	}
	var queries []string
	for _, r := range f.seen() {
		queries = append(queries, r.Query)
	}
	if got := strings.Join(queries, " "); got != "limit=2 cursor=two&limit=2" {
		t.Errorf("queries %s", got)
	}
	f, c = serve(t, page(ptr("two"), "a", "b"))
	if ids, err := collect(c, "a"); err != nil || ids != "a" || len(f.seen()) != 1 {
		t.Errorf("stopped early: %s, %v", ids, err)
	}
	_, c = serve(t, page(ptr("two"), "a"), refusal(400, "INVALID_CURSOR", nil))
	if ids, err := collect(c, ""); schedctl.CodeOf(err) != schedctl.InvalidCursor || ids != "a" {
		t.Errorf("an error on the second page: %s and %v", ids, err)
	}
	_, c = serve(t, page(ptr("same"), "a"))
	if ids, err := collect(c, ""); err != nil || ids != "aa" {
		t.Errorf("a cursor that leads nowhere: %s and %v", ids, err)
	}
}
