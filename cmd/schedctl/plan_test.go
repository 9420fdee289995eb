package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
)

// post returns a post in a state.
func (s postState) post(status schedctl.Status) apiv1.Post {
	p := apiv1.Post{ID: "post_1", Status: status, Content: s.content, PublishAt: apiv1.NewTime(s.at), SocialAccountIDs: s.accounts}
	for id, text := range s.texts {
		p.TargetOverrides = append(p.TargetOverrides, apiv1.Override{SocialAccountID: id, Content: &text})
	}
	return p
}

var (
	soon      = noon.Add(24 * time.Hour)
	asWritten = postState{content: "Hello", at: soon, accounts: []string{demoID}, texts: map[string]string{}}
	rewritten = postState{content: "Hello, all", at: soon, accounts: []string{demoID}, texts: map[string]string{}}
	moved     = postState{content: "Hello", at: soon.Add(time.Hour), accounts: []string{demoID}, texts: map[string]string{}}
	timeless  = postState{content: "Hello", accounts: []string{demoID}, texts: map[string]string{}}
	overdue   = postState{content: "Hello", at: noon.Add(-time.Hour), accounts: []string{demoID}, texts: map[string]string{}}
)

func TestDecide(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		want, applied, have postState
		status              schedctl.Status
		gone, overwrite     bool

		action, message, problem string
		fields                   string
	}{
		"nothing has changed":               {want: asWritten, applied: asWritten, have: asWritten, status: "scheduled", action: isUnchanged},
		"a draft":                           {want: timeless, applied: timeless, have: timeless, status: "draft", action: isUnchanged},
		"changed in the same way":           {want: rewritten, applied: asWritten, have: rewritten, status: "scheduled", action: isUnchanged},
		"another text":                      {want: rewritten, applied: asWritten, have: asWritten, status: "scheduled", action: doEdit, fields: "content"},
		"another time":                      {want: moved, applied: asWritten, have: asWritten, status: "scheduled", action: doReschedule, fields: "at"},
		"a time for a draft":                {want: asWritten, applied: timeless, have: timeless, status: "draft", action: doSchedule, fields: "at"},
		"no time any more":                  {want: timeless, applied: asWritten, have: asWritten, status: "scheduled", problem: "a.md:2: post_1 is scheduled and cannot be a draft again; give it a time, or cancel it", fields: "at"},
		"a time that has passed":            {want: overdue, applied: asWritten, have: asWritten, status: "scheduled", action: doReschedule, problem: "a.md:3: Sat 21 Nov 2026 11:00 UTC has passed (1 hour ago)", fields: "at"},
		"changed in the daemon":             {want: asWritten, applied: asWritten, have: rewritten, status: "scheduled", action: isDrift, message: "changed in the daemon since it was applied", fields: "content"},
		"changed here and there":            {want: moved, applied: asWritten, have: rewritten, status: "scheduled", action: isDrift, message: "changed in the daemon since it was applied, and so has the file", fields: "at content"},
		"changed, and to be overwritten":    {want: asWritten, applied: asWritten, have: rewritten, status: "scheduled", overwrite: true, action: doEdit, fields: "content"},
		"canceled":                          {want: asWritten, applied: asWritten, have: asWritten, status: "canceled", action: isDrift, message: "canceled in the daemon since it was applied"},
		"canceled, and to be overwritten":   {want: asWritten, applied: asWritten, have: asWritten, status: "canceled", overwrite: true, action: doCreate, fields: "at to content"},
		"canceled when its time has passed": {want: overdue, applied: overdue, have: overdue, status: "canceled", overwrite: true, action: isEnded, message: "canceled"},
		"deleted":                           {want: timeless, applied: timeless, gone: true, action: isDrift, message: "deleted in the daemon since it was applied"},
		"deleted, and to be overwritten":    {want: timeless, applied: timeless, gone: true, overwrite: true, action: doCreate, fields: "to content"},
		"published":                         {want: overdue, applied: overdue, have: overdue, status: "published", action: isEnded, message: "published"},
		"changed when it was published":     {want: rewritten, applied: asWritten, have: asWritten, status: "published", overwrite: true, action: isEnded, message: "published; what the file says now comes too late", fields: "content"},
		"failed":                            {want: asWritten, applied: asWritten, have: asWritten, status: "failed", action: isEnded, message: "failed"},
		"being published":                   {want: asWritten, applied: asWritten, have: asWritten, status: "publishing", action: isEnded, message: "publishing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := decideSetup(t, tc.want, tc.applied)
			p.overwrite = tc.overwrite
			if !tc.gone {
				s.post = tc.have.post(tc.status)
			}
			p.decide(s, tc.gone)
			checkStep(t, p, s, tc.action, tc.message, tc.problem, tc.fields)
		})
	}
}

func TestDecideOrphan(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		applied, have          postState
		status                 schedctl.Status
		gone, prune, overwrite bool

		action, message string
	}{
		"left":                         {asWritten, asWritten, "scheduled", false, false, false, isOrphan, "its file was removed, and it stays scheduled; call it off with --prune"},
		"called off":                   {asWritten, asWritten, "scheduled", false, true, false, doCancel, ""},
		"a draft":                      {timeless, timeless, "draft", false, true, false, doDelete, ""},
		"changed":                      {asWritten, rewritten, "scheduled", false, true, false, isDrift, "its file was removed, but it was changed in the daemon since it was applied"},
		"changed, and called off":      {asWritten, rewritten, "scheduled", false, true, true, doCancel, ""},
		"published":                    {asWritten, asWritten, "published", false, false, false, doForget, "published"},
		"failed":                       {asWritten, asWritten, "failed", false, true, false, doForget, "failed"},
		"canceled":                     {asWritten, asWritten, "canceled", false, false, false, doForget, "canceled"},
		"deleted":                      {asWritten, postState{}, "", true, false, false, doForget, "deleted"},
		"nobody can be sure to recall": {asWritten, asWritten, "publishing", false, true, true, isEnded, "publishing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := decideSetup(t, postState{}, tc.applied)
			s.wanted = wanted{}
			p.prune, p.overwrite = tc.prune, tc.overwrite
			if !tc.gone {
				s.post = tc.have.post(tc.status)
			}
			p.decideOrphan(s, tc.gone)
			checkStep(t, p, s, tc.action, tc.message, "", "")
		})
	}
}

func decideSetup(t *testing.T, want, applied postState) (*planner, *step) {
	a := &app{system: newMachine(t, nil).system}
	p := &planner{fileReader: &fileReader{app: a, postFiles: &postFiles{}}}
	f := &postfile.File{Path: "a.md", ID: postfile.Value{Text: "a", Line: 2}, At: postfile.Value{Line: 3}}
	return p, &step{
		change: change{ID: "a", PostID: "post_1"}, wanted: wanted{postState: want, file: f, moment: when.Moment{Time: want.at}},
		entry: postfile.Entry{Post: "post_1", Applied: applied.print()},
	}
}

func checkStep(t *testing.T, p *planner, s *step, action, message, problem, fields string) {
	t.Helper()
	if s.Action != action || s.Message != message {
		t.Errorf("got %s, %q; want %s, %q", s.Action, s.Message, action, message)
	}
	var got []string
	for _, d := range s.Differences {
		got = append(got, d.Field)
	}
	if strings.Join(got, " ") != fields {
		t.Errorf("differences in %q, want %q", got, fields)
	}
	said := ""
	for _, p := range p.problems {
		said += p.String()
	}
	if said != problem {
		t.Errorf("problem %q, want %q", said, problem)
	}
}

// A post that was made as a file says is the state of the file.
func TestStatesSurvive(t *testing.T) {
	t.Parallel()
	texts := rapid.MapOf(rapid.SampledFrom([]string{demoID, hookID}), rapid.StringN(1, 5, -1))
	rapid.Check(t, func(t *rapid.T) {
		s := postState{
			content: rapid.String().Draw(t, "content"), accounts: rapid.SampledFrom([][]string{{demoID}, {demoID, hookID}}).Draw(t, "to"),
			texts: texts.Draw(t, "texts"), at: soon,
		}
		got := stateOf(s.post(schedctl.Scheduled))
		if diff := cmp.Diff(s, got, cmp.AllowUnexported(postState{})); diff != "" || got.print() != s.print() {
			t.Errorf("-want +got:\n%s", diff)
		}
		if d := differences(s, got, nil); d != nil {
			t.Errorf("differences: %v", d)
		}
		changed := s
		changed.texts = map[string]string{"acct_9": "x"}
		if changed.print() == s.print() || len(differences(s, changed, nil)) == 0 {
			t.Error("another text for an account is the same state")
		}
	})
}

func TestLineDiff(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ before, after, want string }{
		{"a\nb\nc", "a\nx\ny\nc", "- b|+ x|+ y"}, {"", "a\nb", "+ a|+ b"}, {"a\nb", "", "- a|- b"}, {"a", "a", ""}, {"a\na", "a", "- a"}, {"a\n", "a", "- "},
	} {
		if got := strings.Join(lineDiff(tc.before, tc.after), "|"); got != tc.want {
			t.Errorf("%q to %q: got %q, want %q", tc.before, tc.after, got, tc.want)
		}
	}
}

// Two files never take the same post, and one that is just as a file says goes
// to that file.
func TestClaim(t *testing.T) {
	t.Parallel()
	list := func(ids ...string) (out []apiv1.Post) {
		for _, id := range ids {
			out = append(out, apiv1.Post{ID: id})
		}
		return out
	}
	all := []found{
		{similar: list("a", "b")}, {twins: list("a", "c")}, {twins: list("a", "c")}, {twins: list("a", "c")}, {step: step{change: change{PostID: "d"}}}, {similar: list("d", "b", "e")},
	}
	new(planner).claim(all)
	want := []found{{similar: list("b")}, {twins: list("a")}, {twins: list("c")}, {}, all[4], {similar: list("e")}}
	opts := []cmp.Option{cmp.AllowUnexported(found{}, step{}, wanted{}, postState{}), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(want, all, opts...); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestContentProblemsAreAtTheirTexts(t *testing.T) {
	t.Parallel()
	f := &postfile.File{
		Path: "a.md", Content: postfile.Value{Line: 9},
		Overrides: []postfile.Override{{Account: postfile.Value{Text: "hook", Line: 5}}, {Account: postfile.Value{Text: "feed:demo", Line: 6}}},
	}
	v := apiv1.Validation{Problems: []apiv1.Problem{{Message: "whole"}}}
	for _, id := range []string{demoID, hookID, "acct_3"} {
		v.Accounts = append(v.Accounts, apiv1.AccountValidation{SocialAccountID: id, Problems: []apiv1.Problem{{Message: "long"}}})
	}
	var got []string
	for _, p := range contentProblems(f, v, referencesTo(twoAccounts.Results)) {
		got = append(got, p.String())
	}
	want := []string{"a.md:9: whole", "a.md:6: feed:demo: long", "a.md:5: http:hook: long", "a.md:9: acct_3: long"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A directory that cannot be written to is found out before a post is created.
func TestApplyCreatesNothingThatItCannotNote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("---\nid: a\n---\nHello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newPosts()
	p := &planner{client: nil}
	m := newMachine(t, d)
	a := &app{system: m.system}
	c, err := a.connect()
	if err != nil {
		t.Fatal(err)
	}
	files, err := readPostFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	p.fileReader, p.client, p.twins, p.workspace = &fileReader{app: a, postFiles: files, accounts: twoAccounts.Results}, c, newTwins(c), "ws_1"
	if err := p.build(t.Context()); err != nil || len(p.steps) != 1 || p.steps[0].Action != doCreate {
		t.Fatalf("%v, %+v", err, p.steps)
	}
	files.dir = filepath.Join(dir, "gone")
	if err := p.apply(t.Context()); err == nil || !strings.Contains(err.Error(), "stopped after 0 of 1 file: a.md: ") {
		t.Errorf("got %v", err)
	}
	if len(d.kept) > 0 {
		t.Errorf("created %v", d.kept)
	}
	files.dir = dir
	p.steps = nil
	if err := p.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.apply(t.Context()); err != nil || len(d.kept) != 1 {
		t.Errorf("%v, %d posts", err, len(d.kept))
	}
}

// What was done before an interruption is noted, and not done again.
func TestApplyIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, id := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, id+".md"), []byte("---\nid: "+id+"\n---\nHello "+id+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := newPosts()
	ctx, interrupt := context.WithCancel(t.Context())
	d.before = func(r *http.Request) *refused {
		if len(d.kept) == 1 {
			interrupt()
			<-r.Context().Done()
			return &refused{http.StatusInternalServerError, "INTERNAL"} // nobody is there to see it
		}
		return nil
	}
	m := newMachine(t, d)
	if status := run(ctx, m.system, []string{"apply", dir, "--yes"}); status != 130 {
		t.Errorf("exit status %d", status)
	}
	if want := "1 create\nschedctl: interrupted after 1 of 3 files; the same command goes on from there\n"; m.err.String() != want {
		t.Errorf("got %q, want %q", &m.err, want)
	}
	if got := m.out.String(); got != "create\ta\tpost_1\ta.md\tcontent\n" {
		t.Errorf("got %q", got)
	}
	d.before = nil
	m.want(t, 0, "unchanged\ta\tpost_1\ta.md\t\ncreate\tb\tpost_2\tb.md\tcontent\ncreate\tc\tpost_3\tc.md\tcontent\n", "2 create, 1 unchanged\n", "apply", dir, "--yes")
}
