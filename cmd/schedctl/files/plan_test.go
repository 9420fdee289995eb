package files

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// noon is when the tests are.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	demoID = "acct_01KAK3R9ZC4VBX1D2E3F4G5H6A"
	hookID = "acct_01KAK3R9ZC4VBX1D2E3F4G5H6B"
)

// statePost returns a post in a state.
func statePost(s PostState, status schedctl.Status) apiv1.Post {
	p := apiv1.Post{ID: "post_1", Status: status, Content: s.Content, SocialAccountIDs: s.Accounts, Labels: s.Labels, TargetOverrides: s.APIOverrides()}
	if at, err := time.Parse(time.RFC3339, s.At); err == nil {
		p.PublishAt = apiv1.NewTime(at)
	}
	return p
}

var (
	soon      = noon.Add(24 * time.Hour)
	asWritten = PostState{Content: "Hello", At: FormatStamp(soon), Accounts: []string{demoID}}
	rewritten = PostState{Content: "Hello, all", At: FormatStamp(soon), Accounts: []string{demoID}}
	later     = PostState{Content: "Hello", At: FormatStamp(soon.Add(time.Hour)), Accounts: []string{demoID}}
	timeless  = PostState{Content: "Hello", Accounts: []string{demoID}}
	overdue   = PostState{Content: "Hello", At: FormatStamp(noon.Add(-time.Hour)), Accounts: []string{demoID}}
	withLabel = PostState{Content: "Hello", At: FormatStamp(soon), Accounts: []string{demoID}, Labels: []string{"a"}}
)

func TestDecide(t *testing.T) {
	t.Parallel()
	const tooLate, past = "already published; the new text has no effect", "Sat 21 Nov 2026 11:00 UTC has passed (1 hour ago): use a time in the future, such as \"in 1h\" or \"tomorrow 9am\""
	for name, tc := range map[string]struct {
		want, applied, have PostState
		status              schedctl.Status // empty for no post
		pruned, overwrite   bool

		action, message, late string
		fields                string
	}{
		"no post":                           {want: asWritten, action: DoCreate, fields: "at to content"},
		"no post, and too late":             {want: overdue, action: DoCreate, fields: "at to content", late: past},
		"nothing has changed":               {want: asWritten, applied: asWritten, have: asWritten, status: "scheduled", action: IsUnchanged},
		"a draft":                           {want: timeless, applied: timeless, have: timeless, status: "draft", action: IsUnchanged},
		"overdue and unchanged":             {want: overdue, applied: overdue, have: overdue, status: "scheduled", action: IsUnchanged},
		"changed in the same way":           {want: rewritten, applied: asWritten, have: rewritten, status: "scheduled", action: IsUnchanged},
		"another text":                      {want: rewritten, applied: asWritten, have: asWritten, status: "scheduled", action: DoEdit, fields: "content"},
		"other labels":                      {want: withLabel, applied: asWritten, have: asWritten, status: "scheduled", action: DoEdit, fields: "labels"},
		"another time":                      {want: later, applied: asWritten, have: asWritten, status: "scheduled", action: DoReschedule, fields: "at"},
		"a time for a draft":                {want: asWritten, applied: timeless, have: timeless, status: "draft", action: DoReschedule, fields: "at"},
		"no time any more":                  {want: timeless, applied: asWritten, have: asWritten, status: "scheduled", action: DoEdit, fields: "at"},
		"a time that has passed":            {want: overdue, applied: asWritten, have: asWritten, status: "scheduled", action: DoReschedule, fields: "at", late: past},
		"changed by hand":                   {want: asWritten, applied: asWritten, have: rewritten, status: "scheduled", action: IsDrift, message: NoteChangedOutside, fields: "content"},
		"labeled by hand":                   {want: asWritten, applied: asWritten, have: withLabel, status: "scheduled", action: IsDrift, message: NoteChangedOutside, fields: "labels"},
		"changed here and there":            {want: later, applied: asWritten, have: rewritten, status: "scheduled", action: IsDrift, message: NoteChangedOutside, fields: "at content"},
		"changed, and to be overwritten":    {want: asWritten, applied: asWritten, have: rewritten, status: "scheduled", overwrite: true, action: DoEdit, fields: "content"},
		"canceled":                          {want: asWritten, applied: asWritten, have: asWritten, status: "canceled", action: IsDrift, message: "canceled outside the files; left canceled"},
		"canceled, and to be overwritten":   {want: asWritten, applied: asWritten, have: asWritten, status: "canceled", overwrite: true, action: DoCreate, fields: "at to content"},
		"canceled when its time has passed": {want: overdue, applied: overdue, have: overdue, status: "canceled", overwrite: true, action: IsUnchanged, message: "canceled; its time has passed"},
		"pruned, and its file is back":      {want: asWritten, applied: asWritten, have: asWritten, status: "canceled", pruned: true, action: DoCreate, fields: "at to content"},
		"published":                         {want: overdue, applied: overdue, have: overdue, status: "published", action: IsUnchanged},
		"published with another time":       {want: asWritten, applied: asWritten, have: overdue, status: "published", action: IsUnchanged},
		"changed when it was published":     {want: rewritten, applied: asWritten, have: asWritten, status: "published", overwrite: true, action: IsUnchanged, message: tooLate, fields: "content"},
		"labeled when it was published":     {want: withLabel, applied: asWritten, have: asWritten, status: "published", action: DoEdit, fields: "labels"},
		"failed":                            {want: asWritten, applied: asWritten, have: asWritten, status: "failed", action: IsUnchanged},
		"being published":                   {want: asWritten, applied: asWritten, have: asWritten, status: "publishing", action: IsUnchanged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := decideSetup(t, tc.want, tc.applied, tc.have, tc.status)
			p.Overwrite = tc.overwrite
			if tc.pruned {
				s.Post.Managed.Pruned = true
			}
			late := ""
			if err := p.Decide(s); err != nil {
				late = err.Error()
			}
			if late != tc.late {
				t.Errorf("late: %q, want %q", late, tc.late)
			}
			checkStep(t, s, tc.action, tc.message, tc.fields)
		})
	}
}

func TestDecideOrphan(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		applied, have    PostState
		status           schedctl.Status
		prune, overwrite bool

		action, message string
	}{
		"left":                  {asWritten, asWritten, "scheduled", false, false, IsUnchanged, "its file was removed; cancel the post with --prune"},
		"canceled":              {asWritten, asWritten, "scheduled", true, false, DoCancel, ""},
		"a draft":               {timeless, timeless, "draft", true, false, DoCancel, "the draft is deleted"},
		"changed":               {asWritten, rewritten, "scheduled", true, false, IsDrift, "its file was removed; " + NoteChangedOutside},
		"changed, and canceled": {asWritten, rewritten, "scheduled", true, true, DoCancel, ""},
		"published":             {asWritten, asWritten, "published", true, false, IsUnchanged, "published"},
		"publishing":            {asWritten, asWritten, "publishing", true, true, IsUnchanged, "publishing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := decideSetup(t, PostState{}, tc.applied, tc.have, tc.status)
			s.Wanted = WantedPost{}
			p.Prune, p.Overwrite = tc.prune, tc.overwrite
			p.Decide(s)
			checkStep(t, s, tc.action, tc.message, "")
		})
	}
}

func decideSetup(t *testing.T, want, applied, have PostState, status schedctl.Status) (*Planner, *Step) {
	p := &Planner{FileReader: &FileReader{App: &cli.App{System: cli.System{Now: func() time.Time { return noon }, Local: time.UTC}}, PostFiles: &PostFiles{}}}
	s := &Step{Change: Change{ID: "a"}, Wanted: WantedPost{PostState: want, File: &postfile.File{Path: "a.md"}}}
	if at, err := time.Parse(time.RFC3339, want.At); err == nil {
		s.Wanted.Moment = when.Result{Time: at}
	}
	if status != "" {
		s.Post = statePost(have, status)
		s.Post.Managed = &apiv1.Managed{Digest: applied.Digest()}
	}
	return p, s
}

func checkStep(t *testing.T, s *Step, action, message, fields string) {
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
}

// A post that was created from a state has that state, whatever the order of its
// lists, and every change gives another digest.
func TestStatesSurvive(t *testing.T) {
	t.Parallel()
	texts := rapid.MapOf(rapid.SampledFrom([]string{demoID, hookID}), rapid.StringN(1, 5, -1))
	rapid.Check(t, func(t *rapid.T) {
		s := PostState{Content: rapid.String().Draw(t, "content"), Accounts: []string{hookID, demoID}, Labels: []string{"b", "a", "b"}, At: FormatStamp(soon)}
		for id, text := range texts.Draw(t, "texts") {
			s.Overrides = append(s.Overrides, OverrideState{Account: id, Content: text, Options: map[string]any{"n": 1.0, "b": true}})
		}
		s = s.Sorted()
		got := StateOf(statePost(s, schedctl.Scheduled))
		if diff := cmp.Diff(s, got); diff != "" || got.Digest() != s.Digest() {
			t.Errorf("-want +got:\n%s", diff)
		}
		if d := Differences(s, got, nil); len(d) != 0 {
			t.Errorf("differences: %v", d)
		}
		for _, change := range []func(*PostState){
			func(s *PostState) { s.Content += "x" }, func(s *PostState) { s.At = "" }, func(s *PostState) { s.Accounts = s.Accounts[:1] }, func(s *PostState) { s.Labels = nil },
			func(s *PostState) {
				s.Overrides = append(s.Overrides, OverrideState{Account: "acct_9", Content: "x"})
			},
			func(s *PostState) {
				s.Overrides = append(s.Overrides, OverrideState{Account: "acct_9", Options: map[string]any{"a": true}})
			},
		} {
			changed := s.Sorted()
			if change(&changed); changed.Digest() == s.Digest() || len(Differences(s, changed, nil)) != 1 {
				t.Errorf("%+v and %+v are the same", s, changed)
			}
		}
	})
}

// The digests of posts are stored in daemons: another version of the program must
// compute the same ones.
func TestDigestsAreStable(t *testing.T) {
	t.Parallel()
	full := PostState{
		Content: "Hello", At: "2099-01-01T09:00:00Z", Accounts: []string{"acct_1"}, Labels: []string{"a"},
		Overrides: []OverrideState{{Account: "acct_1", Content: "Hi", Options: map[string]any{"x": true}}},
	}
	for want, s := range map[string]PostState{"v1:4463b468c94d399dd6e540df3c055c88c7c4bf423189d5e63d9c6b7c1075138e": {Content: "Hello"}, "v1:43fd6d9ad678c0aca7e295537b4036fb3fa8585e592a8ac027768dfca7302d41": full} {
		if got := s.Digest(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestLineDiff(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ before, after, want string }{
		{"a\nb\nc", "a\nx\ny\nc", "- b|+ x|+ y"}, {"", "a\nb", "+ a|+ b"}, {"a\nb", "", "- a|- b"}, {"a", "a", ""}, {"a\na", "a", "- a"}, {"a\n", "a", "- "},
	} {
		if got := strings.Join(LineDiff(tc.before, tc.after), "|"); got != tc.want {
			t.Errorf("%q to %q: got %q, want %q", tc.before, tc.after, got, tc.want)
		}
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
	for _, p := range ContentProblems(f, v, post.AccountRefsOf([]apiv1.Account{{ID: demoID, Platform: "feed", Name: "demo"}, {ID: hookID, Platform: "http", Name: "hook"}})) {
		got = append(got, p.String())
	}
	want := []string{"a.md:9: whole", "a.md:6: feed:demo: long", "a.md:5: http:hook: long", "a.md:9: acct_3: long"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
