// Command picture draws the pictures of the README: screens of the queue browser as
// SVG, light and dark. It reads the golden file of the browser's tests, so that the
// pictures always show the real program.
//
// Usage, in its directory: go run .
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:generate go run .

// golden is the file of the screens.
const golden = "../../tui/testdata/pictures.txtar"

func main() {
	pictures, err := drawAll(golden)
	for name, picture := range pictures {
		if err == nil {
			err = os.WriteFile(name, picture, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// drawAll returns the pictures of all screens in a golden file, by file name.
func drawAll(path string) (map[string][]byte, error) {
	screens, err := txtar.ParseFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the screens: %w", err)
	}
	pictures := map[string][]byte{}
	for _, f := range screens.Files {
		view, look, _ := strings.Cut(f.Name, " ")
		colors, known := palettes[look]
		if !known {
			return nil, fmt.Errorf("%s: there are no colors for %q", path, look)
		}
		rows, err := parse(strings.ReplaceAll(string(f.Data), "␛", "\x1b"))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, f.Name, err)
		}
		pictures[view+"-"+look+".svg"] = svg(rows, colors, "schedctl tui: the "+view)
	}
	return pictures, nil
}
