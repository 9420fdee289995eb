package schedctl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that SECURITY.md names as the proof of a promise is there.
func TestProofsOfSecurityAreThere(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	proofs := regexp.MustCompile("`go test ((?:\\./\\S+ ?)+)(?: ?-run '?([^'`]+)'?)?`").FindAllStringSubmatch(string(page), -1)
	if len(proofs) < 8 {
		t.Errorf("only %d commands are found", len(proofs))
	}
	for _, proof := range proofs {
		for dir := range strings.FieldsSeq(proof[1]) {
			tests := testsIn(t, dir)
			for name := range strings.SplitSeq(proof[2], `\|`) {
				name, _, _ := strings.Cut(name, "/") // a subtest
				if !regexp.MustCompile(name).MatchString(tests) {
					t.Errorf("%s: no test in %s matches %q", proof[0], dir, name)
				}
			}
		}
	}
}

// testsIn returns the names of the tests of a package.
func testsIn(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no tests (%v)", dir, err)
	}
	var names []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(source), -1) {
			names = append(names, found[1])
		}
	}
	return strings.Join(names, "\n")
}
