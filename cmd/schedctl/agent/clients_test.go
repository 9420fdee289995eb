package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tailscale/hujson"

	"github.com/schedctl/schedctl/scripts/cost"
)

var update = flag.Bool("update", false, "write the golden files")

// started is how a client starts schedctl in these tests.
var started = server{Type: "stdio", Command: "/usr/bin/schedctl", Args: []string{"mcp", "--url", "http://127.0.0.1:7733", "--api-key-file", "/home/me/agent key"}}

// TestConfigurations compares the configuration of each client, new and changed, with files
// in the formats that the vendors document.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	for _, c := range mcpClients {
		for kind, before := range map[string]string{
			"new": "",
			"changed": map[bool]string{
				true:  "# my settings\nmodel = \"x\"\n\n[mcp_servers.schedctl]\ncommand = \"old\"\n\n[mcp_servers.schedctl.env]\nA = \"b\"\n\n# of another\n[mcp_servers.other]\ncommand = \"y\"\n",
				false: "{\n  // mine\n  \"inputs\": [],\n  \"mcpServers\": {\"other\": {\"command\": \"y\"}, \"schedctl\": {\"command\": \"old\", \"env\": {\"A\": \"b\"}}},\n  \"servers\": {\"other\": {\"command\": \"y\"},},\n}\n",
			}[c.name == "codex"],
		} {
			got, err := c.add([]byte(before), started)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			golden := filepath.Join("testdata", c.name+"."+kind)
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", golden, diff)
			}
			if again, err := c.add(got, started); err != nil || !bytes.Equal(again, got) {
				t.Errorf("%s: a repetition gives %q, %v", golden, again, err)
			}
		}
	}
}

func TestUnreadableConfigurationsAreKept(t *testing.T) {
	t.Parallel()
	for text, add := range map[string]func([]byte, server) ([]byte, error){
		`{`:                              inJSON("servers"),
		`[]`:                             inJSON("servers"),
		`{"servers": {}, "servers": {}}`: inJSON("servers"),
		`{"servers": {"schedctl": 1, "sched\u0063tl": 2}}`:    inJSON("servers"),
		`{"servers": {"schedctl": {"args": [], "args": []}}}`: inJSON("servers"),
		`{"servers": []}`:                              inJSON("servers"),
		`mcp_servers = {a = {url = "x"}}`:              inTOML,
		"[mcp_servers]\nschedctl = {command = \"x\"}":  inTOML,
		"[mcp_servers.schedctl\nbroken":                inTOML,
		"x = \"\"\"\n[mcp_servers.schedctl]\n\"\"\"\n": inTOML,
	} {
		if got, err := add([]byte(text), started); err == nil {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}

// TestErrorsNameTheFile guards that an error names the configuration, and not the temporary
// file that replaces it.
func TestErrorsNameTheFile(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("this system has no directory in which no files can be created")
	}
	if err := replace("/proc/mcp.json", nil); err == nil || !strings.Contains(err.Error(), "/proc/mcp.json:") {
		t.Errorf("the error is %v", err)
	}
}

// TestEntriesAreKept guards what an existing entry has besides its command, and that a mark
// at the start of a file is no error.
func TestEntriesAreKept(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		add          func([]byte, server) ([]byte, error)
		before, want string
	}{
		{inJSON("servers"), "\ufeff" + `{"servers": {"schedctl": {"url": "https://x.test", "headers": {"a": "b"}, "env": {"A": "b"}, "disabled": true}}}`,
			`{"servers":{"schedctl":{"env":{"A":"b"},"disabled":true,"type":"stdio","command":"c","args":["mcp"]}}}`},
		{inJSON("servers"), `{"servers": {"schedctl": null}}`, `{"servers":{"schedctl":{"type":"stdio","command":"c","args":["mcp"]}}}`},
		{inTOML, "\ufeff[mcp_servers.schedctl]\ncommand = \"old\"\n# why\nargs = [\n  \"x\",\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.schedctl.env]\nA = \"b\"\n",
			"[mcp_servers.schedctl]\ncommand = \"c\"\nargs = [\"mcp\"]\n# why\nstartup_timeout_sec = 20\n\n[mcp_servers.schedctl.env]\nA = \"b\"\n"},
		{inTOML, "[mcp_servers.schedctl]\nurl = \"https://x.test\"\n[mcp_servers.schedctl.http_headers]\nA = \"b\"\n[mcp_servers.schedctl.env]\nC = \"d\"\n",
			"[mcp_servers.schedctl]\ncommand = \"c\"\nargs = [\"mcp\"]\n[mcp_servers.schedctl.env]\nC = \"d\"\n"},
	} {
		got, err := tc.add([]byte(tc.before), server{Type: "stdio", Command: "c", Args: []string{"mcp"}})
		if err != nil {
			t.Errorf("%s: %v", tc.before, err)
			continue
		}
		if tc.want[0] == '{' {
			var plain bytes.Buffer
			if err := json.Compact(&plain, got); err != nil {
				t.Fatal(err)
			}
			got = plain.Bytes()
		}
		if diff := cmp.Diff(tc.want, string(got)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tc.before, diff)
		}
	}
}

// FuzzInJSON guards that a configuration keeps all other members, and that a repetition
// changes nothing.
func FuzzInJSON(f *testing.F) {
	f.Add([]byte(`{"servers": {"a": {"url": "x"}}, "b": [1, 2]}`))
	f.Add([]byte("{/* x */ \"servers\": {\"schedctl\": 1,},}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer cost.Check(t, len(text))()
		got, err := inJSON("servers")(text, started)
		if err != nil {
			t.Skip()
		}
		again, err := inJSON("servers")(got, started)
		before, after := members(t, text), members(t, got)
		if diff := cmp.Diff(after, members(t, again)); err != nil || diff != "" {
			t.Errorf("a repetition changes it: %v\n%s", err, diff)
		}
		delete(before, "servers")
		delete(after, "servers")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
}

// members returns the members of a JSON object with comments; none for an empty text.
func members(t *testing.T, text []byte) map[string]any {
	t.Helper()
	m := map[string]any{}
	if len(bytes.TrimSpace(text)) == 0 {
		return m
	}
	plain, err := hujson.Standardize(text)
	if err == nil {
		err = json.Unmarshal(plain, &m)
	}
	if err != nil {
		t.Skip("encoding/json reads it in another way")
	}
	return m
}

// FuzzInTOML guards that the result is TOML with all other values, and that a repetition
// changes nothing.
func FuzzInTOML(f *testing.F) {
	f.Add([]byte("a = 1\n[mcp_servers.schedctl]\nx = 2\n[b]\nc = 3\n"))
	f.Add([]byte("[mcp_servers.\"schedctl\"]\n[mcp_servers.schedctl.env]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer cost.Check(t, len(text))()
		got, err := inTOML(text, started)
		if err != nil {
			t.Skip()
		}
		again, err := inTOML(got, started)
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("a repetition gives %q after %q: %v", again, got, err)
		}
		var before, after map[string]any
		if err := errors.Join(toml.Unmarshal(text, &before), toml.Unmarshal(got, &after)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(withoutCommand(before), withoutCommand(after), cmpopts.EquateNaNs()); diff != "" {
			t.Error(diff)
		}
	})
}
