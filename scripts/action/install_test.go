package action_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestActionInstallsARelease(t *testing.T) {
	t.Parallel()
	p := publish(t)
	r := newRunner(t, p.URL)
	for _, version := range []string{"latest", "1.2.3", "v1.2.3"} {
		res := r.use(map[string]string{"version": version})
		if res.err != nil || !strings.HasPrefix(res.log, "schedctl 1.2.3 (") || !strings.Contains(res.files, r.temp) {
			t.Errorf("version %s: %v\n%s%s", version, res.err, res.log, res.files)
		}
	}
	if n := p.requests(); n != 4 {
		t.Errorf("%d files were downloaded for 2 versions", n)
	}
}

func TestActionRefusesForeignArchives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, content string
		env           map[string]string
		version       string
		says          string
	}{
		"another archive":     {file: "schedctl_linux_amd64.tar.gz", content: "wrong content", says: "::error title=schedctl::schedctl_linux_amd64.tar.gz is not what checksums.txt says: "},
		"no checksum":         {file: "checksums.txt", content: "0000  schedctl_linux_amd64.tar.gz.sbom\n", says: ", and not any"},
		"no such version":     {version: "9.9.9", says: "::error title=schedctl::checksums.txt of version 9.9.9 cannot be downloaded from "},
		"no version":          {version: "../evil", says: `version "../evil" is no version; write 1.2.3, or latest`},
		"no such machine":     {env: map[string]string{"RUNNER_ARCH": "X86"}, says: "there is no release for X86"},
		"no such system":      {env: map[string]string{"RUNNER_OS": "Plan9"}, says: "there is no release for Plan9"},
		"archive not there":   {env: map[string]string{"RUNNER_ARCH": "ARM64"}, says: "schedctl_linux_arm64.tar.gz of version latest cannot be downloaded from "},
		"nobody at the other": {env: map[string]string{"SCHEDCTL_DOWNLOADS": "http://127.0.0.1:1"}, says: "cannot be downloaded from http://127.0.0.1:1/latest/download"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := publish(t)
			if c.file != "" {
				p.replace(c.file, []byte(c.content))
			}
			r := newRunner(t, p.URL)
			for key, value := range c.env {
				r.env[key] = value
			}
			version := c.version
			if version == "" {
				version = "latest"
			}
			res := r.use(map[string]string{"version": version, "command": "version"})
			if res.err == nil || !strings.Contains(res.log, c.says) {
				t.Errorf("%v\n%s\nwant %s", res.err, res.log, c.says)
			}
			if left, err := filepath.Glob(filepath.Join(r.temp, "schedctl*")); err != nil || len(left) > 0 || res.files != "" {
				t.Errorf("it left %q and wrote %q for the runner: %v", left, res.files, err)
			}
		})
	}
}

func TestActionUnpacksTheArchiveOfWindows(t *testing.T) {
	t.Parallel()
	r := newRunner(t, publish(t).URL)
	r.env["RUNNER_OS"] = "Windows"
	res := r.use(nil)
	// The program that Windows would start has another name on this system.
	if left, _ := filepath.Glob(filepath.Join(r.temp, "schedctl-latest", "schedctl.exe")); len(left) != 1 {
		t.Errorf("%v\n%s", res.err, res.log)
	}
}
