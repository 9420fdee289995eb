package postfile_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/scripts/cost"
)

// The columns media and alt of CSV are lists with escapes. Written rows can be read back,
// and rows that were read can be written without a change.
func FuzzMediaColumns(f *testing.F) {
	for _, seed := range [][2]string{
		{"cat.png", "A cat"}, {`C:\cats\cat.png`, `one; two \ three`}, {`a\;b;c`, `\`}, {`\\;`, `;;`}, {"a\nb", "\r\n\"\t "}, {`\\\;`, "é\u00a0"},
	} {
		f.Add(seed[0], seed[1], seed[1], seed[0])
	}
	f.Fuzz(func(t *testing.T, one, two, alt, other string) {
		defer cost.Check(t, len(one)+len(two)+len(alt)+len(other))()
		for _, text := range []string{one, two, alt, other} {
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || len(text) > 1000 {
				t.Skip()
			}
		}
		row := postfile.Document{Post: apiv1.CreatePost{Content: "x"}}
		for i, file := range []string{one, two} {
			if file = strings.TrimSpace(file); file != "" {
				row.Post.Media = append(row.Post.Media, apiv1.PostMedia{ID: file, AltText: []*string{&alt, &other}[i]})
			}
		}
		sameMediaColumns(t, row, readOne(t, write(t, postfile.CSV, []postfile.Document{row})))

		quoted := func(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
		r := postfile.NewReader(strings.NewReader("content,media,alt\nx,"+quoted(one)+","+quoted(alt)+"\n"), postfile.CSV)
		if read, err := r.Next(); err == nil { // and not more alt texts than files
			sameMediaColumns(t, read, readOne(t, write(t, postfile.CSV, []postfile.Document{read})))
		}
	})
}

// readOne returns the only row of a CSV file.
func readOne(t *testing.T, file string) postfile.Document {
	t.Helper()
	row, err := postfile.NewReader(strings.NewReader(file), postfile.CSV).Next()
	if err != nil {
		t.Fatalf("%q: %v", file, err)
	}
	return row
}

func sameMediaColumns(t *testing.T, want, got postfile.Document) {
	t.Helper()
	if diff := cmp.Diff(want.Post.Media, got.Post.Media, cmpopts.EquateEmpty(), sameAlts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// sameAlts compares alt texts. One of spaces alone counts as a missing one.
var sameAlts = cmp.Comparer(func(a, b *string) bool {
	none := func(text *string) bool { return text == nil || strings.TrimSpace(*text) == "" }
	return none(a) && none(b) || !none(a) && !none(b) && *a == *b
})
