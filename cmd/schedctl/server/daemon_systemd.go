package server

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	packaging "github.com/schedctl/schedctl/scripts/package"
)

// systemd is the systemd of this user.
type systemd struct{ *cli.App }

func newSystemd(a *cli.App) systemd { return systemd{a} }

// unitName is the name of the unit, for all commands of systemd.
const unitName = "schedctl.service"

func (s systemd) tool() string { return "systemctl" }

func (s systemd) file() string { return filepath.Join(s.ConfigHome, "systemd", "user", unitName) }

// userSettings are the settings of the packaged unit that also apply to a service of a
// user. They include the confinement settings that need no privileges.
var userSettings = strings.Fields(`
	Description Documentation
	Type NotifyAccess UMask TimeoutStartSec TimeoutStopSec WatchdogSec Restart RestartSec
	NoNewPrivileges RestrictAddressFamilies RestrictNamespaces RestrictRealtime RestrictSUIDSGID
	LockPersonality MemoryDenyWriteExecute SystemCallArchitectures`)

func (s systemd) text(program string, flags []string) string {
	var b strings.Builder
	b.WriteString("# " + serviceMark + " Remove it with: schedctl daemon uninstall\n")
	for line := range strings.Lines(packaging.Unit) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case strings.HasPrefix(name, "["):
			b.WriteString("\n" + line)
		case name == "ExecStart":
			b.WriteString("ExecStart=" + s.quote(program) + " daemon run")
			for _, f := range flags {
				b.WriteString(" " + s.quote(f))
			}
			b.WriteString("\n")
		case name == "WantedBy":
			b.WriteString("WantedBy=default.target\n")
		case slices.Contains(userSettings, name):
			b.WriteString(line)
		}
	}
	return b.String()
}

// unitEscapes escapes the special characters in a quoted argument of ExecStart
// (systemd.service(5)).
var unitEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`)

func (s systemd) quote(arg string) string { return `"` + unitEscapes.Replace(arg) + `"` }

// ctl runs systemctl for the user manager.
func (s systemd) ctl(ctx context.Context, args ...string) error {
	_, err := runServiceTool(ctx, s.App, "systemctl", append([]string{"--user"}, args...)...)
	return err
}

func (s systemd) reach(ctx context.Context) error { return s.ctl(ctx, "daemon-reload") }

func (s systemd) enable(ctx context.Context) error {
	for _, args := range [][]string{{"daemon-reload"}, {"enable", unitName}, {"restart", unitName}} {
		if err := s.ctl(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

func (s systemd) start(ctx context.Context) error { return s.ctl(ctx, "start", unitName) }

func (s systemd) stop(ctx context.Context) error { return s.ctl(ctx, "stop", unitName) }

func (s systemd) disable(ctx context.Context) error { return s.ctl(ctx, "disable", "--now", unitName) }

func (s systemd) removed(ctx context.Context) { s.ctl(ctx, "daemon-reload") }

func (s systemd) log() string { return "journalctl --user -u " + unitName }

func (s systemd) journal(ctx context.Context) []string {
	text, err := runServiceTool(ctx, s.App, "journalctl", "--user", "-u", unitName, "-n", "10", "-o", "cat", "--no-pager")
	if err != nil || text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func (s systemd) lasting(ctx context.Context) (string, error) {
	linger, err := runServiceTool(ctx, s.App, "loginctl", "show-user", "--property=Linger", "--value", strconv.Itoa(os.Getuid()))
	if err != nil || linger == "yes" {
		return "", err
	}
	return "loginctl enable-linger", nil
}
