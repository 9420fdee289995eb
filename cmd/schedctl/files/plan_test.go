package files

import (
	"slices"
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
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	_ "github.com/schedctl/schedctl/scripts/testsize"
)

// noon is when the tests are.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	demoID = "acct_01KAK3R9ZC4VBX1D2E3F4G5H6A"
	hookID = "acct_01KAK3R9ZC4VBX1D2E3F4G5H6B"
)

// statePost returns a post in a state.
func statePost(s postState, status schedctl.Status) apiv1.Post {
	p := apiv1.Post{ID: "post_1", Status: status, Content: s.Content, SocialAccountIDs: s.Accounts, Labels: s.Labels}
	for _, o := range s.Overrides {
		p.TargetOverrides = append(p.TargetOverrides, apiv1.Override{SocialAccountID: o.Account, Content: new(o.Content), Options: o.Options})
	}
	if at, err := time.Parse(time.RFC3339, s.At); err == nil {
		p.PublishAt = apiv1.NewTime(at)
	}
	return p
}

// wantedState returns the post of a file with a state. The hashes of its files are their
// names.
func wantedState(s postState) wantedPost {
	w := wantedPost{postState: s, doc: &postfile.Document{Path: "a.md"}, inspected: map[string]mediaFile{}}
	files := func(list []mediaState) (out []apiv1.PostMedia) {
		for _, m := range list {
			out = append(out, apiv1.PostMedia{ID: m.SHA256, AltText: new(m.Alt)})
			w.inspected[m.SHA256] = mediaFile{FileFacts: media.FileFacts{SHA256: m.SHA256}}
		}
		return out
	}
	w.request.Media = files(s.Media)
	for _, part := range s.Thread {
		w.request.Thread = append(w.request.Thread, apiv1.Part{Content: part.Content, Media: files(part.Media)})
	}
	if c := s.FirstComment; c != nil {
		w.request.FirstComment = &apiv1.Part{Content: c.Content, Media: files(c.Media)}
	}
	if s.Card != nil {
		w.request.LinkPreview = &apiv1.LinkPreview{Card: &apiv1.LinkCard{URL: s.Card.URL, Image: &files([]mediaState{*s.Card.Image})[0].ID}}
	}
	return w
}

var (
	soon      = noon.Add(24 * time.Hour)
	asWritten = postState{Content: "Hello", At: formatTime(soon), Accounts: []string{demoID}}
	rewritten = postState{Content: "Hello, all", At: formatTime(soon), Accounts: []string{demoID}}
	later     = postState{Content: "Hello", At: formatTime(soon.Add(time.Hour)), Accounts: []string{demoID}}
	timeless  = postState{Content: "Hello", Accounts: []string{demoID}}
	overdue   = postState{Content: "Hello", At: formatTime(noon.Add(-time.Hour)), Accounts: []string{demoID}}
	withLabel = postState{Content: "Hello", At: formatTime(soon), Accounts: []string{demoID}, Labels: []string{"a"}}
)

func TestDecide(t *testing.T) {
	t.Parallel()
	const tooLate, past = "already published; the new text has no effect", "Sat 21 Nov 2026 11:00 UTC has passed (1 hour ago): use a time in the future, such as \"in 1h\" or \"tomorrow 9am\""
	for name, tc := range map[string]struct {
		want, applied, have postState
		status              schedctl.Status // empty for no post
		pruned, overwrite   bool

		action, message, late string
		fields                string
	}{
		"no post":                           {want: asWritten, action: doCreate, fields: "at to content"},
		"no post, and too late":             {want: overdue, action: doCreate, fields: "at to content", late: past},
		"nothing has changed":               {want: asWritten, applied: asWritten, have: asWritten, status: "scheduled", action: isUnchanged},
		"a draft":                           {want: timeless, applied: timeless, have: timeless, status: "draft", action: isUnchanged},
		"overdue and unchanged":             {want: overdue, applied: overdue, have: overdue, status: "scheduled", action: isUnchanged},
		"changed in the same way":           {want: rewritten, applied: asWritten, have: rewritten, status: "scheduled", action: isUnchanged},
		"another text":                      {want: rewritten, applied: asWritten, have: asWritten, status: "scheduled", action: doEdit, fields: "content"},
		"other labels":                      {want: withLabel, applied: asWritten, have: asWritten, status: "scheduled", action: doEdit, fields: "labels"},
		"another time":                      {want: later, applied: asWritten, have: asWritten, status: "scheduled", action: doReschedule, fields: "at"},
		"a time for a draft":                {want: asWritten, applied: timeless, have: timeless, status: "draft", action: doReschedule, fields: "at"},
		"no time any more":                  {want: timeless, applied: asWritten, have: asWritten, status: "scheduled", action: doEdit, fields: "at"},
		"a time that has passed":            {want: overdue, applied: asWritten, have: asWritten, status: "scheduled", action: doReschedule, fields: "at", late: past},
		"changed by hand":                   {want: asWritten, applied: asWritten, have: rewritten, status: "scheduled", action: isDrift, message: noteChangedOutside, fields: "content"},
		"labeled by hand":                   {want: asWritten, applied: asWritten, have: withLabel, status: "scheduled", action: isDrift, message: noteChangedOutside, fields: "labels"},
		"changed here and there":            {want: later, applied: asWritten, have: rewritten, status: "scheduled", action: isDrift, message: noteChangedOutside, fields: "at content"},
		"changed, and to be overwritten":    {want: asWritten, applied: asWritten, have: rewritten, status: "scheduled", overwrite: true, action: doEdit, fields: "content"},
		"canceled":                          {want: asWritten, applied: asWritten, have: asWritten, status: "canceled", action: isDrift, message: "canceled outside the files; left canceled"},
		"canceled, and to be overwritten":   {want: asWritten, applied: asWritten, have: asWritten, status: "canceled", overwrite: true, action: doCreate, fields: "at to content"},
		"canceled when its time has passed": {want: overdue, applied: overdue, have: overdue, status: "canceled", overwrite: true, action: isUnchanged, message: "canceled; its time has passed"},
		"pruned, and its file is back":      {want: asWritten, applied: asWritten, have: asWritten, status: "canceled", pruned: true, action: doCreate, fields: "at to content"},
		"published":                         {want: overdue, applied: overdue, have: overdue, status: "published", action: isUnchanged},
		"published with another time":       {want: asWritten, applied: asWritten, have: overdue, status: "published", action: isUnchanged},
		"changed when it was published":     {want: rewritten, applied: asWritten, have: asWritten, status: "published", overwrite: true, action: isUnchanged, message: tooLate, fields: "content"},
		"labeled when it was published":     {want: withLabel, applied: asWritten, have: asWritten, status: "published", action: doEdit, fields: "labels"},
		"failed":                            {want: asWritten, applied: asWritten, have: asWritten, status: "failed", action: isUnchanged},
		"being published":                   {want: asWritten, applied: asWritten, have: asWritten, status: "publishing", action: isUnchanged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := decideSetup(t, tc.want, tc.applied, tc.have, tc.status)
			p.overwrite = tc.overwrite
			if tc.pruned {
				s.post.Managed.Pruned = true
			}
			late := ""
			if err := p.decide(s); err != nil {
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
		applied, have    postState
		status           schedctl.Status
		prune, overwrite bool

		action, message string
	}{
		"left":                  {asWritten, asWritten, "scheduled", false, false, isOrphan, "its file was removed; cancel the post with --prune"},
		"canceled":              {asWritten, asWritten, "scheduled", true, false, doCancel, ""},
		"a draft":               {timeless, timeless, "draft", true, false, doCancel, "the draft is deleted"},
		"changed":               {asWritten, rewritten, "scheduled", true, false, isDrift, "its file was removed; " + noteChangedOutside},
		"changed, and canceled": {asWritten, rewritten, "scheduled", true, true, doCancel, ""},
		"published":             {asWritten, asWritten, "published", true, false, isUnchanged, "published"},
		"publishing":            {asWritten, asWritten, "publishing", true, true, isUnchanged, "publishing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := decideSetup(t, postState{}, tc.applied, tc.have, tc.status)
			s.wanted = wantedPost{}
			p.prune, p.overwrite = tc.prune, tc.overwrite
			p.decide(s)
			checkStep(t, s, tc.action, tc.message, "")
		})
	}
}

func decideSetup(t *testing.T, want, applied, have postState, status schedctl.Status) (*planner, *step) {
	p := &planner{fileReader: &fileReader{App: &cli.App{System: cli.System{Now: func() time.Time { return noon }, Local: time.UTC}}, postFiles: &postFiles{}}}
	s := &step{change: change{ID: "a"}, wanted: wantedState(want)}
	if at, err := time.Parse(time.RFC3339, want.At); err == nil {
		s.wanted.moment = when.Result{Time: at}
	}
	if status != "" {
		s.post = statePost(have, status)
		s.post.Managed = &apiv1.Managed{Digest: applied.digest()}
	}
	return p, s
}

func checkStep(t *testing.T, s *step, action, message, fields string) {
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

// TestUntidyPostsOfEarlierVersions plans a post whose text an earlier version stored as the
// file had it.
func TestUntidyPostsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	untidy := asWritten
	untidy.Content = "\n" + asWritten.Content + "  \n"
	p, s := decideSetup(t, asWritten, untidy, untidy, schedctl.Scheduled)
	if err := p.decide(s); err != nil {
		t.Fatal(err)
	}
	checkStep(t, s, isUnchanged, "", "")
	edited := asWritten
	edited.Content += " and more"
	p, s = decideSetup(t, edited, untidy, untidy, schedctl.Scheduled)
	if err := p.decide(s); err != nil {
		t.Fatal(err)
	}
	checkStep(t, s, doEdit, "", "content")
}

// A post that was created from a state has that state, whatever the order of its
// lists, and every change gives another digest.
func TestStatesSurvive(t *testing.T) {
	t.Parallel()
	texts := rapid.MapOf(rapid.SampledFrom([]string{demoID, hookID}), rapid.StringN(1, 5, -1))
	rapid.Check(t, func(t *rapid.T) {
		s := postState{Content: schedctl.TidyText(rapid.String().Draw(t, "content")), Accounts: []string{hookID, demoID}, Labels: []string{"b", "a", "b"}, At: formatTime(soon)}
		for id, text := range texts.Draw(t, "texts") {
			s.Overrides = append(s.Overrides, overrideState{Account: id, Content: schedctl.TidyText(text + "x"), Options: map[string]any{"n": 1.0, "b": true}})
		}
		s = sortedState(s)
		got := stateOf(statePost(s, schedctl.Scheduled))
		if diff := cmp.Diff(s, got, cmp.AllowUnexported(postState{}, overrideState{})); diff != "" || got.digest() != s.digest() {
			t.Errorf("-want +got:\n%s", diff)
		}
		if d := differencesBetween(s, got, nil); len(d) != 0 {
			t.Errorf("differences: %v", d)
		}
		for _, change := range []func(*postState){
			func(s *postState) { s.Content += "x" }, func(s *postState) { s.At = "" }, func(s *postState) { s.Accounts = s.Accounts[:1] }, func(s *postState) { s.Labels = nil },
			func(s *postState) {
				s.Overrides = append(s.Overrides, overrideState{Account: "acct_9", Content: "x"})
			},
			func(s *postState) {
				s.Overrides = append(s.Overrides, overrideState{Account: "acct_9", Options: map[string]any{"a": true}})
			},
		} {
			changed := sortedState(s)
			if change(&changed); changed.digest() == s.digest() || len(differencesBetween(s, changed, nil)) != 1 {
				t.Errorf("%+v and %+v are the same", s, changed)
			}
		}
	})
}

func sortedState(s postState) postState {
	s.Accounts = slices.Compact(slices.Sorted(slices.Values(s.Accounts)))
	s.Labels = slices.Compact(slices.Sorted(slices.Values(s.Labels)))
	s.Overrides = slices.Clone(s.Overrides)
	slices.SortFunc(s.Overrides, func(a, b overrideState) int { return strings.Compare(a.Account, b.Account) })
	return s
}

// The digests of posts are stored in daemons: another version of the program must
// compute the same ones.
func TestDigestsAreStable(t *testing.T) {
	t.Parallel()
	full := postState{
		Content: "Hello", At: "2099-01-01T09:00:00Z", Accounts: []string{"acct_1"}, Labels: []string{"a"},
		Overrides: []overrideState{{Account: "acct_1", Content: "Hi", Options: map[string]any{"x": true}}},
	}
	for want, s := range map[string]postState{"v1:4463b468c94d399dd6e540df3c055c88c7c4bf423189d5e63d9c6b7c1075138e": {Content: "Hello"}, "v1:43fd6d9ad678c0aca7e295537b4036fb3fa8585e592a8ac027768dfca7302d41": full} {
		if got := s.digest(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestLineDiff(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ before, after, want string }{
		{"a\nb\nc", "a\nx\ny\nc", "- b|+ x|+ y"}, {"", "a\nb", "+ a|+ b"}, {"a\nb", "", "- a|- b"}, {"a", "a", ""}, {"a\na", "a", "- a"}, {"a\n", "a", "- "},
	} {
		if got := strings.Join(cli.LineDiff(tc.before, tc.after), "|"); got != tc.want {
			t.Errorf("%q to %q: got %q, want %q", tc.before, tc.after, got, tc.want)
		}
	}
}

func TestContentProblemsAreAtTheirTexts(t *testing.T) {
	t.Parallel()
	f, _ := postfile.Parse("a.md", []byte("---\nid: a\n\noverride:\n  hook: x\n  feed:demo: y\n---\n\nHello"))
	v := apiv1.Validation{Problems: []apiv1.Problem{{Message: "whole"}}}
	for _, id := range []string{demoID, hookID, "acct_3"} {
		v.Accounts = append(v.Accounts, apiv1.AccountValidation{SocialAccountID: id, Problems: []apiv1.Problem{{Message: "long"}}})
	}
	var got []string
	var c checked
	(&planner{names: AccountRefsOf([]apiv1.Account{{ID: demoID, Platform: "feed", Name: "demo"}, {ID: hookID, Platform: "http", Name: "hook"}})}).readValidation(&f, v, &c)
	for _, p := range c.problems {
		got = append(got, p.String())
	}
	want := []string{"a.md:9: whole", "a.md:6: feed:demo: long", "a.md:5: http:hook: long", "a.md:9: acct_3: long"}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(postState{}, overrideState{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
