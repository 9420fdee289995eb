package qrcode_test

import (
	"regexp"
	"strings"
	"testing"

	"rsc.io/qr"

	"github.com/schedctl/schedctl/client/qrcode"
	"github.com/schedctl/schedctl/scripts/cost"
)

// styled are the four cells of a colored code, as the cells of one without colors.
var styled = strings.NewReplacer(
	"\x1b[30;40m▀", " ", "\x1b[30;107m▀", "▄", "\x1b[97;40m▀", "▀", "\x1b[97;107m▀", "█", "\x1b[0m", "",
)

// modules reads a drawn code: whether each module is dark.
func modules(t testing.TB, lines []string) (rows [][]bool) {
	t.Helper()
	for _, line := range lines {
		var up, down []bool
		for _, r := range line {
			if !strings.ContainsRune(" ▄▀█", r) {
				t.Fatalf("%q has %q", line, r)
			}
			up, down = append(up, r == ' ' || r == '▄'), append(down, r == ' ' || r == '▀')
		}
		rows = append(rows, up, down)
	}
	return rows
}

// check reads a drawn code and compares it with the one that the text has.
func check(t testing.TB, text string, colored bool) {
	t.Helper()
	lines, err := qrcode.Draw(text, colored)
	code, wanted := qr.Encode(text, qr.L)
	if err != nil || wanted != nil {
		if (err == nil) != (wanted == nil) {
			t.Fatalf("%.40q: %v, want %v", text, err, wanted)
		}
		return
	}
	if colored {
		for i, line := range lines {
			lines[i] = styled.Replace(line)
		}
	}
	for y, row := range modules(t, lines) {
		if len(row) != code.Size+8 {
			t.Fatalf("row %d has %d modules, want %d", y, len(row), code.Size+8)
		}
		for x, dark := range row {
			if dark != code.Black(x-4, y-4) {
				t.Fatalf("module %d:%d is dark: %v", x, y, dark)
			}
		}
	}
}

func TestDrawnModulesAreThoseOfTheText(t *testing.T) {
	for _, text := range []string{"", "x", "https://schedctl.example/s/" + strings.Repeat("a", 43), strings.Repeat("é", 1000)} {
		check(t, text, false)
		check(t, text, true)
	}
}

// TestColoredCodesSetBothColors guards that a code is dark on light on every terminal.
func TestColoredCodesSetBothColors(t *testing.T) {
	lines, err := qrcode.Draw("https://schedctl.example", true)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^(\x1b\[(30|97);(40|107)m▀)+\x1b\[0m$`)
	for _, l := range lines {
		if !line.MatchString(l) {
			t.Fatalf("%q", l)
		}
	}
}

func TestTooLongTextIsAnError(t *testing.T) {
	if _, err := qrcode.Draw(strings.Repeat("x", 3000), false); err == nil {
		t.Error("3,000 bytes have a code")
	}
}

func FuzzDraw(f *testing.F) {
	f.Add("https://schedctl.example/s/x", true)
	f.Fuzz(func(t *testing.T, text string, colored bool) {
		defer cost.Check(t, len(text))()
		check(t, text, colored)
	})
}
