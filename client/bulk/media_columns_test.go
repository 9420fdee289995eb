package bulk_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl/client/bulk"
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
		row := bulk.Row{Content: "x", Alt: []string{alt, other}}
		for _, file := range []string{one, two} {
			if file = strings.TrimSpace(file); file != "" {
				row.Media = append(row.Media, file)
			}
		}
		sameMediaColumns(t, row, readOne(t, write(t, bulk.CSV, []bulk.Row{row})))

		quoted := func(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
		read := readOne(t, "content,media,alt\nx,"+quoted(one)+","+quoted(alt)+"\n")
		sameMediaColumns(t, read, readOne(t, write(t, bulk.CSV, []bulk.Row{read})))
	})
}

// readOne returns the only row of a CSV file.
func readOne(t *testing.T, file string) bulk.Row {
	t.Helper()
	row, err := bulk.NewReader(strings.NewReader(file), bulk.CSV).Next()
	if err != nil {
		t.Fatalf("%q: %v", file, err)
	}
	return row
}

func sameMediaColumns(t *testing.T, want, got bulk.Row) {
	t.Helper()
	if diff := cmp.Diff([2][]string{want.Media, want.Alt}, [2][]string{got.Media, got.Alt}, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
