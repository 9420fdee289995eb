package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// writer is a person with an editor.
type writer struct {
	command, path, shown string
	write                func(shown string) string
	err                  error
}

func (w *writer) edit(ctx context.Context, command, path string) (context.Context, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return ctx, err
	}
	w.command, w.path, w.shown = command, path, string(data)
	return ctx, errors.Join(os.WriteFile(path, []byte(w.write(w.shown)), 0o600), w.err)
}

// above puts a text above what an editor shows.
func above(text string) func(string) string {
	return func(shown string) string { return text + shown }
}

func atEditor(t *testing.T, daemon routes, w *writer) *machine {
	m := newMachine(t, daemon).terminals().noColorEnv()
	m.Edit = w.edit
	return m
}

var measured = apiv1.AccountList{Results: []apiv1.Account{
	{ID: demoID, Platform: "feed", Name: "demo", Status: schedctl.AccountConnected, Limits: apiv1.Limits{Unit: "characters"}},
	{ID: hookID, Platform: "mastodon", Name: "me", Status: schedctl.AccountConnected, Limits: apiv1.Limits{MaxCharacters: ptr(500), Unit: "graphemes", URLCharacters: ptr(23)}},
}}

func drafts(t *testing.T, m *machine) []string {
	t.Helper()
	kept, err := filepath.Glob(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "drafts", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func TestPostCreateInAnEditor(t *testing.T) {
	t.Parallel()
	var sent capture
	w := &writer{write: above("#hashtag first\n\n  indented\n")}
	m := atEditor(t, routes{"GET /social-accounts": measured, "POST /posts": sent.answer(apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: schedctl.Draft}})}, w)
	m.want(t, 0, "post_1\n", "", "post", "create", "--editor", "--to", "demo", "--to", "me", "-q")
	if got := sent.body["content"]; got != "#hashtag first\n\n  indented" {
		t.Errorf("sent %q", got)
	}
	const shown = `

# ------------------------ >8 ------------------------
# The text ends above that line. Everything below it is ignored.
# An empty text cancels the command.
#
# How long it may be:
#   demo (feed): 5000 characters
#   me (mastodon): 500 graphemes, a link takes 23
`
	if diff := cmp.Diff(shown, w.shown); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if w.command != "vi" || len(drafts(t, m)) > 0 {
		t.Errorf("editor %q; files are left: %v", w.command, drafts(t, m))
	}
	m.env["EDITOR"] = "ed"
	m.run(t, "post", "create", "--editor")
	if w.command != "ed" || !strings.Contains(w.shown, "# No account is chosen. A post has at most 5000 characters.\n") {
		t.Errorf("editor %q shows\n%s", w.command, w.shown)
	}
	m.env["VISUAL"] = "code --wait"
	m.run(t, "post", "create", "start with this", "--editor", "--to", "demo", "--override", "demo=another")
	if w.command != "code --wait" || !strings.HasPrefix(w.shown, "start with this\n\n# ---") || !strings.Contains(w.shown, "demo (feed): gets another text (--override)\n") {
		t.Errorf("editor %q shows\n%s", w.command, w.shown)
	}
}

func TestEditorEndsWithoutAText(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		w             writer
		args          []string
		status        int
		er            string
		keptOverrides int
	}{
		"no text is written":         {writer{write: above("")}, nil, 130, "the text is empty, so it was not sent", 0},
		"all is taken away":          {writer{write: func(string) string { return " \n" }}, []string{"a text"}, 130, "the text is empty, so it was not sent", 0},
		"the editor fails":           {writer{write: above(""), err: errors.New("exit status 1")}, []string{"a text"}, 1, "editor vi: exit status 1; no text was sent", 0},
		"the editor fails at last":   {writer{write: above("Words"), err: errors.New("exit status 1")}, nil, 1, "editor vi: exit status 1; no text was sent", 1},
		"it is no text":              {writer{write: above("caf\xe9")}, nil, 5, "the text is not UTF-8 text: convert it first, for example with iconv", 1},
		"an unknown account, before": {writer{}, []string{"--to", demoID[:10]}, 5, `there is no account "` + demoID[:10] + `"; the accounts are feed:demo, mastodon:me`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := atEditor(t, routes{"GET /social-accounts": measured}, &tc.w)
			if got := m.run(t, append([]string{"post", "create", "--editor"}, tc.args...)...); got != tc.status {
				t.Errorf("exit status %d, want %d", got, tc.status)
			}
			said := "schedctl: " + tc.er + "\n"
			if tc.keptOverrides > 0 {
				said = "the text is kept in " + tc.w.path + "\n" + said
			}
			if diff := cmp.Diff(said, m.err.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if kept := drafts(t, m); len(kept) != tc.keptOverrides {
				t.Errorf("files are left: %v", kept)
			}
		})
	}
}

func TestEditorIsForTerminals(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	m.want(t, 2, "", "schedctl: --editor needs a terminal; give the text as an argument, with -F FILE or through a pipe\n", "post", "create", "--editor")
	m.want(t, 2, "", "schedctl: --editor needs a terminal; give the text as an argument, with -F FILE or through a pipe\n", "post", "edit", "post_1", "--editor")
	m.terminals()
	m.want(t, 2, "", "schedctl: --editor and --no-input exclude each other: give one\n", "post", "create", "--editor", "--no-input")
	m.want(t, 2, "", "schedctl: --editor and standard input exclude each other: give one\n", "post", "create", "-", "--editor")
}

func TestEditorTextIsKeptUntilItIsSent(t *testing.T) {
	t.Parallel()
	w := &writer{write: above("Words")}
	m := atEditor(t, routes{"POST /posts": refused{503, "UNAVAILABLE"}}, w)
	if status := m.run(t, "post", "create", "--editor"); status != 7 {
		t.Errorf("exit status %d, want 7", status)
	}
	text, err := os.ReadFile(w.path)
	if err != nil || string(text) != "Words\n" {
		t.Errorf("kept %q (%v)", text, err)
	}
	if want := "the text is kept in " + w.path + "; send it with: schedctl post create -F " + w.path + "\n"; !strings.Contains(m.err.String(), want) {
		t.Errorf("said\n%swant\n%s", &m.err, want)
	}

	// What was only checked is not lost either.
	m = atEditor(t, routes{"POST /posts/validate": apiv1.Validation{Allowed: true}}, w)
	if status := m.run(t, "post", "create", "--editor", "--dry-run"); status != 0 || len(drafts(t, m)) != 1 {
		t.Errorf("exit status %d; kept %v:\n%s", status, drafts(t, m), &m.err)
	}
}

func TestPostEditInAnEditor(t *testing.T) {
	t.Parallel()
	var sent capture
	post := apiv1.Post{ID: "post_1", Status: schedctl.Scheduled, Content: "Helo", Version: 3, SocialAccountIDs: []string{hookID}}
	w := &writer{write: func(shown string) string { return strings.Replace(shown, "Helo", "Hello", 1) }}
	daemon := routes{
		"GET /social-accounts": measured, "GET /posts/post_1": apiv1.PostEnvelope{Post: post},
		"PATCH /posts/post_1": sent.answer(apiv1.PostEnvelope{Post: post}),
	}
	m := atEditor(t, daemon, w)
	m.want(t, 0, "post_1\n", "", "post", "edit", "post_1", "--editor", "-q")
	if diff := cmp.Diff(map[string]any{"content": "Hello"}, sent.body); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := sent.header.Get("If-Match"); got != `"3"` {
		t.Errorf("If-Match %q, want that of the post that was shown", got)
	}
	if !strings.Contains(w.shown, "#   me (mastodon): 500 graphemes") || len(drafts(t, m)) > 0 {
		t.Errorf("shown\n%s\nleft %v", w.shown, drafts(t, m))
	}

	daemon["PATCH /posts/post_1"] = refused{412, "VERSION_MISMATCH"}
	if status := m.run(t, "post", "edit", "post_1", "--editor"); status != 6 || !strings.Contains(m.err.String(), "schedctl post edit post_1 -F "+w.path+"\n") {
		t.Errorf("exit status %d:\n%s", status, &m.err)
	}

	post.Status = schedctl.Published
	daemon["GET /posts/post_1"] = apiv1.PostEnvelope{Post: post}
	m.want(t, 6, "", "schedctl: the post is published: only a draft or a scheduled post can be edited; create a new post\n", "post", "edit", "post_1", "--editor")
	m.want(t, 3, "", "schedctl: there is no post \"post_2\"; see: schedctl post list\n", "post", "edit", "post_2", "--editor")
}

// A pipe is read even when there is no daemon: its text would be lost.
func TestTextOfAPipeIsKeptWithoutADaemon(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"post", "create"}, {"post", "edit", "post_1"}} {
		m := newMachine(t, nil)
		delete(m.env, "SCHEDCTL_URL")
		m.In = strings.NewReader("words\n")
		status := m.run(t, args...)
		kept := drafts(t, m)
		if status != 7 || len(kept) != 1 || !strings.Contains(m.err.String(), "send it with: schedctl "+strings.Join(args, " ")+" -F "+kept[0]) {
			t.Errorf("%q: exit status %d, kept %v:\n%s", args, status, kept, &m.err)
		}
		if text, err := os.ReadFile(kept[0]); err != nil || string(text) != "words\n" {
			t.Errorf("%q: kept %q (%v)", args, text, err)
		}
	}
}
