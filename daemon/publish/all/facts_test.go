package all_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
)

// factsTable is the table of the documentation.
func factsTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| platform | facts from | read | tested against |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(all.Publishers(all.Config{}))) {
		f, known := all.FactsOf(name)
		if _, err := time.Parse("2006-01", f.Read); !known || err != nil || len(f.Sources) == 0 || f.Tested == "" {
			t.Fatalf("%s has no facts: %+v", name, f)
		}
		var sources []string
		for _, s := range f.Sources {
			sources = append(sources, string(s))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, strings.Join(sources, "; "), f.Read, f.Tested)
	}
	return b.String()
}

// TestReadmeSaysWhatWasTested checks the last column of the networks in the README.
func TestReadmeSaysWhatWasTested(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| [^|]* \\| `schedctl account add ([a-z]+).*\\| ([^|]+) \\|$")
	seen := map[string]string{}
	for _, match := range row.FindAllStringSubmatch(string(readme), -1) {
		seen[match[1]] = match[2]
	}
	for name := range all.Publishers(all.Config{}) {
		if f, _ := all.FactsOf(name); seen[name] != f.Tested {
			t.Errorf("the README says that %s was tested against %q, and the facts say %q", name, seen[name], f.Tested)
		}
	}
}

// TestTestedSaysAgainstWhat checks that no page says that something was tested without saying
// against what.
func TestTestedSaysAgainstWhat(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	pages, err := filepath.Glob("../../../docs/*network*.md")
	if err != nil || len(pages) < 2 {
		t.Fatal(pages, err)
	}
	for _, page := range append(pages, "../../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(text)
	}
	for name, p := range all.Publishers(all.Config{}) {
		if g, ok := p.(publish.Guided); ok {
			texts["connect-"+name] = g.Guide().Text
		}
	}
	tested := regexp.MustCompile(`(?i)\btested\b( [a-z]+)?`)
	for name, text := range texts {
		for _, found := range tested.FindAllString(strings.Join(strings.Fields(text), " "), -1) {
			if !strings.HasSuffix(found, " against") {
				t.Errorf("%s: %q says not against what", name, found)
			}
		}
	}
}

// TestFactsAge checks when doctor names a fact: from two months before it may no longer be
// true.
func TestFactsAge(t *testing.T) {
	t.Parallel()
	aging := 0
	for name := range all.Publishers(all.Config{}) {
		f, _ := all.FactsOf(name)
		for _, a := range f.Ages {
			aging++
			if read, _ := time.Parse("2006-01", f.Read); !a.At.After(read) {
				t.Errorf("%s: %s was old when it was read", name, a.What)
			}
			if early, late := all.AgeSoon(name, a.At.AddDate(0, 0, -61)), all.AgeSoon(name, a.At.AddDate(0, 0, -60)); slices.Contains(early, a) || !slices.Contains(late, a) {
				t.Errorf("%s: %v, %v", name, early, late)
			}
		}
	}
	if aging < 3 {
		t.Errorf("%d facts age", aging)
	}
}

// TestGraphEndsAreNamed checks that the end of the version of the Graph API that is used is
// the day that Meta names, and that a version without one is in doubt.
func TestGraphEndsAreNamed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"facebook", "instagram"} {
		for _, a := range facts(t, name).Ages {
			if a.Doubtful || a.When() != "29 July 2028" {
				t.Errorf("%s: %s ends %s", name, a.What, a.When())
			}
		}
	}
	for _, a := range facts(t, "linkedin").Ages {
		if !a.Doubtful || !strings.HasPrefix(a.When(), "about ") {
			t.Errorf("linkedin: %s ends %s", a.What, a.When())
		}
	}
}

func facts(t *testing.T, platform string) all.Facts {
	t.Helper()
	f, known := all.FactsOf(platform)
	if !known || len(f.Ages) == 0 {
		t.Fatalf("%s has no fact that ages", platform)
	}
	return f
}
