package browse

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompletePath(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, name := range []string{"images/door.png", "images/dot.gif", "images/.hidden", "dog.png"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slash := string(filepath.Separator)
	for text, want := range map[string][]string{
		"":                       {"dog.png", "images" + slash},
		"i":                      {"images" + slash},
		"images" + slash:         {"images" + slash + "door.png", "images" + slash + "dot.gif"},
		"images" + slash + "doo": {"images" + slash + "door.png"},
		"images" + slash + ".":   {"images" + slash + ".hidden"},
		"~" + slash + "d":        {"~" + slash + "dog.png"},
		"none" + slash:           nil,
		"x":                      nil,
	} {
		if diff := cmp.Diff(want, completePath(text)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", text, diff)
		}
	}
}
