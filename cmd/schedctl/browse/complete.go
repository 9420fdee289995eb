package browse

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxCompletions is the maximum number of offered paths.
const maxCompletions = 100

// completePath returns the paths that start with a text, sorted; directories end with a
// slash. Names that start with a dot are left out unless the text asks for them.
func completePath(text string) []string {
	dir, start := filepath.Split(text)
	read := expandHome(dir)
	if read == "" {
		read = "."
	}
	entries, err := os.ReadDir(read)
	if err != nil {
		return nil
	}
	var found []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, start) || strings.HasPrefix(name, ".") && start == "" {
			continue
		}
		info, err := os.Stat(filepath.Join(read, name)) // follows links
		switch {
		case err != nil:
			continue
		case info.IsDir():
			name += string(filepath.Separator)
		case !info.Mode().IsRegular():
			continue
		}
		found = append(found, dir+name)
	}
	slices.Sort(found)
	return found[:min(len(found), maxCompletions)]
}

// expandHome replaces ~ at the start of a path by the home directory.
func expandHome(path string) string {
	rest, found := strings.CutPrefix(path, "~"+string(filepath.Separator))
	if !found {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}
