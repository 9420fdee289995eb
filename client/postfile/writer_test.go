package postfile_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/scripts/cost"
	_ "github.com/schedctl/schedctl/scripts/testsize"
)

func write(t interface {
	Helper()
	Fatal(...any)
}, f postfile.Format, rows []postfile.Document) string {
	t.Helper()
	var b bytes.Buffer
	w := postfile.NewWriter(&b, f)
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriter(t *testing.T) {
	t.Parallel()
	rows := []postfile.Document{
		{ID: "post_1", Post: apiv1.CreatePost{Content: "Hello,\r\n\"you\""}, To: []string{"feed:blog", "mastodon:me"}, At: "2027-01-01T09:00:00Z"},
		{Post: apiv1.CreatePost{Content: "=1+1 <b>"}, TZ: "UTC"},
	}
	for f, want := range map[postfile.Format]string{
		postfile.CSV: "id,content,to,at,tz,media,alt,thread,first_comment,poll,poll_for,poll_multiple,poll_hide_totals,content_warning,visibility,language,link_preview,title,post_style,labels,queue,not_before,proposed_at,repeat,start,name,variants,exdates,ahead_days\npost_1,\"Hello,\r\n\"\"you\"\"\",feed:blog;mastodon:me,2027-01-01T09:00:00Z,,,,,,,,,,,,,,,,,,,,,,,,,\n,=1+1 <b>,,,UTC,,,,,,,,,,,,,,,,,,,,,,,,\n",
		postfile.JSONL: `{"id":"post_1","content":"Hello,\r\n\"you\"","to":["feed:blog","mastodon:me"],"at":"2027-01-01T09:00:00Z","tz":""}` + "\n" +
			`{"id":"","content":"=1+1 <b>","to":[],"at":"","tz":"UTC"}` + "\n",
	} {
		if diff := cmp.Diff(want, write(t, f, rows)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", f, diff)
		}
	}
	if got := write(t, postfile.CSV, nil); got != "id,content,to,at,tz,media,alt,thread,first_comment,poll,poll_for,poll_multiple,poll_hide_totals,content_warning,visibility,language,link_preview,title,post_style,labels,queue,not_before,proposed_at,repeat,start,name,variants,exdates,ahead_days\n" {
		t.Errorf("no rows: %q", got)
	}
	if got := write(t, postfile.JSONL, nil); got != "" {
		t.Errorf("no rows: %q", got)
	}
}

// A row that is written can be read back, whatever its texts are.
func TestRowsSurvive(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\"\r\n,; =\ufeff\ufffd\\"))))
	name := rapid.StringMatching(`[a-z:"]{1,5}( [a-z,]{1,3})?`)
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) postfile.Document {
			return postfile.Document{
				ID: name.Draw(t, "id"), Post: apiv1.CreatePost{Content: text.Draw(t, "content")}, To: rapid.SliceOfN(name, 0, 3).Draw(t, "to"),
				At: name.Draw(t, "at"), TZ: name.Draw(t, "tz"),
			}
		}), 0, 5).Draw(t, "rows")
		for _, f := range []postfile.Format{postfile.CSV, postfile.JSONL} {
			var b bytes.Buffer
			w := postfile.NewWriter(&b, f)
			for _, r := range rows {
				w.Write(r)
			}
			w.Flush()
			r := postfile.NewReader(&b, f)
			for _, want := range rows {
				got, err := r.Next()
				if err != nil {
					t.Fatalf("%s: %v in %q", f, err, write(t, f, rows))
				}
				if diff := cmp.Diff(want, got, ignorePositions, cmpopts.IgnoreFields(postfile.Document{}, "First"), cmpopts.EquateEmpty(), sameAlts); diff != "" {
					t.Fatalf("%s, -want +got:\n%s", f, diff)
				}
			}
		}
	})
}

// TestTextsForSingleAccountsAreColumns writes texts for accounts that are first named in
// the second row, and reads them back.
func TestTextsForSingleAccountsAreColumns(t *testing.T) {
	t.Parallel()
	one, two := "only for, you", "two\nlines"
	rows := []postfile.Document{
		{ID: "a", Post: apiv1.CreatePost{Content: "first"}},
		{ID: "b", Post: apiv1.CreatePost{Content: "second", TargetOverrides: []apiv1.Override{{SocialAccountID: "feed:a b", Content: &one}}}},
		{ID: "c", Post: apiv1.CreatePost{Content: "third", TargetOverrides: []apiv1.Override{
			{SocialAccountID: "feed:a b", Content: &two}, {SocialAccountID: "feed:c", Content: &one},
		}}},
	}
	text := write(t, postfile.CSV, rows)
	if header, _, _ := strings.Cut(text, "\n"); !strings.HasSuffix(header, ",text:feed:a b,text:feed:c") {
		t.Errorf("the first line is %q", header)
	}
	r := postfile.NewReader(strings.NewReader(text), postfile.CSV)
	for _, want := range rows {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Post.TargetOverrides, got.Post.TargetOverrides, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s, -want +got:\n%s", want.ID, diff)
		}
	}
}

// TestTheFirstLineWaitsForSoManyRows writes the first text for an account after the first
// line is written.
func TestTheFirstLineWaitsForSoManyRows(t *testing.T) {
	t.Parallel()
	text := "own"
	rows := make([]postfile.Document, 10_001)
	rows[0].Post.TargetOverrides = []apiv1.Override{{SocialAccountID: "early", Content: &text}}
	rows[10_000].Post.TargetOverrides = []apiv1.Override{{SocialAccountID: "early", Content: &text}, {SocialAccountID: "late", Content: &text}}
	var b bytes.Buffer
	w := postfile.NewWriter(&b, postfile.CSV)
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); w.Lost() != 1 || strings.Count(got, "own") != 2 || strings.Contains(got, "late") {
		t.Errorf("%d rows lost texts; the text is there %d times", w.Lost(), strings.Count(got, "own"))
	}
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreTold(t *testing.T) {
	t.Parallel()
	for _, f := range []postfile.Format{postfile.CSV, postfile.JSONL} {
		w := postfile.NewWriter(full{}, f)
		err := w.Write(postfile.Document{Post: apiv1.CreatePost{Content: strings.Repeat("x", 1<<17)}})
		if err == nil {
			err = w.Flush()
		}
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// checkReader feeds files of any content: rows come out, or errors with lines
// that grow, and what was read is the same after writing it.
func checkReader(t *testing.T, data []byte) {
	r := postfile.NewReader(bytes.NewReader(data), "")
	var rows []postfile.Document
	for last := 0; ; {
		row, err := r.Next()
		var at *postfile.Error
		if errors.As(err, &at) && !at.Final {
			row.First = at.Line
		} else if err != nil {
			break
		} else {
			rows = append(rows, row)
		}
		if row.First <= last {
			t.Fatalf("line %d after line %d", row.First, last)
		}
		last = row.First
	}
	again := postfile.NewReader(strings.NewReader(write(t, postfile.JSONL, rows)), postfile.JSONL)
	for _, want := range rows {
		got, err := again.Next()
		if diff := cmp.Diff(want, got, ignorePositions, cmpopts.IgnoreFields(postfile.Document{}, "First"), cmpopts.EquateEmpty(), sameAlts); diff != "" || err != nil {
			t.Fatalf("%v, -want +got:\n%s", err, diff)
		}
	}
}

// FuzzRows reads files, and writes again what it read.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{
		"content,id\nHello,1\n", "sep=;\ncontent;to\n\"a\r\nb\";x\n", "{\"content\":\"a\"}\n{\"to\":[\"b\"]}", "\ufeffcontent\n\"", "content\n\"a\"b\nc",
		"{\"content\":\"\\ud800\"}", "content\r\n\"a\"\r", "[]", "\xff\xfe", "{\"a\":{\"b\":[1,2]}}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		checkReader(t, []byte(text))
	})
}

// fullRow returns a row with what CSV can hold.
func fullRow() postfile.Document {
	return postfile.Document{
		Queue: "main", NotBefore: "2027-01-01 9:00", ProposedAt: "next-slot", TZ: "UTC",
		Repeat: "daily at 9:00", Start: "2027-01-01", Name: "News", Variants: []string{"One; \\ two", "Three"}, Exdates: []string{"2027-01-02T09:00"}, AheadDays: 3,
		Post: apiv1.CreatePost{
			Content: "One", Title: new("A title"), PostStyle: new("text"), Labels: []string{"launch", "a; b"},
			Media: []apiv1.PostMedia{{ID: "a.png", AltText: new("A cat")}, {ID: "b.png"}},
			NewExtras: apiv1.NewExtras{
				Thread: []apiv1.Part{{Content: "Two\n---\n<b>"}, {Content: "Three"}}, FirstComment: &apiv1.Part{Content: "More"},
				Poll:           &apiv1.Poll{Options: []string{"Yes; now", "No"}, ExpiresInSeconds: 2 * 24 * 3600, Multiple: true, HideTotals: true},
				ContentWarning: new("Food"), Visibility: new("unlisted"), Language: new("pt-BR"), LinkPreview: &apiv1.LinkPreview{Mode: "none"},
			},
		},
	}
}

func TestPartsSurvive(t *testing.T) {
	t.Parallel()
	check := func(row postfile.Document, f postfile.Format) {
		got, faults := read(t, write(t, f, []postfile.Document{row}), f)
		if diff := cmp.Diff([]postfile.Document{row}, got, ignorePositions, cmpopts.IgnoreFields(postfile.Document{}, "First"), cmpopts.EquateEmpty(), sameAlts); diff != "" || faults != nil {
			t.Errorf("%s: %v, -want +got:\n%s", f, faults, diff)
		}
	}
	row := fullRow()
	check(row, postfile.CSV)
	check(row, postfile.JSONL)
	row.Post.Thread[0].Media = []apiv1.PostMedia{{ID: "a.png", AltText: new("A cat")}}
	row.Post.FirstComment.Media = []apiv1.PostMedia{{ID: "b.png"}}
	row.Post.LinkPreview = &apiv1.LinkPreview{Card: &apiv1.LinkCard{URL: "https://example.org", Title: "T", Description: "D", Image: new("c.png")}}
	row.Post.TargetOverrides = []apiv1.Override{{
		SocialAccountID: "mastodon:me", Content: new("Own <b>"), Media: &[]apiv1.PostMedia{{ID: "d.png", AltText: new("A dog")}},
		Thread: &[]apiv1.Part{{Content: "Own two", Media: []apiv1.PostMedia{{ID: "e.png"}}}},
		Poll:   &apiv1.Poll{Options: []string{"Yes", "No"}, ExpiresInSeconds: 24 * 3600, Multiple: true, HideTotals: true}, ContentWarning: new("W"), Visibility: new("direct"), Language: new("de"),
		Options: map[string]any{"n": 1.0, "b": true, "s": []any{"x"}},
	}, {SocialAccountID: "blog", Media: &[]apiv1.PostMedia{}, Thread: &[]apiv1.Part{}, Poll: &apiv1.Poll{Options: []string{}}}}
	check(row, postfile.JSONL)
}

// A field of a row has a position: its line, and its column.
func TestPositionsOfRows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]postfile.Position{
		"id,to,content,poll\n\n1,a;b,x,Yes;No\n":                   {"to[1]": {3, 2}, "poll.options[0]": {3, 4}, "content": {3, 3}, "at": {}},
		`  {"content":"x","overrides":[{"to":"a","media":["b"]}]}`: {"content": {1, 14}, "target_overrides[0].media[0]": {1, 50}},
	} {
		rows, faults := read(t, text, "")
		if len(rows) != 1 {
			t.Fatalf("%q: %d rows, %v", text, len(rows), faults)
		}
		for path, at := range want {
			if got := rows[0].Where(path); got != at {
				t.Errorf("%q: %s is at %v, want %v", text, path, got, at)
			}
		}
	}
}
