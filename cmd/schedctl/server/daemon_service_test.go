package server

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	packaging "github.com/schedctl/schedctl/scripts/package"
)

// systemSettings are the settings of the packaged unit that only the system's
// systemd can keep, or that have a meaning for its user alone.
var systemSettings = strings.Fields(`
	Wants After EnvironmentFile Environment LoadCredential User Group StateDirectory StateDirectoryMode
	CapabilityBoundingSet AmbientCapabilities ProtectSystem ProtectHome PrivateTmp PrivateDevices PrivateUsers DevicePolicy
	ProtectHostname ProtectKernelLogs ProtectKernelModules ProtectKernelTunables ProtectControlGroups ProtectProc RemoveIPC KeyringMode
	SystemCallFilter SystemCallErrorNumber`)

// Each setting of the packaged unit holds for the service of a user or does not:
// none is forgotten.
func TestUserUnitFollowsThePackagedUnit(t *testing.T) {
	t.Parallel()
	a := &cli.App{System: testSystem(t)}
	unit := newSystemd(a).text("/usr/bin/schedctl", []string{"--listen=127.0.0.1:8080"})
	for line := range strings.Lines(packaging.Unit) {
		name, _, setting := strings.Cut(strings.TrimSpace(line), "=")
		if !setting || strings.HasPrefix(name, "#") || name == "ExecStart" || name == "WantedBy" {
			continue
		}
		kept, dropped := slices.Contains(userSettings, name), slices.Contains(systemSettings, name)
		if kept == dropped {
			t.Errorf("%s: for users %t, for the system alone %t", name, kept, dropped)
		}
		if strings.Contains(unit, "\n"+line) != kept {
			t.Errorf("the unit of a user has the wrong %s:\n%s", name, unit)
		}
	}
	if want := `ExecStart="/usr/bin/schedctl" daemon run "--listen=127.0.0.1:8080"` + "\n"; !strings.Contains(unit, want) {
		t.Errorf("want %sin\n%s", want, unit)
	}
}

func TestUnitWordsAreQuoted(t *testing.T) {
	t.Parallel()
	s := newSystemd(&cli.App{})
	for arg, want := range map[string]string{
		"plain": `"plain"`, "a b": `"a b"`, `a"b\c`: `"a\"b\\c"`, "100%": `"100%%"`, "$HOME": `"$$HOME"`, "a\nb": `"a\nb"`,
	} {
		if got := s.quote(arg); got != want {
			t.Errorf("%q: got %s, want %s", arg, got, want)
		}
	}
}

// texts returns the text of each element of an XML document with this name.
func texts(t *testing.T, document, name string) (found []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("%v:\n%s", err, document)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == name {
			var text string
			if err := d.DecodeElement(&text, &start); err != nil {
				t.Fatal(err)
			}
			found = append(found, text)
		}
	}
}

// The agent runs the program and the flags that it was given, whatever is in them.
func TestAgentRunsTheFlags(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	a := &cli.App{System: testSystem(t)}
	flags := []string{"--data-dir=/Users/o'neil/my <posts> & \"more\"", "--listen=$HOME:1"}
	agent := newLaunchd(a).text("/opt/my tools/schedctl", flags)
	if strings.Count(agent, "<!--") != 1 || !strings.Contains(agent, serviceMark) {
		t.Errorf("the agent does not say who wrote it:\n%s", agent)
	}
	if !runsOn(newLaunchd(a), agent, "/Users/o'neil/my <posts> & \"more\"") || runsOn(newLaunchd(a), agent, "/Users/o'neil") {
		t.Errorf("the data directory is not found in\n%s", agent)
	}
	strs := texts(t, agent, "string")
	i := slices.IndexFunc(strs, func(s string) bool { return strings.Contains(s, "daemon run") })
	if i < 0 {
		t.Fatalf("no command in %q", strs)
	}
	_, command, _ := strings.Cut(strs[i], "exec ")
	command, _, _ = strings.Cut(command, "2>>")
	out, err := exec.Command("sh", "-c", `printf '%s\n' `+command).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{"/opt/my tools/schedctl", "daemon", "run"}, flags...)
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(out)), "\n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestAgentIsLoadedOnce checks the calls of launchctl for loaded and other agents.
func TestAgentIsLoadedOnce(t *testing.T) {
	t.Parallel()
	for _, loaded := range []bool{false, true} {
		var calls []string
		a := &cli.App{System: testSystem(t)}
		a.RunTool = func(_ context.Context, _ []string, name string, args ...string) ([]byte, error) {
			if args[0] == "print" {
				if !loaded {
					return nil, errors.New("not loaded")
				}
				return nil, nil
			}
			calls = append(calls, name+" "+args[0])
			return nil, nil
		}
		l := newLaunchd(a)
		for verb, want := range map[string]map[bool][]string{
			"enable":  {false: {"launchctl enable", "launchctl bootstrap"}, true: {"launchctl bootout", "launchctl enable", "launchctl bootstrap"}},
			"start":   {false: {"launchctl bootstrap"}, true: {"launchctl kickstart"}},
			"stop":    {true: {"launchctl kill"}},
			"disable": {true: {"launchctl bootout"}},
		} {
			calls = nil
			do := map[string]func(context.Context) error{"enable": l.enable, "start": l.start, "stop": l.stop, "disable": l.disable}[verb]
			if err := do(t.Context()); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want[loaded], calls); diff != "" {
				t.Errorf("%s, loaded %t: -want +got:\n%s", verb, loaded, diff)
			}
		}
	}
}

// testSystem returns a system without an environment.
func testSystem(t *testing.T) cli.System {
	return cli.System{
		Getenv: func(string) string { return "" }, Environ: func() []string { return nil },
		ConfigHome: t.TempDir(), StateHome: t.TempDir(),
	}
}
