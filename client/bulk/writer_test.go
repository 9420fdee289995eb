package bulk_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/schedctl/schedctl/client/bulk"
	"github.com/schedctl/schedctl/scripts/cost"
	_ "github.com/schedctl/schedctl/scripts/testsize"
)

func write(t interface {
	Helper()
	Fatal(...any)
}, f bulk.Format, rows []bulk.Row) string {
	t.Helper()
	var b bytes.Buffer
	w := bulk.NewWriter(&b, f)
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
	rows := []bulk.Row{
		{ID: "post_1", Content: "Hello,\r\n\"you\"", To: []string{"feed:blog", "mastodon:me"}, At: "2027-01-01T09:00:00Z"},
		{Content: "=1+1 <b>", TZ: "UTC"},
	}
	for f, want := range map[bulk.Format]string{
		bulk.CSV: "id,content,to,at,tz,media,alt,thread,first_comment,poll,poll_for,poll_multiple,poll_hide_totals,content_warning,visibility,language,link_preview,title,post_style,labels,queue,not_before\npost_1,\"Hello,\r\n\"\"you\"\"\",feed:blog;mastodon:me,2027-01-01T09:00:00Z,,,,,,,,,,,,,,,,,,\n,=1+1 <b>,,,UTC,,,,,,,,,,,,,,,,,\n",
		bulk.JSONL: `{"id":"post_1","content":"Hello,\r\n\"you\"","to":["feed:blog","mastodon:me"],"at":"2027-01-01T09:00:00Z","tz":""}` + "\n" +
			`{"id":"","content":"=1+1 <b>","to":[],"at":"","tz":"UTC"}` + "\n",
	} {
		if diff := cmp.Diff(want, write(t, f, rows)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", f, diff)
		}
	}
	if got := write(t, bulk.CSV, nil); got != "id,content,to,at,tz,media,alt,thread,first_comment,poll,poll_for,poll_multiple,poll_hide_totals,content_warning,visibility,language,link_preview,title,post_style,labels,queue,not_before\n" {
		t.Errorf("no rows: %q", got)
	}
	if got := write(t, bulk.JSONL, nil); got != "" {
		t.Errorf("no rows: %q", got)
	}
}

// A row that is written can be read back, whatever its texts are.
func TestRowsSurvive(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\"\r\n,; =\ufeff\ufffd\\"))))
	name := rapid.StringMatching(`[a-z:"]{1,5}( [a-z,]{1,3})?`)
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) bulk.Row {
			return bulk.Row{
				ID: name.Draw(t, "id"), Content: text.Draw(t, "content"), To: rapid.SliceOfN(name, 0, 3).Draw(t, "to"),
				At: name.Draw(t, "at"), TZ: name.Draw(t, "tz"),
			}
		}), 0, 5).Draw(t, "rows")
		for _, f := range []bulk.Format{bulk.CSV, bulk.JSONL} {
			var b bytes.Buffer
			w := bulk.NewWriter(&b, f)
			for _, r := range rows {
				w.Write(r)
			}
			w.Flush()
			r := bulk.NewReader(&b, f)
			for _, want := range rows {
				got, err := r.Next()
				if err != nil {
					t.Fatalf("%s: %v in %q", f, err, write(t, f, rows))
				}
				if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(bulk.Row{}, "Line"), cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("%s, -want +got:\n%s", f, diff)
				}
			}
		}
	})
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreTold(t *testing.T) {
	t.Parallel()
	for _, f := range []bulk.Format{bulk.CSV, bulk.JSONL} {
		w := bulk.NewWriter(full{}, f)
		err := w.Write(bulk.Row{Content: strings.Repeat("x", 1<<17)})
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
	r := bulk.NewReader(bytes.NewReader(data), "")
	var rows []bulk.Row
	for last := 0; ; {
		row, err := r.Next()
		var at *bulk.Error
		if errors.As(err, &at) && !at.Final {
			row.Line = at.Line
		} else if err != nil {
			break
		} else {
			rows = append(rows, row)
		}
		if row.Line <= last {
			t.Fatalf("line %d after line %d", row.Line, last)
		}
		last = row.Line
	}
	again := bulk.NewReader(strings.NewReader(write(t, bulk.JSONL, rows)), bulk.JSONL)
	for _, want := range rows {
		got, err := again.Next()
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(bulk.Row{}, "Line"), cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("%v, -want +got:\n%s", err, diff)
		}
	}
}

// FuzzFiles reads files, and writes again what it read.
func FuzzFiles(f *testing.F) {
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

func TestPartsSurvive(t *testing.T) {
	t.Parallel()
	row := bulk.Row{
		Content: "One", Thread: []bulk.Part{{Content: "Two\n---\n<b>"}, {Content: "Three"}}, FirstComment: &bulk.Part{Content: "More"},
		Poll: []string{"Yes; now", "No"}, PollFor: "2d", PollMultiple: true, PollHideTotals: true,
		ContentWarning: "Food", Visibility: "unlisted", Language: "pt-BR", LinkPreview: bulk.Preview{Mode: "none"},
		Title: "A title", PostStyle: "text", Labels: []string{"launch", "a; b"}, Queue: "main", NotBefore: "2027-01-01 9:00",
	}
	for _, f := range []bulk.Format{bulk.CSV, bulk.JSONL} {
		got, faults := read(t, write(t, f, []bulk.Row{row}), f)
		if diff := cmp.Diff([]bulk.Row{row}, got, cmpopts.IgnoreFields(bulk.Row{}, "Line"), cmpopts.EquateEmpty()); diff != "" || faults != nil {
			t.Errorf("%s: %v, -want +got:\n%s", f, faults, diff)
		}
	}
	row.Thread[0].Media, row.Thread[0].Alt = []string{"a.png"}, []string{"A cat"}
	row.FirstComment.Media = []string{"b.png"}
	row.LinkPreview = bulk.Preview{Card: &bulk.Card{URL: "https://example.org", Title: "T", Description: "D", Image: "c.png"}}
	row.Overrides = []bulk.Override{{
		To: "mastodon:me", Content: "Own <b>", Media: &[]string{"d.png"}, Alt: []string{"A dog"}, Thread: &[]bulk.Part{{Content: "Own two", Media: []string{"e.png"}}},
		Poll: &[]string{"Yes", "No"}, PollFor: "1d", PollMultiple: true, PollHideTotals: true, ContentWarning: "W", Visibility: "direct", Language: "de",
		Options: map[string]any{"n": 1.0, "b": true, "s": []any{"x"}},
	}, {To: "blog", Media: &[]string{}, Thread: &[]bulk.Part{}, Poll: &[]string{}}}
	got, faults := read(t, write(t, bulk.JSONL, []bulk.Row{row}), bulk.JSONL)
	if diff := cmp.Diff([]bulk.Row{row}, got, cmpopts.IgnoreFields(bulk.Row{}, "Line"), cmpopts.EquateEmpty()); diff != "" || faults != nil {
		t.Errorf("%v, -want +got:\n%s", faults, diff)
	}
}
