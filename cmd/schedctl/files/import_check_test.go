package files

import (
	"testing"

	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// A file that an older program has imported makes no second posts: its lines keep their
// keys.
func TestKeysOfPlainLinesNeverChange(t *testing.T) {
	t.Parallel()
	d := postfile.Document{To: []string{"demo"}, At: "2027-01-01 09:00", TZ: "UTC"}
	d.Post.Content = "Hello"
	check := importCheck{lines: map[string]int{}, posts: map[string]int{}}
	line := importLine{want: wantedPost{doc: &d}}
	check.identify(&line)
	if want := post.DeriveKey("import line", post.DeriveKey("import", "Hello", "2027-01-01 09:00", "UTC", "demo"), "1"); line.key != want {
		t.Errorf("the key is %s, want %s", line.key, want)
	}
}
