package packaging

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the top of the source tree.
const root = "../.."

// release builds the release files for this machine, once, and returns their directory.
func release(t *testing.T) string {
	t.Helper()
	tool(t, "goreleaser")
	dist, err := buildRelease()
	if err != nil {
		t.Fatal(err)
	}
	return dist
}

var buildRelease = sync.OnceValues(func() (string, error) {
	dir, err := makeScratch()
	if err != nil {
		return "", err
	}
	if err := copySources(dir); err != nil {
		return "", err
	}
	others, err := standIns()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(find("goreleaser"), "release", "--snapshot", "--skip=publish")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOMEBREW_TAP_TOKEN=none", "RELEASE_DIR="+dir, "PATH="+others+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("goreleaser: %w\n%s", err, out)
	}
	return filepath.Join(dir, "dist"), nil
})

// standIns returns a directory of programs that replace those which need an account or
// a container daemon.
func standIns() (string, error) {
	dir, err := makeScratch()
	if err != nil {
		return "", err
	}
	script, err := filepath.Abs("testdata/stand-in.sh")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"cosign", "docker", "syft"} {
		if err := os.Symlink(script, filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// copySources copies the source tree, so that the build leaves it unchanged, and limits
// .goreleaser.yaml to this kind of machine.
func copySources(dir string) error {
	copy := exec.Command("sh", "-c", `git ls-files -co --exclude-standard -z | tar --null --ignore-failed-read -T - -cf - | tar -xf - -C "$0"`, dir)
	copy.Dir = root
	if out, err := copy.CombinedOutput(); err != nil {
		return fmt.Errorf("copy the sources: %w\n%s", err, out)
	}
	path := filepath.Join(dir, ".goreleaser.yaml")
	config, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	config = regexp.MustCompile(`goos: \[.*\]`).ReplaceAll(config, []byte("goos: ["+runtime.GOOS+"]"))
	config = regexp.MustCompile(`goarch: \[.*\]`).ReplaceAll(config, []byte("goarch: ["+runtime.GOARCH+"]"))
	config = regexp.MustCompile(`platforms: \[.*\]`).ReplaceAll(config, []byte("platforms: [linux/"+runtime.GOARCH+"]"))
	return os.WriteFile(path, config, 0o600)
}

// file returns the release file with this suffix, which must be unique.
func file(t *testing.T, ending string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(release(t), "*"+ending))
	if err != nil || len(found) != 1 {
		t.Fatalf("files that end with %s: %q, %v", ending, found, err)
	}
	return found[0]
}

func TestReleaseIsDescribedWithoutDeprecatedKeys(t *testing.T) {
	t.Parallel()
	goreleaser := tool(t, "goreleaser")
	cmd := exec.Command(goreleaser, "check", ".goreleaser.yaml")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(bytes.ToUpper(out), []byte("DEPRECATED")) {
		t.Errorf("goreleaser check: %v\n%s", err, out)
	}
}

func TestArchiveIsComplete(t *testing.T) {
	t.Parallel()
	names := strings.Fields(output(t, "tar", "-tzf", file(t, ".tar.gz")))
	for _, want := range []string{
		"schedctl", "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "docs/install.md", "docs/reliability.md",
		"skills/schedctl/SKILL.md", "skills/schedctl/references/posts.md",
		"completions/_schedctl", "completions/schedctl.bash", "completions/schedctl.fish", "completions/schedctl.ps1",
		"man/man1/schedctl.1.gz", "man/man1/schedctl-post-create.1.gz", "man/man7/schedctl-exit-codes.7.gz",
		"service/schedctl.service", "service/schedctl.socket", "service/org.schedctl.daemon.plist",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("the archive lacks %s", want)
		}
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".go") {
			t.Errorf("the archive contains %s", name)
		}
	}
}

func TestChecksumsAreThoseOfTheFiles(t *testing.T) {
	t.Parallel()
	sums := map[string]string{}
	text, err := os.ReadFile(file(t, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	want := map[string]string{}
	for _, ending := range []string{".tar.gz", ".deb", ".rpm", ".apk", ".tar.gz.sbom.json", ".deb.sbom.json", ".rpm.sbom.json", ".apk.sbom.json"} {
		path := file(t, ending)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want[filepath.Base(path)] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	if diff := cmp.Diff(want, sums); diff != "" {
		t.Errorf("checksums.txt (-files +said)\n%s", diff)
	}
}

// TestSignatureMatchesReleasedChecksums guards against a checksum file that is
// rewritten after it was signed.
func TestSignatureMatchesReleasedChecksums(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile(file(t, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := os.ReadFile(file(t, "checksums.txt.sigstore.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(signed), string(sums)); diff != "" {
		t.Errorf("checksums.txt (-as signed +as released)\n%s", diff)
	}
}

func TestImageIsBuiltFromTheRecipe(t *testing.T) {
	t.Parallel()
	recipe, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	built, err := os.ReadFile(filepath.Join(release(t), "image", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(recipe), string(built)); diff != "" {
		t.Errorf("the recipe (-ours +used)\n%s", diff)
	}
	program := filepath.Join(release(t), "image", "linux", runtime.GOARCH, "schedctl")
	if got := output(t, program, "version"); !strings.HasPrefix(got, "schedctl 0.0.0-SNAPSHOT-none (") {
		t.Errorf("the program for the image reports %s", got)
	}
}
func TestCaskNamesFilesOfTheArchive(t *testing.T) {
	t.Parallel()
	names := strings.Fields(output(t, "tar", "-tzf", file(t, ".tar.gz")))
	cask, err := os.ReadFile(filepath.Join(release(t), "homebrew", "Casks", "schedctl.rb"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^  (?:binary|manpage|\w+_completion) "(.+)"$`).FindAllSubmatch(cask, -1)
	if len(found) != 5 {
		t.Errorf("the cask installs %d files\n%s", len(found), cask)
	}
	for _, f := range found {
		if !slices.Contains(names, string(f[1])) {
			t.Errorf("the cask installs %s, which the archive lacks", f[1])
		}
	}
}
