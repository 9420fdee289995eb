package server

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	packaging "github.com/schedctl/schedctl/scripts/package"
)

// launchd is the launchd of this user's session.
type launchd struct{ *cli.App }

func newLaunchd(a *cli.App) launchd { return launchd{a} }

// agentLabel is the name of the agent.
const agentLabel = "org.schedctl.daemon"

func (l launchd) tool() string { return "launchctl" }

func (l launchd) file() string {
	return filepath.Join(l.Getenv("HOME"), "Library", "LaunchAgents", agentLabel+".plist")
}

// agentCommand is what the packaged agent runs.
const agentCommand = "exec schedctl daemon run "

func (l launchd) text(program string, flags []string) string {
	command := "exec " + l.quote(program) + " daemon run "
	for _, f := range flags {
		command += l.quote(f) + " "
	}
	before, rest, _ := strings.Cut(packaging.Agent, "<!-- ")
	_, after, _ := strings.Cut(rest, "-->")
	text := before + "<!-- " + serviceMark + " Remove it with: schedctl daemon uninstall -->" + after
	return strings.Replace(text, agentCommand, command, 1)
}

// quote returns an argument as a word of the shell, in XML.
func (l launchd) quote(arg string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte("'"+strings.ReplaceAll(arg, "'", `'\''`)+"'"))
	return b.String()
}

func (l launchd) domain() string { return fmt.Sprintf("gui/%d", os.Getuid()) }

func (l launchd) agent() string { return l.domain() + "/" + agentLabel }

func (l launchd) ctl(ctx context.Context, args ...string) error {
	_, err := runServiceTool(ctx, l.App, "launchctl", args...)
	return err
}

func (l launchd) loaded(ctx context.Context) bool { return l.ctl(ctx, "print", l.agent()) == nil }

func (l launchd) reach(ctx context.Context) error { return l.ctl(ctx, "print", l.domain()) }

func (l launchd) enable(ctx context.Context) error {
	if err := l.disable(ctx); err != nil {
		return err
	}
	if err := l.ctl(ctx, "enable", l.agent()); err != nil {
		return err
	}
	return l.ctl(ctx, "bootstrap", l.domain(), l.file())
}

func (l launchd) start(ctx context.Context) error {
	if l.loaded(ctx) {
		return l.ctl(ctx, "kickstart", l.agent())
	}
	return l.ctl(ctx, "bootstrap", l.domain(), l.file())
}

// stop keeps the agent loaded. launchd does not restart it, because it exits with
// status 0.
func (l launchd) stop(ctx context.Context) error {
	if !l.loaded(ctx) {
		return nil
	}
	return l.ctl(ctx, "kill", "SIGTERM", l.agent())
}

func (l launchd) disable(ctx context.Context) error {
	if !l.loaded(ctx) {
		return nil
	}
	return l.ctl(ctx, "bootout", l.agent())
}

func (l launchd) removed(context.Context) {}

func (l launchd) log() string {
	return filepath.Join(l.Getenv("HOME"), "Library", "Logs", "schedctl.log")
}

func (l launchd) journal(context.Context) []string { return tailLines(l.log(), 0, logTail) }

func (l launchd) lasting(context.Context) (string, error) { return "", nil }
