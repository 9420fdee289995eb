package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// keyKinds are the kinds of API keys whose rights docs/agents.md lists.
var keyKinds = []struct {
	name string
	set  func(*world, *schedctl.APIKey)
}{
	{"first", func(*world, *schedctl.APIKey) {}},
	{"standard", func(_ *world, k *schedctl.APIKey) { k.Scopes = standardScopes }},
	{"limited", func(w *world, k *schedctl.APIKey) { k.Scopes, k.AccountIDs = standardScopes, []string{w.mine.account} }},
	{"drafts only", func(_ *world, k *schedctl.APIKey) { k.Scopes = schedctl.AgentScopes()[:3] }},
	{"agent", func(_ *world, k *schedctl.APIKey) { k.Scopes, k.Agent = schedctl.AgentScopes()[:3], true }},
	{"agent, posts:write", func(_ *world, k *schedctl.APIKey) { k.Scopes, k.Agent = standardScopes, true }},
	{"approval required", func(_ *world, k *schedctl.APIKey) { k.Scopes, k.Restricted = standardScopes, true }},
	{"reviewer", func(_ *world, k *schedctl.APIKey) {
		k.Scopes = []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsApprove}
	}},
}

var standardScopes = []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopeAccountsRead}

// TestRightsOfKeys tries every operation that changes something with a key of each kind, on
// objects of another key, and then on its own. docs/agents.md has the result, and
// docs/posts.md the part about posts and series.
func TestRightsOfKeys(t *testing.T) {
	t.Parallel()
	shared := newFixtureOn(t, storagetest.NewMemory())
	var mu sync.Mutex // mu guards rows
	rows := map[string][]string{}
	t.Run("operations", func(t *testing.T) {
		for id, op := range documentOperations(t) {
			if op.method == "GET" {
				continue
			}
			if attempts[id] == nil {
				t.Errorf("%s %s: say in attempts how %s succeeds, so that its rights are known", op.method, op.path, id)
				continue
			}
			t.Run(id, func(t *testing.T) {
				t.Parallel()
				cells := make([]string, len(keyKinds))
				r := rights{t: t, shared: shared, op: op}
				for i := range keyKinds {
					cells[i] = r.of(i)
				}
				mu.Lock()
				defer mu.Unlock()
				row := "| " + strings.Join(cells, " | ") + " |"
				rows[row] = append(rows[row], "`"+id+"`")
			})
		}
	})
	if t.Failed() {
		return
	}
	checkRights(t, "../../docs/agents.md", rightsTable(rows))
	operations := documentOperations(t)
	for row, ids := range rows {
		rows[row] = slices.DeleteFunc(ids, func(name string) bool {
			return !slices.Contains([]string{"Posts", "Series", "Approvals"}, operations[strings.Trim(name, "`")].Tags[0])
		})
	}
	checkRights(t, "../../docs/posts.md", rightsTable(rows))
}

// rights tries one operation.
type rights struct {
	t      *testing.T
	shared *fixture
	op     operation
	w      *world // in which nothing has changed, or nil
	a      attempt
}

// of returns what a kind of key can do: yes, own, or the code of the refusal.
func (s *rights) of(kind int) string {
	s.t.Helper()
	if s.w == nil {
		s.w = newWorld(s.t, s.shared.sibling(s.t))
		s.a = attempts[s.op.OperationID](s.w)
	}
	w := s.w
	secret := w.newKey(w.mine.workspace, func(k *schedctl.APIKey) { keyKinds[kind].set(w, k) })
	code := s.try(w, kind, secret)
	if s.op.OperationID == "createMediaFromURL" && code == schedctl.ValidationFailed { // the server of the test is private
		return "public"
	}
	if code == schedctl.InsufficientScope {
		return "`" + string(code) + "`"
	}
	s.w = nil
	if code == "" {
		return "yes"
	}
	w.giveAll(w.keyOf(secret).ID)
	if code = s.try(w, kind, secret); code != "" {
		return "`" + string(code) + "`"
	}
	return "own"
}

// try returns the code of the refusal, or the empty string.
func (s *rights) try(w *world, kind int, secret string) schedctl.Code {
	s.t.Helper()
	r := w.try(as(secret), s.op, s.a)
	if r.status < 300 {
		return ""
	}
	var refused apiv1.ErrorEnvelope
	if err := json.Unmarshal(r.body, &refused); err != nil || r.status >= 500 {
		s.t.Fatalf("%s: %d %s", keyKinds[kind].name, r.status, r.body)
	}
	return refused.Error.Code
}

// giveAll makes a key the author of all posts, series and files of my workspace.
func (w *world) giveAll(keyID string) {
	w.t.Helper()
	w.update(func(tx storage.Tx) error {
		page, err := tx.Posts(storage.PostQuery{WorkspaceID: w.mine.workspace, Limit: 1000})
		if err != nil {
			return err
		}
		for _, p := range page.Posts {
			p.CreatedBy = keyID
			if err := tx.PutPost(p); err != nil {
				return err
			}
		}
		series, err := tx.SeriesList(w.mine.workspace, "", 1000)
		if err != nil {
			return err
		}
		for _, one := range series {
			one.Template.CreatedBy = keyID
			if err := tx.PutSeries(one); err != nil {
				return err
			}
		}
		feeds, err := tx.CalendarFeeds(w.mine.workspace)
		if err != nil {
			return err
		}
		for _, feed := range feeds {
			feed.KeyID = keyID
			if err := tx.PutCalendarFeed(feed); err != nil {
				return err
			}
		}
		shares, err := tx.Shares(w.mine.workspace)
		if err != nil {
			return err
		}
		for _, share := range shares {
			share.KeyID = keyID
			if err := tx.PutShare(share); err != nil {
				return err
			}
		}
		sources, err := tx.Sources(w.mine.workspace)
		if err != nil {
			return err
		}
		for _, source := range sources {
			source.KeyID = keyID
			if err := tx.PutSource(source); err != nil {
				return err
			}
		}
		assets, err := tx.MediaAssets(w.mine.workspace, "", 1000)
		if err != nil {
			return err
		}
		for _, a := range assets {
			a.UploadedBy = keyID
			if err := tx.PutMediaAsset(a); err != nil {
				return err
			}
		}
		return nil
	})
}

// rightsTable returns the table. Operations with equal rights share a row.
func rightsTable(rows map[string][]string) string {
	head, line := "| operation |", "|---|"
	for _, k := range keyKinds {
		head, line = head+" "+k.name+" |", line+"---|"
	}
	lines := make([]string, 0, len(rows))
	for row, ids := range rows {
		if len(ids) == 0 {
			continue
		}
		slices.Sort(ids)
		lines = append(lines, "| "+strings.Join(ids, ", ")+" "+row)
	}
	slices.Sort(lines)
	return strings.Join(append([]string{head, line}, lines...), "\n") + "\n"
}

// checkRights compares the table with that of a page, and writes it with -update.
func checkRights(t *testing.T, page, table string) {
	t.Helper()
	const start = "<!-- rights of keys: go test ./daemon/api -run TestRightsOfKeys -update -->\n\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), start)
	if !found {
		t.Fatalf("%s has no table of rights", page)
	}
	current, after, _ := strings.Cut(rest, "\n\n")
	if *update {
		if err := os.WriteFile(page, []byte(fmt.Sprint(before, start, table, "\n", after)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(table, current+"\n"); diff != "" {
		t.Errorf("if this is intended, run with -update (-new +documented):\n%s", diff)
	}
}
