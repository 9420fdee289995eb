package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestWire compares exchanges, headers included, with golden files. Current ids and
// times are replaced by placeholders.
func TestWire(t *testing.T) {
	t.Parallel()
	plan := func(f *fixture) body {
		return body{"content": "Ünïcode & <angles>", "social_account_ids": []string{f.mine.account}, "publish_at": "2036-06-02T15:00:00.25Z"}
	}
	for name, do := range map[string]func(f *fixture) *response{
		"me":             func(f *fixture) *response { return f.do(nil, "GET", "/me", nil) },
		"post_draft":     func(f *fixture) *response { return f.do(nil, "POST", "/posts", body{"content": "x"}) },
		"post_scheduled": func(f *fixture) *response { return f.do(nil, "POST", "/posts", plan(f)) },
		"post_overridden": func(f *fixture) *response {
			b := plan(f)
			b["target_overrides"] = []body{override(f.mine.account, "its own", body{"mood": "loud"})}
			return f.do(nil, "POST", "/posts", b)
		},
		"post_timeline": func(f *fixture) *response {
			p := f.inStatus(schedctl.Publishing)
			f.attempt(p.ID, schedctl.Result{Error: &schedctl.TargetError{
				Kind: schedctl.KindContent, Code: "E1", Message: "no", HTTPStatus: 422, Outcome: schedctl.OutcomeNotPublished,
			}}, time.Now())
			return f.do(nil, "GET", "/posts/"+p.ID+"/timeline", nil)
		},
		"validation": func(f *fixture) *response {
			f.limit(f.mine.account, 3)
			return f.do(nil, "POST", "/posts/validate", body{"content": "1234?", "social_account_ids": []string{f.mine.account, "acct_1"}})
		},
		"error_unfit": func(f *fixture) *response {
			f.limit(f.mine.account, 3)
			return f.do(nil, "POST", "/posts", plan(f))
		},
		"post_failed": func(f *fixture) *response {
			return f.do(nil, "GET", "/posts/"+f.inStatus(schedctl.Failed).ID, nil)
		},
		"post_deleted": func(f *fixture) *response { return f.do(nil, "DELETE", "/posts/"+f.draft().ID, nil) },
		"posts":        func(f *fixture) *response { f.draft(); return f.do(nil, "GET", "/posts", nil) },
		"account": func(f *fixture) *response {
			return f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "options": body{"pacing": "1s"}})
		},
		"error_validation": func(f *fixture) *response {
			return f.do(nil, "POST", "/posts", body{"contnt": "x"})
		},
		"error_unauthorized": func(f *fixture) *response { return f.do(header("Authorization", ""), "GET", "/me", nil) },
		"error_not_found":    func(f *fixture) *response { return f.do(nil, "GET", "/posts/post_1", nil) },
		"error_method":       func(f *fixture) *response { return f.do(nil, "PUT", "/posts", nil) },
		"error_conflict":     func(f *fixture) *response { return f.do(nil, "DELETE", "/posts/"+f.scheduled().ID, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", "wire", name+".golden")
			got := transcript(t, do(newFixture(t)))
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("if this is intended, run with -update (-want +got):\n%s", diff)
			}
		})
	}
}

var (
	ids   = regexp.MustCompile(`\b(post|pt|acct|ws|key|req|evt|att)_[0-9A-HJKMNP-TV-Z]{26}\b`)
	times = regexp.MustCompile(`"20(2\d|3[0-5])-\d\d-\d\dT[0-9:.]+Z"`)
	sizes = regexp.MustCompile(`Content-Length: \d+`)
)

// transcript returns a response as text.
func transcript(t *testing.T, r *response) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintln(&b, r.status)
	var lines []string
	for name, values := range r.header {
		lines = append(lines, name+": "+strings.Join(values, ", "))
	}
	slices.Sort(lines)
	fmt.Fprintln(&b, strings.Join(lines, "\n"))
	if len(r.body) > 0 {
		b.WriteByte('\n')
		if err := json.Indent(&b, r.body, "", "  "); err != nil {
			t.Fatal(err)
		}
	}
	out := ids.ReplaceAll(b.Bytes(), []byte("${1}_…"))
	out = times.ReplaceAll(out, []byte(`"<time>"`))
	return sizes.ReplaceAll(out, []byte("Content-Length: <size>"))
}
