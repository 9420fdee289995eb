package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
)

// serverName is the name of schedctl in the configuration of a client.
const serverName = "schedctl"

// server is how a client starts schedctl.
type server struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// mcpClient is a program that agents run in.
type mcpClient struct {
	name string
	file string // its configuration, in the directory of the project; ~ is the home directory
	// add returns a configuration with the server. Everything else in it stays.
	add func(text []byte, s server) ([]byte, error)
}

// mcpClients are the known clients. The formats are from the documentation of their vendors,
// in November 2026: code.claude.com/docs/en/mcp, docs.cursor.com/context/mcp,
// code.visualstudio.com/docs/copilot/reference/mcp-configuration and
// developers.openai.com/codex/mcp.
var mcpClients = []mcpClient{
	{name: "claude", file: ".mcp.json", add: inJSON("mcpServers")},
	{name: "cursor", file: filepath.Join(".cursor", "mcp.json"), add: inJSON("mcpServers")},
	{name: "vscode", file: filepath.Join(".vscode", "mcp.json"), add: inJSON("servers")},
	{name: "codex", file: filepath.Join("~", ".codex", "config.toml"), add: inTOML},
	{name: "generic", add: inJSON("mcpServers")},
}

func clientNames() (names []string) {
	for _, c := range mcpClients {
		names = append(names, c.name)
	}
	return names
}

// inJSON returns a function that sets the server in an object of a JSON file, which may have
// comments and trailing commas, as that of VS Code.
func inJSON(object string) func([]byte, server) ([]byte, error) {
	return func(text []byte, s server) ([]byte, error) {
		if len(bytes.TrimSpace(text)) == 0 {
			text = []byte("{}")
		}
		doc, err := hujson.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
		}
		if doc.Value.Kind() != '{' {
			return nil, fmt.Errorf("it is not a JSON object")
		}
		value, err := json.MarshalIndent(s, "", "\t")
		if err != nil {
			return nil, err
		}
		path := "/" + object
		switch found := doc.Find(path); {
		case found == nil:
			value = fmt.Appendf(nil, "{\n%q: %s\n}", serverName, value)
		case found.Value.Kind() != '{':
			return nil, fmt.Errorf("%s in it is not a JSON object", object)
		default:
			path += "/" + serverName
		}
		if err := doc.Patch(fmt.Appendf(nil, `[{"op": "add", "path": %q, "value": %s}]`, path, value)); err != nil {
			return nil, err
		}
		doc.Format()
		return doc.Pack(), nil
	}
}

// The header of the table of the server in TOML, those of tables below it, those of any
// table, lines that belong to no table, and a table in one line, to which none can be added.
var (
	ownTable = regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*["']?` + serverName + `["']?\s*\]`)
	belowOwn = regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*["']?` + serverName + `["']?\s*\.`)
	anyTable = regexp.MustCompile(`^\s*\[`)
	oneLine  = regexp.MustCompile(`(?m)^\s*mcp_servers\s*=`)
	notes    = regexp.MustCompile(`^\s*(#.*)?\s*$`)
)

// inTOML sets the table of the server in a TOML file. Its keys, and tables below it, are
// replaced. It refuses a file in which the lines of the table cannot be told from others, for
// example because a text of several lines looks like them.
func inTOML(text []byte, s server) ([]byte, error) {
	var before, after map[string]any
	if err := toml.Unmarshal(text, &before); err != nil {
		return nil, fmt.Errorf("it is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	out := replaceTable(text, s)
	err := toml.Unmarshal(out, &after)
	if err == nil && !oneLine.Match(text) && reflect.DeepEqual(withoutServer(before), withoutServer(after)) {
		return out, nil
	}
	return nil, fmt.Errorf("it sets mcp_servers in a form that cannot be changed; write it as [mcp_servers.NAME], or add the server yourself")
}

// withoutServer returns a configuration without the server.
func withoutServer(config map[string]any) map[string]any {
	out := maps.Clone(config)
	if servers, ok := out["mcp_servers"].(map[string]any); ok {
		servers = maps.Clone(servers)
		delete(servers, serverName)
		if out["mcp_servers"] = servers; len(servers) == 0 {
			delete(out, "mcp_servers")
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// replaceTable writes the table of the server in the place of the old one, or at the end.
func replaceTable(text []byte, s server) []byte {
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = tomlText(a)
	}
	table := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", serverName, tomlText(s.Command), strings.Join(args, ", "))
	var out, between strings.Builder // between is comments and empty lines at the end of the table
	placed, own := false, false
	for line := range strings.Lines(string(text)) {
		switch {
		case ownTable.MatchString(line), belowOwn.MatchString(line):
			if own = true; !placed {
				out.WriteString(table)
				placed = true
			}
			between.Reset()
		case anyTable.MatchString(line):
			own = false
		case own && notes.MatchString(line):
			between.WriteString(line)
			continue
		case own:
			between.Reset()
		}
		if !own {
			out.WriteString(between.String() + line)
			between.Reset()
		}
	}
	out.WriteString(between.String())
	if !placed {
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		out.WriteString(table)
	}
	return []byte(out.String())
}

// tomlText quotes a text for TOML, whose escapes are those of JSON.
func tomlText(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(text)
	return strings.TrimSpace(b.String())
}
