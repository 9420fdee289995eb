package postfile_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/postfile"
)

func text(s string, line int) postfile.Value { return postfile.Value{Text: s, Line: line} }

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want postfile.File
	}{
		"everything": {
			"---\nid: launch # ours\nat: 2026-12-08 09:00\ntz: Europe/Berlin\nto: [blog, \"mastodon:me\"]\noverride:\n  mastodon:me: |\n    Short\n    text\n---\nHello\n\nWorld\n",
			postfile.File{
				ID: text("launch", 2), At: text("2026-12-08 09:00", 3), TZ: text("Europe/Berlin", 4),
				To:        []postfile.Value{text("blog", 5), text("mastodon:me", 5)},
				Overrides: []postfile.Override{{Account: text("mastodon:me", 7), Text: text("Short\ntext", 7)}},
				Content:   text("Hello\n\nWorld", 11),
			},
		},
		"little":                {"---\nid: a\n---\nHello", postfile.File{ID: text("a", 2), Content: text("Hello", 4)}},
		"an empty line between": {"---\nid: a\n---\n\n\nHello\n\n", postfile.File{ID: text("a", 2), Content: text("\nHello\n", 5)}},
		"lines of Windows":      {"\ufeff---\r\nid: a\r\n---\r\nHello\r\nyou\r\n", postfile.File{ID: text("a", 2), Content: text("Hello\nyou", 4)}},
		"a list of lines":       {"---\nid: 'a'\nto:\n  - x\n  - \"y z\"\n---\nHello\n", postfile.File{ID: text("a", 2), To: []postfile.Value{text("x", 4), text("y z", 5)}, Content: text("Hello", 7)}},
		"one account":           {"---\nid: a\nto: blog\n---\nHello\n", postfile.File{ID: text("a", 2), To: []postfile.Value{text("blog", 3)}, Content: text("Hello", 5)}},
		"numbers and dates":     {"---\nid: 12\nat: 2026-12-08T09:00:00Z\n---\nHello\n", postfile.File{ID: text("12", 2), At: text("2026-12-08T09:00:00Z", 3), Content: text("Hello", 5)}},
		"nothing":               {"---\nid: a\nat:\nto:\noverride:\ntz: ~\n---\n", postfile.File{ID: text("a", 2), At: text("", 3), TZ: text("", 6), Content: text("", 8)}},
		"rules in the text":     {"---  \nid: a\n---\nHello\n---\nyou\n", postfile.File{ID: text("a", 2), Content: text("Hello\n---\nyou", 4)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.want.Path = "a.md"
			got, problems := postfile.Parse("a.md", []byte(tc.text))
			if diff := cmp.Diff(tc.want, got); diff != "" || problems != nil {
				t.Errorf("%v, -want +got:\n%s", problems, diff)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"no front matter":     {"Hello\n", []string{"p/a b.md:1: there is no front matter"}},
		"an empty file":       {"", []string{"p/a b.md:1: there is no front matter"}},
		"never ended":         {"---\nid: a\nHello\n", []string{"p/a b.md:1: there is no front matter"}},
		"no id":               {"---\nto: x\n---\nHello\n", []string{"p/a b.md:1: there is no id; give the post a name of its own, such as id: a-b"}},
		"nothing at all":      {"---\n---\nHello\n", []string{"p/a b.md:1: there is no id"}},
		"unknown keys":        {"---\nid: a\npublish_at: x\nTo: y\n---\nHello\n", []string{`p/a b.md:3: unknown key "publish_at"; the keys are id, at, tz, to and override`, `p/a b.md:4: unknown key "To"`}},
		"a key twice":         {"---\nid: a\nid: b\n---\nHello\n", []string{`p/a b.md:3: the front matter cannot be read: key "id" is there twice`}},
		"no YAML":             {"---\nid: [\n---\nHello\n", []string{"p/a b.md:2: the front matter cannot be read: sequence end token"}},
		"a tab":               {"---\nid: a\noverride:\n\tx: y\n---\nHello\n", []string{"p/a b.md:4: the front matter cannot be read: found character"}},
		"a list":              {"---\n- id\n---\nHello\n", []string{"p/a b.md:2: here belong keys and values"}},
		"lists for texts":     {"---\nid: [a]\nat: {b: c}\n---\nHello\n", []string{`p/a b.md:2: "id" is a text, and here it is a list`, `p/a b.md:3: "at" is a text, and here it is keys and values`}},
		"lists in lists":      {"---\nid: a\nto: [[x]]\n---\nHello\n", []string{`p/a b.md:3: "to" is a text, and here it is a list`}},
		"an empty account":    {"---\nid: a\nto:\n- x\n-\n---\nHello\n", []string{`p/a b.md:5: an account in "to" is empty`}},
		"an override of text": {"---\nid: a\noverride: b\n---\nHello\n", []string{"p/a b.md:3: here belong keys and values"}},
		"anchors and aliases": {"---\nid: &x a\nat: *x\n---\nHello\n", []string{`p/a b.md:2: "id" is a text, and here it is an anchor or an alias`, `p/a b.md:3: "at" is a text`}},
		"tags":                {"---\nid: !!binary YQ==\n---\nHello\n", []string{`p/a b.md:2: "id" is a text, and here it is a tag`}},
		"merged keys":         {"---\nid: a\n<<: {at: b}\n---\nHello\n", []string{"p/a b.md:3: a key is a text"}},
		"several documents":   {"---\nid: a\n...\nid: b\n---\nHello\n", []string{"p/a b.md:4: the front matter has several documents"}},
		"no UTF-8":            {"---\nid: a\n---\ncaf\xe9\n", []string{"p/a b.md:4: this is not UTF-8 text"}},
		"a large file":        {strings.Repeat("x", 1<<20+1), []string{"p/a b.md:1: the file is larger than 1 MiB"}},
		"a large front":       {"---\n#" + strings.Repeat("x", 64<<10) + "\n---\n", []string{"p/a b.md:1: the front matter is larger than 64 KiB"}},
		"many brackets":       {"---\nid: " + strings.Repeat("[", 60<<10) + "\n---\n", []string{"p/a b.md:2: the front matter has more brackets"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := postfile.Parse("p/a b.md", []byte(tc.text))
			if len(problems) != len(tc.want) {
				t.Fatalf("got %v", problems)
			}
			for i, want := range tc.want {
				if !strings.HasPrefix(problems[i].String(), want) {
					t.Errorf("got %q, want %q", problems[i], want)
				}
			}
		})
	}
}

func TestReadDir(t *testing.T) {
	t.Parallel()
	post := func(id string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nid: " + id + "\n---\nHello\n")}
	}
	dir := fstest.MapFS{
		"b.md": post("b"), "a/x.markdown": post("x"), "a/README.md": post("none"), "a/Readme.MD": post("none"), "_draft.md": post("none"), ".hidden/c.md": post("none"),
		"_old/c.md": post("none"), "notes.txt": post("none"), "z.md": post("b"), "bad.md": {Data: []byte("no")}, "link.md": {Mode: 1 << 27},
	}
	files, problems, err := postfile.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Path+" "+f.ID.Text)
	}
	if diff := cmp.Diff([]string{"a/x.markdown x", "b.md b", "bad.md ", "z.md b"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var said []string
	for _, p := range problems {
		said = append(said, p.String())
	}
	want := []string{
		"bad.md:1: there is no front matter: begin the file with a line ---, its keys, and another line ---",
		"link.md:1: this is no regular file; links are not followed", `z.md:2: the id "b" is that of b.md:2 as well`,
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, _, err := postfile.ReadDir(fstest.MapFS{"a": {Mode: 1 << 31}}); err != nil {
		t.Error(err)
	}
}

// checkParse feeds files of any content: nothing panics, every problem has a line
// of the file, and a file without problems has an id.
func checkParse(t *testing.T, data []byte) {
	file, problems := postfile.Parse("a.md", data)
	lines := 1 + strings.Count(string(data), "\n")
	for _, p := range problems {
		if p.Line < 1 || p.Line > lines || p.Message == "" {
			t.Fatalf("%v, of %d lines", p, lines)
		}
	}
	if len(problems) == 0 && (file.ID.Text == "" || strings.Contains(file.Content.Text, "\r\n")) {
		t.Fatalf("%+v", file)
	}
}

// FuzzFiles reads posts and locks: the first number chooses which.
func FuzzFiles(f *testing.F) {
	for _, seed := range []string{
		"---\nid: a\nat: b\nto: [c, d]\noverride:\n  c: |\n    x\n---\nHello\n", "---\nid: &a [*a]\n---\n", "---\n? a\n: b\n---\n", "---\n<<: {a: b}\n---\n",
		"---\nid: !!map {}\n---\n", "---\r\nid: \"\\u00e9\"\r\n---\r\n\r\n", "---\nto:\n- >-\n  a\n- 'b'\n---", "---\n{id: a, to: b}\n---\n", "---\na: b: c\n---\n", "---\n%YAML\n---\n",
	} {
		f.Add(byte(0), []byte(seed))
	}
	f.Add(byte(1), []byte(`{"version":1,"workspaces":{"ws_1":{"posts":{"a":{"post":"post_1","applied":"x"}}},"ws_2":null}}`))
	f.Add(byte(1), []byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, of byte, data []byte) {
		if of%2 == 0 {
			checkParse(t, data)
		} else {
			checkLock(t, data)
		}
	})
}
