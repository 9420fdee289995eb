package all_test

import (
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
)

// notPlatforms are the packages that are not platforms.
var notPlatforms = []string{"all", "linkcard", "meta", "outbound", "pattern", "publishtest", "signing"}

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

// Every platform has an account for the tests that range over accounts, with all that they
// need.
func TestEveryPlatformIsTested(t *testing.T) {
	t.Parallel()
	missing, unbroken := map[string]bool{}, map[string]bool{}
	for name := range all.Publishers(all.Config{}) {
		missing[name], unbroken[name] = true, name != "feed" && name != "nostr" // Nostr has tests of its own
	}
	for _, a := range networks.Accounts() {
		delete(missing, a.Platform)
		unbroken[a.Platform] = unbroken[a.Platform] && a.Accepted == nil && a.Unreliable == nil
		text := fmt.Sprint(a.Credentials, a.Session)
		if a.Platform != "feed" && len(a.Secrets)+len(a.FixedKeys) == 0 {
			t.Errorf("%s has no secrets", a.Name)
		}
		for _, secret := range a.Secrets {
			if !strings.Contains(text, secret) {
				t.Errorf("no credentials of %s contain %q", a.Name, secret)
			}
		}
	}
	for name, is := range unbroken {
		if is {
			t.Errorf("no requests to %s fail in the tests of deliveries", name)
		}
	}
	for name := range missing {
		t.Errorf("%s has no account in publishtest/networks", name)
	}
}
