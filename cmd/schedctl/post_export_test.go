package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/files"
)

// TestExportAndImportAreAnIdentity guards that an import of an export yields the same
// posts.
func TestExportAndImportAreAnIdentity(t *testing.T) {
	t.Parallel()
	names := twoAccounts.Results
	rapid.Check(t, func(rt *rapid.T) {
		drawn := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) apiv1.Post {
			p := apiv1.Post{Content: schedctl.TidyText(rapid.StringN(0, 40, -1).Draw(t, "content") + "x"), SocialAccountIDs: []string{}}
			if rapid.Bool().Draw(t, "planned") {
				p.PublishAt = apiv1.NewTime(noon.Add(time.Duration(rapid.Int64Range(1, 1e10).Draw(t, "ms")) * time.Millisecond))
				p.SocialAccountIDs = rapid.SampledFrom([][]string{{demoID}, {hookID, demoID}}).Draw(t, "to")
			}
			return p
		}), 0, 4).Draw(rt, "posts")
		format := rapid.SampledFrom([]string{"csv", "jsonl"}).Draw(rt, "format")
		var file bytes.Buffer
		out, refs := postfile.NewWriter(&file, postfile.Format(format)), files.AccountRefsOf(names)
		for _, p := range drawn {
			row := postfile.Document{ID: p.ID, Post: apiv1.CreatePost{Content: p.Content}, To: refs.Names(p.SocialAccountIDs)}
			if p.PublishAt != nil {
				row.At = p.PublishAt.String()
			}
			out.Write(row)
		}
		out.Flush()
		d := newPosts()
		m := newMachine(t, d)
		m.In = &file
		if status := m.run(t, "post", "import", "-", "--format", format); status != 0 {
			rt.Fatalf("exit status %d: %s", status, &m.err)
		}
		prints := func(posts []apiv1.Post) (list []string) {
			for _, p := range posts {
				var at time.Time
				if p.PublishAt != nil {
					at = p.PublishAt.Time
				}
				list = append(list, files.ContentFingerprint(p.Content, at, p.SocialAccountIDs))
			}
			slices.Sort(list)
			return list
		}
		if diff := cmp.Diff(prints(drawn), prints(d.kept)); diff != "" {
			rt.Fatalf("-exported +imported:\n%s", diff)
		}
	})
}

func TestReferencesMeanTheirAccounts(t *testing.T) {
	t.Parallel()
	list := []apiv1.Account{
		{ID: "acct_1", Platform: "feed", Name: "demo"}, {ID: "acct_2", Platform: "http", Name: "feed:demo"},
		{ID: "acct_3", Platform: "http", Name: "a;b"}, {ID: "acct_4", Platform: "http", Name: "end "}, {ID: "acct_5", Platform: "http", Name: "all"},
	}
	want := files.AccountRefs{"acct_2": "http:feed:demo", "acct_5": "http:all"}
	got := files.AccountRefsOf(list)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if to := got.Names([]string{"acct_5", "acct_9"}); strings.Join(to, " ") != "http:all acct_9" {
		t.Errorf("got %q", to)
	}
}

func TestAFileIsReplacedWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "posts.csv")
	broken := errors.New("broken")
	for _, tc := range []struct {
		text string
		err  error
		want string
	}{{"first", nil, "first"}, {"half", broken, "first"}, {"second", nil, "second"}} {
		err := cli.ReplaceFile(path, func(w io.Writer) error {
			io.WriteString(w, tc.text)
			return tc.err
		})
		got, readErr := os.ReadFile(path)
		if !errors.Is(err, tc.err) || string(got) != tc.want || readErr != nil {
			t.Errorf("%q: %v; the file has %q, %v", tc.text, err, got, readErr)
		}
		if list, _ := os.ReadDir(dir); len(list) != 1 {
			t.Errorf("files: %v", list)
		}
	}
}
