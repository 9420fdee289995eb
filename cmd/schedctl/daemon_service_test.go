package main

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
	a := &app{system: newMachine(t, nil).system}
	unit := a.systemd().text("/usr/bin/schedctl", []string{"--listen=127.0.0.1:8080"})
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
	s := (&app{}).systemd()
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
	a := &app{system: newMachine(t, nil).system}
	flags := []string{"--data-dir=/Users/o'neil/my <posts> & \"more\"", "--listen=$HOME:1"}
	agent := a.launchd().text("/opt/my tools/schedctl", flags)
	if strings.Count(agent, "<!--") != 1 || !strings.Contains(agent, serviceMark) {
		t.Errorf("the agent does not say who wrote it:\n%s", agent)
	}
	if !runsOn(a.launchd(), agent, "/Users/o'neil/my <posts> & \"more\"") || runsOn(a.launchd(), agent, "/Users/o'neil") {
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
		a := &app{system: newMachine(t, nil).system}
		a.runTool = func(_ context.Context, _ []string, name string, args ...string) ([]byte, error) {
			if args[0] == "print" {
				if !loaded {
					return nil, errors.New("not loaded")
				}
				return nil, nil
			}
			calls = append(calls, name+" "+args[0])
			return nil, nil
		}
		l := a.launchd()
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

// Where there is no service manager that schedctl knows, it says what to do.
func TestServicesOfOtherSystems(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	m.goos = "freebsd"
	m.want(t, 1, "", "schedctl: schedctl does not install services on freebsd; let the service manager of this system run \"schedctl daemon run\"\n", "daemon", "install")
	m.goos = "linux"
	m.hasTool = func(string) bool { return false }
	m.want(t, 1, "", "schedctl: there is no systemctl on this machine; log in as this user first, or start the daemon without a service: schedctl daemon start\n", "daemon", "install")
	m.goos = "windows"
	for _, verb := range []string{"start", "stop", "restart", "install", "uninstall"} {
		if status := m.run(t, "daemon", verb); status != 1 || !strings.Contains(m.err.String(), "schtasks /Create /SC ONLOGON") {
			t.Errorf("%s: exit status %d: %s", verb, status, &m.err)
		}
	}
}
