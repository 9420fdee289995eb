package bluesky

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// TestGraphemeBreaks runs the official test cases of UAX 29.
func TestGraphemeBreaks(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/GraphemeBreakTest.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cases++
		var text strings.Builder
		for word := range strings.FieldsSeq(line) {
			if word == "÷" || word == "×" {
				continue
			}
			r, err := strconv.ParseInt(word, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			text.WriteRune(rune(r))
		}
		if got, want := countGraphemes(text.String()), strings.Count(line, "÷")-1; got != want {
			t.Errorf("%s: got %d clusters, want %d", strings.TrimSpace(line), got, want)
		}
	}
	if cases < 700 {
		t.Errorf("only %d cases", cases)
	}
}

// TestGraphemesAsThePDSCountsThem compares with the counts of the official PDS,
// recorded by testdata/graphemes.js.
func TestGraphemesAsThePDSCountsThem(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/graphemes.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]any
	if err := json.Unmarshal(file, &rows); err != nil || len(rows) < 1000 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		text, want := row[0].(string), int(row[1].(float64))
		if got := countGraphemes(text); got != want {
			t.Errorf("%+q: got %d, the PDS counts %d", text, got, want)
		}
	}
}

// TestConjunctsCountOne checks the limit: 300 conjuncts are 300 graphemes.
func TestConjunctsCountOne(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{300: true, 301: false} {
		check := New(nil, nil, "test").Check(schedctl.Account{}, publish.Text(strings.Repeat("क्ष", n)))
		if check.Length != n || (check.Err() == nil) != want {
			t.Errorf("%d conjuncts: length %d, %v", n, check.Length, check.Err())
		}
	}
}
