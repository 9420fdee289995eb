package packaging

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// onLinux lists the files of every Linux package, as lines that start with a mode and
// an owner and end with a path.
var onLinux = []string{
	"-rwxr-xr-x root /usr/bin/schedctl",
	"-rw-r--r-- root /usr/lib/systemd/system/schedctl.service",
	"-rw-r--r-- root /usr/lib/systemd/system/schedctl.socket",
	"-rw-r--r-- root /usr/lib/sysusers.d/schedctl.conf",
	"-rw-r--r-- root /etc/schedctl/daemon.env",
	"-rw-r--r-- root /usr/share/man/man1/schedctl-post-create.1.gz",
	"-rw-r--r-- root /usr/share/man/man7/schedctl-exit-codes.7.gz",
	"-rw-r--r-- root /usr/share/bash-completion/completions/schedctl",
	"-rw-r--r-- root /usr/share/fish/vendor_completions.d/schedctl.fish",
	"-rw-r--r-- root /usr/share/schedctl/skills/schedctl/SKILL.md",
	"-rw-r--r-- root /usr/share/schedctl/skills/schedctl/references/posts.md",
	"-rw-r--r-- root /usr/share/doc/schedctl/copyright",
}

// checkFiles checks that a listing has the files of every package and the given ones,
// and none that must survive the package's removal.
func checkFiles(t *testing.T, listing string, more ...string) {
	t.Helper()
	for _, want := range append(more, onLinux...) {
		w := strings.Fields(want)
		line := regexp.MustCompile("(?m)^" + w[0] + ` .*\b` + w[1] + `[ /].* (\./|/)?` + regexp.QuoteMeta(w[2][1:]) + "$")
		if !line.MatchString(listing) {
			t.Errorf("the package lacks %s", want)
		}
	}
	if strings.Contains(listing, "var/lib/schedctl") {
		t.Error("the data directory belongs to the package, and would be removed with it")
	}
}

func TestDebianPackagePutsFilesWhereTheyBelong(t *testing.T) {
	t.Parallel()
	path := file(t, ".deb")
	listing := output(t, tool(t, "dpkg-deb"), "--contents", path)
	checkFiles(t, listing, "-rw-r--r-- root /usr/share/zsh/vendor-completions/_schedctl")
	if strings.Contains(listing, "/etc/init.d") {
		t.Error("the package has an OpenRC script")
	}
	if got := output(t, "dpkg-deb", "--info", path, "conffiles"); got != "/etc/schedctl/daemon.env\n" {
		t.Errorf("files that an upgrade leaves alone: %q", got)
	}
}

func TestRPMPackagePutsFilesWhereTheyBelong(t *testing.T) {
	t.Parallel()
	path, rpm := file(t, ".rpm"), tool(t, "rpm")
	listing := output(t, rpm, "--query", "--package", "--list", "--verbose", path)
	checkFiles(t, listing, "-rw-r--r-- root /usr/share/zsh/site-functions/_schedctl")
	if strings.Contains(listing, "/etc/init.d") {
		t.Error("the package has an OpenRC script")
	}
	if got := output(t, rpm, "--query", "--package", "--configfiles", path); got != "/etc/schedctl/daemon.env\n" {
		t.Errorf("files that an upgrade leaves alone: %q", got)
	}
	for _, script := range []string{"postinstall", "preuninstall", "postuninstall"} {
		if !strings.Contains(output(t, rpm, "--query", "--package", "--scripts", path), script+" scriptlet (using /bin/sh):") {
			t.Errorf("the package has no script %s", script)
		}
	}
}

func TestAlpinePackagePutsFilesWhereTheyBelong(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("tar", "--warning=no-unknown-keyword", "-tvzf", file(t, ".apk")).Output()
	if err != nil {
		t.Fatal(err)
	}
	listing := string(out)
	checkFiles(t, listing, "-rw-r--r-- root /usr/share/zsh/site-functions/_schedctl", "-rwxr-xr-x root /etc/init.d/schedctl")
	for _, script := range []string{"post-install", "post-upgrade", "pre-deinstall", "post-deinstall"} {
		if !regexp.MustCompile(`(?m)^-rwxr-xr-x .* \.` + script + "$").MatchString(listing) {
			t.Errorf("the package has no script %s", script)
		}
	}
}
