package postfile_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/scripts/cost"
)

// ignorePositions compares documents by their content.
var ignorePositions = cmpopts.IgnoreUnexported(postfile.Document{})

// withLines returns a document as a row, and the lines of its fields.
func withLines(d postfile.Document, paths string) string {
	text := d.Row()
	for _, path := range strings.Fields(paths) {
		text += fmt.Sprintf(" %s:%d", path, d.Line(path))
	}
	return text
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, paths, want string }{
		"everything": {
			"---\nid: launch # ours\nat: 2026-12-08 09:00\ntz: Europe/Berlin\nto: [blog, \"mastodon:me\"]\noverride:\n  mastodon:me: |\n    Short\n    text\n" +
				"labels: [release, \"two words\"]\noptions:\n  mastodon:me: {visibility: unlisted, sensitive: true, n: 2, list: [a, 1.5]}\ntitle: T\npost_style: text\n---\nHello\n\nWorld\n",
			"id at tz to[1] target_overrides[0] labels[0] content title",
			`{"id":"launch","content":"Hello\n\nWorld","to":["blog","mastodon:me"],"at":"2026-12-08 09:00","tz":"Europe/Berlin","title":"T","post_style":"text","labels":["release","two words"],` +
				`"overrides":[{"to":"mastodon:me","content":"Short\ntext","options":{"list":["a",1.5],"n":2,"sensitive":true,"visibility":"unlisted"}}]} id:2 at:3 tz:4 to[1]:5 target_overrides[0]:7 labels[0]:10 content:16 title:13`,
		},
		"little":                {"---\nid: a\n---\nHello", "content", `{"id":"a","content":"Hello","to":[],"at":"","tz":""} content:4`},
		"an empty line between": {"---\nid: a\n---\n\n\nHello\n\n", "content", `{"id":"a","content":"\nHello\n","to":[],"at":"","tz":""} content:5`},
		"lines of Windows":      {"\ufeff---\r\nid: a\r\n---\r\nHello\r\nyou\r\n", "content", `{"id":"a","content":"Hello\nyou","to":[],"at":"","tz":""} content:4`},
		"a list of lines":       {"---\nid: 'a'\nto:\n  - x\n  - \"y z\"\n---\nHello\n", "to[0] to[1]", `{"id":"a","content":"Hello","to":["x","y z"],"at":"","tz":""} to[0]:4 to[1]:5`},
		"one account":           {"---\nid: a\nto: blog\n---\nHello\n", "to[0]", `{"id":"a","content":"Hello","to":["blog"],"at":"","tz":""} to[0]:3`},
		"numbers and dates":     {"---\nid: 12\nat: 2026-12-08T09:00:00Z\n---\nHello\n", "", `{"id":"12","content":"Hello","to":[],"at":"2026-12-08T09:00:00Z","tz":""}`},
		"nothing":               {"---\nid: a\nat:\nto:\noverride:\ntz: ~\n---\n", "tz content", `{"id":"a","content":"","to":[],"at":"","tz":""} tz:6 content:8`},
		"media in lines": {
			"---\nid: a\nmedia:\n  - file: ./a.png\n    alt: |\n      Two\n      lines\n  - alt:\n    file: ä b.jpg\n---\nHi\n", "media[0] media[0].alt_text media[1].id media[7]",
			`{"id":"a","content":"Hi","to":[],"at":"","tz":"","media":["./a.png","ä b.jpg"],"alt":["Two\nlines",""]} media[0]:4 media[0].alt_text:5 media[1].id:9 media[7]:4`,
		},
		"a thread": {
			"---\nid: a\nthread: true\npart_media:\n  3: [{file: b.png}]\n---\n\nOne\n\\---\n\n---\n\nTwo\nlines\n---\n", "thread[0] thread[1].content thread[1].media[0].id thread",
			`{"id":"a","content":"One\n---","to":[],"at":"","tz":"","thread":["Two\nlines",{"content":"","media":["b.png"],"alt":[""]}]} thread[0]:13 thread[1].content:15 thread[1].media[0].id:5 thread:8`,
		},
		"no thread": {"---\nid: a\nthread: false\n---\nOne\n---\nTwo\n", "", `{"id":"a","content":"One\n---\nTwo","to":[],"at":"","tz":""}`},
		"a first comment with media": {
			"---\nid: a\nfirst_comment:\n  content: Look\n  media: [{file: b.png, alt: B}]\n---\nHi\n", "first_comment first_comment.content first_comment.media[0]",
			`{"id":"a","content":"Hi","to":[],"at":"","tz":"","first_comment":{"content":"Look","media":["b.png"],"alt":["B"]}} first_comment:4 first_comment.content:4 first_comment.media[0]:5`,
		},
		"a poll": {
			"---\nid: a\npoll:\n  options: [Yes, no, 3]\n  for: 2d\n  multiple: true\n  hide_totals: false\n---\nHi\n", "poll poll.options[2] poll.options poll.expires_in_seconds",
			`{"id":"a","content":"Hi","to":[],"at":"","tz":"","poll":["Yes","no","3"],"poll_for":"2d","poll_multiple":true} poll:3 poll.options[2]:4 poll.options:3 poll.expires_in_seconds:5`,
		},
		"overrides": {
			"---\nid: a\noverride:\n  me: |\n    Short\n  you:\n    content: Long\n    media: [{file: b.png}]\n    thread:\n      - Two\n      - content: Three\n        media: [{file: c.png}]\n" +
				"    poll: {options: [Yes, No]}\n    visibility: unlisted\n    language: en\n    content_warning: |\n      Hot\n  all: {media: [], thread: [], poll: none}\n---\nHi\n",
			"target_overrides[1] target_overrides[1].thread[0] target_overrides[1].thread[1].media[0] target_overrides[1].visibility target_overrides[2].poll",
			`{"id":"a","content":"Hi","to":[],"at":"","tz":"","overrides":[{"to":"me","content":"Short"},{"to":"you","content":"Long","media":["b.png"],"alt":[""],` +
				`"thread":["Two",{"content":"Three","media":["c.png"],"alt":[""]}],"poll":["Yes","No"],"poll_for":"1d","content_warning":"Hot","visibility":"unlisted","language":"en"},{"to":"all","media":[],"thread":[],"poll":[]}]}` +
				` target_overrides[1]:6 target_overrides[1].thread[0]:10 target_overrides[1].thread[1].media[0]:12 target_overrides[1].visibility:14 target_overrides[2].poll:18`,
		},
		"how it is shown": {
			"---\nid: a\ncontent_warning: Hot drinks\nvisibility: unlisted\nlanguage: no\nlink_preview: none\n---\nHi\n", "language link_preview",
			`{"id":"a","content":"Hi","to":[],"at":"","tz":"","content_warning":"Hot drinks","visibility":"unlisted","language":"no","link_preview":"none"} language:5 link_preview:6`,
		},
		"a card": {
			"---\nid: a\nlink_preview:\n  url: https://example.org/a\n  title: A\n  description: B\n  image: ../c.png\n---\nHi\n", "link_preview link_preview.image link_preview.text",
			`{"id":"a","content":"Hi","to":[],"at":"","tz":"","link_preview":{"url":"https://example.org/a","title":"A","description":"B","image":"../c.png"}} link_preview:4 link_preview.image:7 link_preview.text:4`,
		},
		"no parts":          {"---\nid: a\nthread:\npart_media:\nmedia:\nfirst_comment:\npoll:\nlink_preview:\n---\nHi\n", "", `{"id":"a","content":"Hi","to":[],"at":"","tz":""}`},
		"rules in the text": {"---  \nid: a\n---\nHello\n---\nyou\n", "", `{"id":"a","content":"Hello\n---\nyou","to":[],"at":"","tz":""}`},
		"a series": {
			"---\nid: a\nrepeat: daily at 9:00\nstart: 2026-12-08\nname: News\nvariants: [One, \"Two\\n\"]\nexdates: [2026-12-10]\nahead_days: 3\n---\n", "repeat exdates[0]",
			`{"id":"a","content":"","to":[],"at":"","tz":"","repeat":"daily at 9:00","start":"2026-12-08","name":"News","variants":["One","Two"],"exdates":["2026-12-10"],"ahead_days":3} repeat:3 exdates[0]:7`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, problems := postfile.Parse("p/a.md", []byte(tc.text))
			if diff := cmp.Diff(tc.want, withLines(got, tc.paths)); diff != "" || problems != nil {
				t.Errorf("%v, -want +got:\n%s", problems, diff)
			}
		})
	}
}

// A problem of an account is at its override, at the post, or at its name.
func TestLinesOfOverrides(t *testing.T) {
	t.Parallel()
	d, problems := postfile.Parse("a.md", []byte("---\nid: a\nvisibility: public\noverride:\n  me:\n    poll: none\n    language: en\n---\nHi\n"))
	for field, want := range map[string]int{"language": 7, "poll.options[1]": 6, "visibility": 3, "content": 5, "media[0]": 5} {
		if got := d.LineFor(0, field); got != want || problems != nil {
			t.Errorf("%s: line %d, want %d; %v", field, got, want, problems)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"no front matter":     {"Hello\n", []string{"p/a b.md:1: the file has no front matter"}},
		"an empty file":       {"", []string{"p/a b.md:1: the file has no front matter"}},
		"never ended":         {"---\nid: a\nHello\n", []string{"p/a b.md:1: the file has no front matter"}},
		"no id":               {"---\nto: x\n---\nHello\n", []string{"p/a b.md:1: the file has no id; give the post a name of its own, such as id: a-b"}},
		"nothing at all":      {"---\n---\nHello\n", []string{"p/a b.md:1: the file has no id"}},
		"unknown keys":        {"---\nid: a\npublish_at: x\nTo: y\n---\nHello\n", []string{`p/a b.md:3: unknown key "publish_at"; the keys are id, to, at, tz, media, part_media, thread, first_comment, poll, content_warning, visibility, language, link_preview, title, post_style, labels, queue, not_before, repeat, start, name, variants, exdates, ahead_days, override and options`, `p/a b.md:4: unknown key "To"`}},
		"a key twice":         {"---\nid: a\nid: b\n---\nHello\n", []string{`p/a b.md:3: cannot read the front matter: duplicate key "id"`}},
		"no YAML":             {"---\nid: [\n---\nHello\n", []string{"p/a b.md:2: cannot read the front matter: sequence end token"}},
		"a tab":               {"---\nid: a\noverride:\n\tx: y\n---\nHello\n", []string{"p/a b.md:4: cannot read the front matter: found character"}},
		"a list":              {"---\n- id\n---\nHello\n", []string{"p/a b.md:2: expected keys and values"}},
		"lists for texts":     {"---\nid: [a]\nat: {b: c}\n---\nHello\n", []string{`p/a b.md:2: "id" must be a text, not a list`, `p/a b.md:3: "at" must be a text, not keys and values`}},
		"lists in lists":      {"---\nid: a\nto: [[x]]\n---\nHello\n", []string{`p/a b.md:3: "to" must be a text, not a list`}},
		"an empty account":    {"---\nid: a\nto:\n- x\n-\n---\nHello\n", []string{`p/a b.md:5: "to" has an empty entry`}},
		"an override of text": {"---\nid: a\noverride: b\n---\nHello\n", []string{"p/a b.md:3: expected keys and values"}},
		"anchors and aliases": {"---\nid: &x a\nat: *x\n---\nHello\n", []string{`p/a b.md:2: "id" must be a text, not an anchor or an alias`, `p/a b.md:3: "at" must be a text`}},
		"tags":                {"---\nid: !!binary YQ==\n---\nHello\n", []string{`p/a b.md:2: "id" must be a text, not a tag`}},
		"merged keys":         {"---\nid: a\n<<: {at: b}\n---\nHello\n", []string{"p/a b.md:3: expected a text as the key"}},
		"several documents":   {"---\nid: a\n...\nid: b\n---\nHello\n", []string{"p/a b.md:4: the front matter has several documents"}},
		"an id with a space":  {"---\nid: Größe 1\n---\nHello\n", []string{`p/a b.md:2: "Größe 1" is not a valid id: use at most 119 visible ASCII characters without spaces, such as id: Gr--e-1`}},
		"a long id":           {"---\nid: " + strings.Repeat("x", 120) + "\n---\nHello\n", []string{`p/a b.md:2: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is not a valid id`}},
		"options of text":     {"---\nid: a\noptions:\n  x: y\n---\nHello\n", []string{"p/a b.md:4: expected keys and values"}},
		"options in options":  {"---\nid: a\noptions: {x: {y: {z: 1}, l: [[a]]}}\n---\nHello\n", []string{`p/a b.md:3: "y" must be a text, not keys and values`, `p/a b.md:3: "l" must not be a list of lists`}},
		"a label of keys":     {"---\nid: a\nlabels: {x: y}\n---\nHello\n", []string{`p/a b.md:3: "labels" must be a text, not keys and values`}},
		"media of text":       {"---\nid: a\nmedia: a.png\n---\n", []string{`p/a b.md:3: "media" must be a list of files, such as [{file: images/a.png, alt: "A red door"}]`}},
		"media of names":      {"---\nid: a\nmedia:\n- a.png\n- {file: b.png}\n---\n", []string{`p/a b.md:4: "media" has an entry that is not a file, such as {file:`}},
		"media without file":  {"---\nid: a\nmedia:\n- {file: a.png}\n- {alt: x}\n---\n", []string{"p/a b.md:5: the entry names no file"}},
		"media with keys":     {"---\nid: a\nmedia:\n- file: a.png\n  alt_text: x\n---\n", []string{`p/a b.md:5: unknown key "alt_text"; the keys of a file are file and alt`}},
		"media of lists":      {"---\nid: a\nmedia:\n- file: [a.png]\n  alt: {b: c}\n---\n", []string{`p/a b.md:4: "file" must be a text, not a list`, `p/a b.md:5: "alt" must be a text, not keys and values`}},
		"media twice":         {"---\nid: a\nmedia:\n- file: a.png\n- file: ../p/./a.png\n---\n", []string{`p/a b.md:5: the file "../p/./a.png" is listed twice`}},
		"media outside": {"---\nid: a\nmedia:\n- file: /etc/passwd\n- file: ../../a.png\n- file: C:/a.png\n- file: x/../../..\n---\n", []string{
			`p/a b.md:4: the file "/etc/passwd" must be inside the directory`, `p/a b.md:5: the file "../../a.png" must be inside`, `p/a b.md:6: the file "C:/a.png" must be inside`, `p/a b.md:7: the file "x/../../.." must be inside`,
		}},
		"media of no name": {"---\nid: a\nmedia:\n- file: a\\b.png\n- file: images/\n- file: ..\n- file: \"a\\0\"\n---\n", []string{
			`p/a b.md:4: the file "a\\b.png" has a backslash in its path; separate directories with /`, `p/a b.md:5: the file "images/" is a directory`, `p/a b.md:6: the file ".." is a directory`, `p/a b.md:7: the file "a\x00" has a NUL`,
		}},
		"a thread of text":  {"---\nid: a\nthread: 2\n---\nHello\n", []string{`p/a b.md:3: "thread" must be true or false`}},
		"media of no parts": {"---\nid: a\npart_media: {2: [{file: a.png}]}\n---\nHello\n", []string{`p/a b.md:3: part_media: part 2 does not exist; add thread: true`}},
		"media of other parts": {"---\nid: a\nthread: true\npart_media:\n  1: [{file: a.png}]\n  3: [{file: a.png}]\n  two: [{file: a.png}]\n  2: a.png\n---\nA\n---\nB\n", []string{
			`p/a b.md:5: part_media: part 1 is the post; list its files in "media"`, `p/a b.md:6: part_media: part 3 does not exist; a line --- in the text starts the next part`,
			`p/a b.md:7: part_media: part two is not the number of a part`, `p/a b.md:8: "part_media: 2" must be a list of files`,
		}},
		"a list of part media":                  {"---\nid: a\npart_media: [{file: a.png}]\n---\nHello\n", []string{`p/a b.md:3: "part_media" must have keys and values, such as {2: [{file: `}},
		"an empty first comment":                {"---\nid: a\nfirst_comment: {content: ''}\n---\nHello\n", []string{`p/a b.md:3: "first_comment" has no content and no media`}},
		"keys of a first comment":               {"---\nid: a\nfirst_comment:\n  text: Hi\n---\nHello\n", []string{`p/a b.md:4: unknown key "text"; the keys of first_comment are content and media`}},
		"a list of comments":                    {"---\nid: a\nfirst_comment: [Hi]\n---\nHello\n", []string{`p/a b.md:3: "first_comment" must be a text, not a list`}},
		"a poll of one account without options": {"---\nid: a\noverride:\n  me: {poll: {for: 1d}, visibility: public}\n---\nHello\n", []string{`p/a b.md:4: "poll" has no options; write poll: none for no poll`}},
		"a poll of options":                     {"---\nid: a\npoll: [Yes, No]\n---\nHello\n", []string{`p/a b.md:3: "poll" must have keys and values, such as {options: [Tea, Coffee], for: 1d}`}},
		"keys of a poll":                        {"---\nid: a\npoll:\n  options: [Yes, No]\n  multiple: maybe\n  until: 1d\n---\nHello\n", []string{`p/a b.md:5: "multiple" must be true or false`, `p/a b.md:6: unknown key "until"; the keys of poll are`}},
		"another link preview":                  {"---\nid: a\nlink_preview: large\n---\nHello\n", []string{`p/a b.md:3: "link_preview" must be auto, none, or a card such as {url: `}},
		"a card without URL":                    {"---\nid: a\nlink_preview: {title: A}\n---\nHello\n", []string{`p/a b.md:3: "link_preview" has no url`}},
		"keys of a card":                        {"---\nid: a\nlink_preview:\n  url: x\n  picture: y\n  image: /z\n---\nHello\n", []string{`p/a b.md:5: unknown key "picture"; the keys of link_preview are`, `p/a b.md:6: the file "/z" must be inside`}},
		"a content warning of lists":            {"---\nid: a\ncontent_warning: [a]\n---\nHello\n", []string{`p/a b.md:3: "content_warning" must be a text, not a list`}},
		"no UTF-8":                              {"---\nid: a\n---\ncaf\xe9\n", []string{"p/a b.md:4: this is not UTF-8 text"}},
		"a large file":                          {strings.Repeat("x", 1<<20+1), []string{"p/a b.md:1: the file is larger than 1 MiB"}},
		"a large front":                         {"---\n#" + strings.Repeat("x", 64<<10) + "\n---\n", []string{"p/a b.md:1: the front matter is larger than 64 KiB"}},
		"many brackets":                         {"---\nid: " + strings.Repeat("[", 60<<10) + "\n---\n", []string{"p/a b.md:2: the front matter has too many brackets"}},
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
		got = append(got, f.Path+" "+f.ID)
	}
	if diff := cmp.Diff([]string{"a/x.markdown x", "b.md b", "bad.md ", "z.md b"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var said []string
	for _, p := range problems {
		said = append(said, p.String())
	}
	want := []string{
		"bad.md:1: the file has no front matter: start it with a line ---, the keys, and another line ---",
		"link.md:1: this is not a regular file; links are not followed", `z.md:2: the id "b" is also used in b.md:2`,
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, _, err := postfile.ReadDir(fstest.MapFS{"a": {Mode: 1 << 31}}); err != nil {
		t.Error(err)
	}
}

func TestParseConfig(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"# settings\n":                      "",
		"collection: website\n":             "website",
		"\ncollection: \"web.site_1-a\"\n":  "web.site_1-a",
		"collection: [a]\n":                 "schedctl.yaml:1: \"collection\" must be a text, not a list",
		"collection: a\ncolection: b\n":     "schedctl.yaml:2: unknown key \"colection\"; the keys are collection, source, queues and blackouts",
		"collection: a\ncollection: b\n":    "schedctl.yaml:2: cannot read the file: duplicate key \"collection\"",
		"website\n":                         "schedctl.yaml:1: expected keys and values",
		"collection: \xe9\n":                "schedctl.yaml:1: the file must be UTF-8 text",
		"#" + strings.Repeat("#", 64<<10):   "schedctl.yaml:1: the file must be UTF-8 text of at most 64 KiB",
		"--- {collection: a}\n--- {b: c}\n": "schedctl.yaml:2: the file has several documents",
	} {
		c, problems := postfile.ParseConfig([]byte(text))
		got := c.Collection.Text
		if problems != nil {
			got = problems[0].String()
		}
		if got != want && (problems == nil || !strings.HasPrefix(got, want) || want == "") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	c, problems, err := postfile.ReadConfig(fstest.MapFS{"schedctl.yaml": {Data: []byte("\ncollection: a\n")}})
	if err != nil || problems != nil || c.Collection != (postfile.Value{Text: "a", Line: 2}) {
		t.Errorf("got %+v, %v, %v", c, problems, err)
	}
	if c, problems, err := postfile.ReadConfig(fstest.MapFS{}); err != nil || problems != nil || c.Collection.Text != "" {
		t.Errorf("without a file: %+v, %v, %v", c, problems, err)
	}
}

// Encoding a document and parsing the result returns the same document.
func TestEncode(t *testing.T) {
	t.Parallel()
	media := func(file, alt string) apiv1.PostMedia {
		if alt == "" {
			return apiv1.PostMedia{ID: file}
		}
		return apiv1.PostMedia{ID: file, AltText: &alt}
	}
	for want, d := range map[string]postfile.Document{
		"---\nid: 12-launch\nat: 2026-12-08T09:00:00.5Z\nto: [\"feed:blog\", \"on\", \"a, b\"]\nlabels: [\"x y\", z]\nmedia:\n  - file: images/a.png\n    alt: \"A \\\"red\\\" door\"\n  - file: b.mp4\noverride:\n  \"feed:blog\": \"two\\nlines: <&> \\\"é\\\"\\u2028\"\n  \"~\": \"- x\"\n" +
			"options:\n  \"~\": {}\n  \"on\": {b: true, i: 3, l: [\"x\",false], \"n\": 1.5, s: \"true\"}\n---\n\n\nHello\n---\n\n\n": {
			ID: "12-launch", At: "2026-12-08T09:00:00.5Z", To: []string{"feed:blog", "on", "a, b"},
			Post: apiv1.CreatePost{
				Content: "\nHello\n---\n\n", Labels: []string{"x y", "z"}, Media: []apiv1.PostMedia{media("images/a.png", `A "red" door`), media("b.mp4", "")},
				TargetOverrides: []apiv1.Override{
					{SocialAccountID: "feed:blog", Content: new("two\nlines: <&> \"é\"\u2028")}, {SocialAccountID: "~", Content: new("- x"), Options: map[string]any{}},
					{SocialAccountID: "on", Options: map[string]any{"b": true, "s": "true", "n": 1.5, "i": 3.0, "l": []any{"x", false}}},
				},
			},
		},
		`---
id: a
thread: true
content_warning: "Hot drinks"
visibility: unlisted
language: "no"
link_preview:
  url: "https://example.org"
  title: A
  description: "B c"
  image: e.png
media:
  - file: a.png
part_media:
  3:
    - file: b.png
    - file: c.png
      alt: "C: d"
first_comment:
  content: "Look:\n\n"
  media:
    - file: d.png
poll:
  options: ["Yes", "Or no"]
  for: 1d
  multiple: true
  hide_totals: true
---

One
\---
---
Two
---

---
Four

`: {
			ID: "a",
			Post: apiv1.CreatePost{
				Content: "One\n---", Media: []apiv1.PostMedia{media("a.png", "")},
				NewExtras: apiv1.NewExtras{
					Thread:       []apiv1.Part{{Content: "Two"}, {Media: []apiv1.PostMedia{media("b.png", ""), media("c.png", "C: d")}}, {Content: "Four\n"}},
					FirstComment: &apiv1.Part{Content: "Look:\n", Media: []apiv1.PostMedia{media("d.png", "")}},
					Poll:         &apiv1.Poll{Options: []string{"Yes", "Or no"}, ExpiresInSeconds: 24 * 3600, Multiple: true, HideTotals: true},
					LinkPreview: &apiv1.LinkPreview{Card: &apiv1.LinkCard{
						URL: "https://example.org", Title: "A", Description: "B c", Image: new("e.png"),
					}},
					ContentWarning: new("Hot drinks"), Visibility: new("unlisted"), Language: new("no"),
				},
			},
		},
		`---
id: a
repeat: "daily at 9:00"
start: "2026-12-08T09:00"
name: News
variants: [One, "Two\n\n"]
exdates: ["2026-12-10T09:00"]
ahead_days: 3
title: T
post_style: text
override:
  "feed:blog": Short
  me:
    content: "Long\n\n"
    media:
      - file: a.png
        alt: "A \"b\""
    thread:
      - "Two\n---\nlines\n\n"
      - media:
          - file: b.png
          - file: c.png
            alt: C
    poll:
      options: ["Yes", "Or no"]
      for: 1d
      hide_totals: true
    content_warning: "Hot: tea"
    visibility: unlisted
    language: "no"
  none:
    media: []
    thread: []
    poll: none
options:
  none: {x: true}
---

One
`: {
			ID: "a", Repeat: "daily at 9:00", Start: "2026-12-08T09:00", Name: "News", Variants: []string{"One", "Two\n"}, Exdates: []string{"2026-12-10T09:00"}, AheadDays: 3,
			Post: apiv1.CreatePost{Content: "One", Title: new("T"), PostStyle: new("text"), TargetOverrides: []apiv1.Override{
				{SocialAccountID: "feed:blog", Content: new("Short")},
				{
					SocialAccountID: "me", Content: new("Long\n"), Media: &[]apiv1.PostMedia{media("a.png", `A "b"`)}, Visibility: new("unlisted"), Language: new("no"), ContentWarning: new("Hot: tea"),
					Thread: &[]apiv1.Part{{Content: "Two\n---\nlines\n"}, {Media: []apiv1.PostMedia{media("b.png", ""), media("c.png", "C")}}},
					Poll:   &apiv1.Poll{Options: []string{"Yes", "Or no"}, ExpiresInSeconds: 24 * 3600, HideTotals: true},
				},
				{SocialAccountID: "none", Media: &[]apiv1.PostMedia{}, Thread: &[]apiv1.Part{}, Poll: &apiv1.Poll{Options: []string{}}, Options: map[string]any{"x": true}},
			}},
		},
	} {
		d.Path = "a.md"
		if diff := cmp.Diff(want, string(d.Encode())); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		got, problems := postfile.Parse("a.md", d.Encode())
		if diff := cmp.Diff(d, got, sameDocument); diff != "" || problems != nil {
			t.Errorf("%v, -written +read:\n%s", problems, diff)
		}
	}
}

// sameDocument compares documents by their content.
var sameDocument = cmp.Options{ignorePositions, cmpopts.IgnoreFields(postfile.Document{}, "First"), cmpopts.EquateEmpty(), cmpopts.EquateNaNs(), sameAlts}

func TestParseLock(t *testing.T) {
	t.Parallel()
	got, err := postfile.ParseLock([]byte(`{"version":1,"about":"x","workspaces":{"ws_1":{"posts":{"a":{"post":"post_1","at":"2027-01-01T09:00:00Z","applied":"x"},"b":{"post":"post_2","applied":"y","gone":true}}},"ws_2":null}}`))
	want := map[string]map[string]postfile.Entry{"ws_1": {"a": {Post: "post_1", Applied: "x"}, "b": {Post: "post_2", Applied: "y", Gone: true}}, "ws_2": nil}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"<<<<<<< HEAD\n{}": "keep the entries of both sides", `{"version":2}`: "it has version 2, and this program reads version 1", `{"version":1,"workspaces`: "unexpected end of JSON input",
	} {
		if _, err := postfile.ParseLock([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// checkParse parses arbitrary data as a file. Parse must not panic. Every problem
// has a line of the file. A file without problems has a valid id, and encoding it
// and parsing the result returns the same file.
func checkParse(t *testing.T, data []byte) {
	file, problems := postfile.Parse("a.md", data)
	checkProblems(t, problems, data)
	if len(problems) > 0 {
		return
	}
	media, _ := file.Media()
	for _, m := range media {
		if path := file.MediaPath(m.ID); !fs.ValidPath(path) || path == "." {
			t.Fatalf("%q leads to %q", m.ID, path)
		}
	}
	if len(file.Faults) > 0 {
		return
	}
	if !postfile.IsID(file.ID) || strings.Contains(file.Post.Content, "\r\n") {
		t.Fatalf("%+v", file)
	}
	if written := file.Encode(); len(written) < 64<<10 {
		again, problems := postfile.Parse("a.md", written)
		if diff := cmp.Diff(file, again, sameDocument); diff != "" || problems != nil {
			t.Fatalf("%v, -read +written and read:\n%s\n%q", problems, diff, written)
		}
	}
}

func checkProblems(t *testing.T, problems []postfile.Problem, data []byte) {
	lines := 1 + strings.Count(string(data), "\n") + strings.Count(string(data), "\r")
	for _, p := range problems {
		if p.Line < 1 || p.Line > lines || p.Message == "" {
			t.Fatalf("%v, of %d lines", p, lines)
		}
	}
}

// FuzzFiles parses posts, settings and locks. The first number chooses which.
func FuzzFiles(f *testing.F) {
	for _, seed := range []string{
		"---\nid: a\nat: b\nto: [c, d]\noverride:\n  c: |\n    x\n---\nHello\n", "---\nid: &a [*a]\n---\n", "---\n? a\n: b\n---\n", "---\n<<: {a: b}\n---\n",
		"---\nid: !!map {}\n---\n", "---\r\nid: \"\\u00e9\"\r\n---\r\n\r\n", "---\nto:\n- >-\n  a\n- 'b'\n---", "---\n{id: a, to: b}\n---\n", "---\na: b: c\n---\n", "---\n%YAML\n---\n",
		"---\nid: a\nlabels: [x, 'y z']\noptions: {c: {a: true, b: 1, c: 0x1F, d: .inf, e: [f, 2.5], g: null}}\n---\nHello\n",
		"---\nid: a\noverride: {x: \"a\\n\\n\"}\n---\n",
		"---\nid: a\nthread: true\npart_media: {2: [{file: b.png, alt: x}]}\nfirst_comment: \"a\\n\\n\"\npoll: {options: [a, 'b c'], for: 2d, multiple: true, hide_totals: true}\n---\nA\n\n---\n\n---\n\\---\n",
		"---\nid: a\nfirst_comment: {content: x, media: [{file: b.png}]}\npoll: {}\nlink_preview: {url: u, title: t, description: \"d\\n\"}\n---\nA\n",
		"---\nid: a\nthread: true\nfirst_comment: {media: [{file: b.png}]}\nlink_preview: {url: u, image: c.png}\ncontent_warning: w\nvisibility: direct\nlanguage: no\n---\n\n---\nB\n\n",
		"---\nid: a\nmedia: [{file: i/a.png, alt: \"A door\"}, {file: ../b.png}]\n---\n", "---\nid: a\nmedia:\n- alt: |\n    x\n\n  file: ./a//b/../c.gif\n- {file: /x}\n---\nHi\n",
	} {
		f.Add(byte(0), []byte(seed))
	}
	f.Add(byte(1), []byte(`{"version":1,"workspaces":{"ws_1":{"posts":{"a":{"post":"post_1","applied":"x"}}},"ws_2":null}}`))
	f.Add(byte(2), []byte("collection: website\n"))
	f.Add(byte(2), []byte("collection: {a: b}\nx: y\n"))
	f.Fuzz(func(t *testing.T, of byte, data []byte) {
		defer cost.Check(t, len(data))()
		switch of % 3 {
		case 0:
			checkParse(t, data)
		case 1:
			postfile.ParseLock(data)
		default:
			_, problems := postfile.ParseConfig(data)
			checkProblems(t, problems, data)
		}
	})
}
