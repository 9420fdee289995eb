package schedctl_test

import (
	"io/fs"
	"os"
	"os/exec"
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

// TestNoBuiltProgramIsTracked guards that the repository has no large files by accident, such
// as a program that was built in a folder of its source.
func TestNoBuiltProgramIsTracked(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("no git, or no repository")
	}
	for path := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		const limit = 3 << 20
		if info, err := os.Lstat(path); err == nil && info.Size() > limit {
			t.Errorf("%s has %d bytes; the limit is %d", path, info.Size(), limit)
		}
	}
}
