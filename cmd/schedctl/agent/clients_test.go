package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
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
				false: "{\n  // mine\n  \"inputs\": [],\n  \"mcpServers\": {\"other\": {\"command\": \"y\"}, \"schedctl\": {\"command\": \"old\"}},\n  \"servers\": {\"other\": {\"command\": \"y\"},},\n}\n",
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
		`{`:                               inJSON("servers"),
		`[]`:                              inJSON("servers"),
		`{"servers": []}`:                 inJSON("servers"),
		`mcp_servers = {a = {url = "x"}}`: inTOML,
		"[mcp_servers]\nschedctl = {command = \"x\"}":  inTOML,
		"[mcp_servers.schedctl\nbroken":                inTOML,
		"x = \"\"\"\n[mcp_servers.schedctl]\n\"\"\"\n": inTOML,
	} {
		if got, err := add([]byte(text), started); err == nil {
			t.Errorf("%s becomes %s", text, got)
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
		if diff := cmp.Diff(withoutServer(before), withoutServer(after), cmpopts.EquateNaNs()); diff != "" {
			t.Error(diff)
		}
	})
}
