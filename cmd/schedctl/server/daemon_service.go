package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// serviceManager runs the daemon as a service of this user.
type serviceManager interface {
	tool() string                                // the program that manages services
	file() string                                // the file that describes the service
	text(program string, flags []string) string  // the content of the file
	quote(arg string) string                     // an argument of the daemon, quoted for the file
	reach(ctx context.Context) error             // nil if it works for this user
	enable(ctx context.Context) error            // start the service now, and at every login
	start(ctx context.Context) error             // start the service until the next stop
	stop(ctx context.Context) error              // stop the service until the next start or login
	disable(ctx context.Context) error           // stop the service and unregister it
	removed(ctx context.Context)                 // called after the file was removed
	log() string                                 // the command or the file that shows its log
	journal(ctx context.Context) []string        // the last lines of its log
	lasting(ctx context.Context) (string, error) // the command that is still needed so that the service outlives the session
}

// serviceMark is a line in every file that "daemon install" writes.
const serviceMark = `Written by "schedctl daemon install".`

// currentServiceManager returns the service manager of this machine.
func currentServiceManager(a *cli.App) (serviceManager, error) {
	switch a.Goos {
	case "linux":
		return newSystemd(a), nil
	case "darwin":
		return newLaunchd(a), nil
	}
	return nil, cli.OtherError("schedctl does not install services on %s", a.Goos).
		WithHint(`let the service manager of this system run "schedctl daemon run"`)
}

// installedService returns the manager of the service that runs the daemon on a data
// directory, or nil when none is installed.
func installedService(a *cli.App, dir string) serviceManager {
	m, err := currentServiceManager(a)
	if err != nil {
		return nil
	}
	text, err := os.ReadFile(m.file())
	if err != nil || !runsOn(m, string(text), dir) {
		return nil
	}
	return m
}

// runsOn reports whether a service runs the daemon on a data directory.
func runsOn(m serviceManager, text, dir string) bool {
	return strings.Contains(text, serviceMark) && strings.Contains(text, m.quote("--"+dataDirFlag+"="+dir))
}

// readService returns the content of the service file, empty if there is none. A file
// that "daemon install" did not write is an error.
func readService(m serviceManager) (string, error) {
	text, err := os.ReadFile(m.file())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case !strings.Contains(string(text), serviceMark):
		return "", cli.NewFailure(cli.ExitConflict, cli.CodeOther, "%s was not written by schedctl daemon install, and stays as it is", m.file()).
			WithHint("move it away first")
	}
	return string(text), nil
}

// runServiceTool runs a program of the service manager and returns what it prints.
func runServiceTool(ctx context.Context, a *cli.App, name string, args ...string) (string, error) {
	env := a.Environ()
	dir := fmt.Sprintf("/run/user/%d", os.Getuid())
	if _, missing := os.Stat(dir); a.Getenv("XDG_RUNTIME_DIR") == "" && missing == nil {
		env = append(env, "XDG_RUNTIME_DIR="+dir) // absent after su or sudo
	}
	out, err := a.RunTool(ctx, env, name, args...)
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	reason := err.Error()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		reason = cli.OneLine(string(exit.Stderr))
	}
	return "", cli.OtherError("%s %s: %s", name, strings.Join(args, " "), reason)
}

// notStarted adds the last lines of the log to the error of a service that did not
// start.
func notStarted(ctx context.Context, a *cli.App, m serviceManager, err error) error {
	showLog(a, m.journal(ctx))
	if f, ok := errors.AsType[*cli.Failure](err); ok && f.Hint == "" {
		f.Hint = "its log: " + m.log() + "; start it again with: schedctl daemon start"
	}
	return err
}

// needsUnix returns an error on Windows, which has no signals and no sessions.
func needsUnix(a *cli.App, command string) error {
	if a.Goos != "windows" {
		return nil
	}
	return cli.OtherError("schedctl %s does not work on Windows", command).
		WithHint(`run "schedctl daemon run" in a window of its own, or at every login with: ` +
			`schtasks /Create /SC ONLOGON /TN schedctl /TR "'` + cli.ProgramPath() + `' daemon run"`)
}

// writeService writes the file of a service.
func writeService(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
