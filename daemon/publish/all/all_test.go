package all_test

import (
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/daemon/publish/all"
)

// notPlatforms are the packages that are not platforms.
var notPlatforms = []string{"all", "linkcard", "meta", "outbound", "pattern", "publishtest", "recorded", "signing"}

func TestEveryPlatformIsListed(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, e := range entries {
		if _, err := build.ImportDir(filepath.Join("..", e.Name()), 0); err == nil && !slices.Contains(notPlatforms, e.Name()) {
			want[e.Name()] = true
		}
	}
	got := map[string]bool{}
	for name, p := range all.Publishers(all.Config{}) {
		got[name] = name == p.Platform()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("platforms, by directory (-want +got):\n%s", diff)
	}
}
