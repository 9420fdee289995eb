package schedctl_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// terminalRooms are the only ways to a terminal. What goes through them is made printable,
// so that no text from outside can control a terminal.
var terminalRooms = []struct {
	below   string         // the source folder that must not use another way
	another *regexp.Regexp // another way
	except  []string       // the files that may
	instead string
}{
	{
		below:   "cmd/schedctl",
		another: regexp.MustCompile(`\bos\.Std(out|err)\b|\bfmt\.Print|\bprintln?\(|\bSystem\.(Out|Err)\b`),
		except: []string{
			"cmd/schedctl/cli/",              // the room itself
			"cmd/schedctl/browse/browse.go",  // hands the terminal to package tui
			"cmd/schedctl/browse/picture.go", // draws its own screen
			"cmd/schedctl/quietstart/",       // writes nothing
		},
		instead: "use Write, Linef, Message, Messagef, Prompt, PrintJSON, Out or Err of cli.App",
	},
	{
		below:   "tui",
		another: regexp.MustCompile(`\blipgloss\.Style\b|\blipgloss\.NewStyle|\bNewStyle\(|\bos\.Std(out|err)\b|\btea\.(Print|Sequence\(tea\.Print|SetWindowTitle)|[^(]\b\w+\.View\(\)`),
		except:  []string{"tui/screen/theme.go", "tui/screen/style.go", "tui/printable/"},
		instead: "use the styles of the theme and screen.Own(input.View())",
	},
}

func TestTextReachesTerminalsThroughOneRoom(t *testing.T) {
	t.Parallel()
	for _, room := range terminalRooms {
		err := filepath.WalkDir(room.below, func(path string, d fs.DirEntry, err error) error {
			slashed := filepath.ToSlash(path)
			if err != nil || d.IsDir() || !strings.HasSuffix(slashed, ".go") || strings.HasSuffix(slashed, "_test.go") ||
				slices.ContainsFunc(room.except, func(prefix string) bool { return strings.HasPrefix(slashed, prefix) }) {
				return err
			}
			text, err := os.ReadFile(path)
			for n, line := range strings.Split(string(text), "\n") {
				code, _, _ := strings.Cut(line, "//")
				if found := room.another.FindString(code); found != "" {
					t.Errorf("%s:%d: %s: %s", path, n+1, strings.TrimSpace(found), room.instead)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
