package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

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
	// add returns a configuration with the server. Everything else in it stays, also what an
	// existing entry of the server has besides, such as its environment.
	add func(text []byte, s server) ([]byte, error)
}

// mcpClients are the known clients. The formats are from the documentation of their vendors,
// in November 2026; testdata has a file in each:
//
//   - claude: code.claude.com/docs/en/mcp, "mcpServers" in .mcp.json.
//   - cursor: docs.cursor.com/context/mcp, "mcpServers" in .cursor/mcp.json.
//   - vscode: code.visualstudio.com/docs/copilot/reference/mcp-configuration, "servers" in
//     .vscode/mcp.json, with comments and trailing commas.
//   - codex: developers.openai.com/codex/mcp, tables [mcp_servers.NAME] in config.toml.
//   - generic: the form of claude, which most other clients read.
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
		if text = withoutMark(text); len(bytes.TrimSpace(text)) == 0 {
			text = []byte("{}")
		}
		doc, err := hujson.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
		}
		if doc.Value.Kind() != '{' {
			return nil, fmt.Errorf("it is not a JSON object")
		}
		steps, err := patchOf(&doc, "/"+object, s)
		if err != nil {
			return nil, err
		}
		if err := doc.Patch([]byte("[" + strings.Join(steps, ",") + "]")); err != nil {
			return nil, err
		}
		doc.Format()
		return doc.Pack(), nil
	}
}

// withoutMark returns a text without a byte order mark, which editors on Windows write.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// addStep is the step of a JSON Patch (RFC 6902) that sets a value, whose lines stay.
func addStep(path string, value any) string {
	text, _ := json.MarshalIndent(value, "", "\t") // texts and lists of them cannot fail
	return fmt.Sprintf(`{"op": "add", "path": %q, "value": %s}`, path, text)
}

// patchOf returns the steps that set the server in the object at a path. What an existing
// entry of the server has besides stays, unless it is for a server at a URL.
func patchOf(doc *hujson.Value, path string, s server) ([]string, error) {
	own := path + "/" + serverName
	for _, at := range []string{"", path, own} {
		found := doc.Find(at)
		if found == nil {
			continue
		}
		object, is := found.Value.(*hujson.Object)
		if !is && at == path {
			return nil, fmt.Errorf("%s in it is not a JSON object", strings.TrimPrefix(path, "/"))
		}
		if is {
			if name := twice(object); name != "" {
				return nil, fmt.Errorf("it has %q twice, so programs read it in different ways; remove one", name)
			}
		}
	}
	if doc.Find(path) == nil {
		return []string{addStep(path, map[string]server{serverName: s})}, nil
	}
	if found := doc.Find(own); found == nil || found.Value.Kind() != '{' {
		return []string{addStep(own, s)}, nil
	}
	steps := []string{addStep(own+"/type", s.Type), addStep(own+"/command", s.Command), addStep(own+"/args", s.Args)}
	for _, name := range ofURL {
		if doc.Find(own+"/"+name) != nil {
			steps = append(steps, fmt.Sprintf(`{"op": "remove", "path": %q}`, own+"/"+name))
		}
	}
	return steps, nil
}

// ofURL are the keys of a server at a URL, which exclude a command.
var ofURL = []string{"url", "headers", "http_headers", "env_http_headers", "bearer_token_env_var"}

// twice returns the first name that an object has twice, or an empty text.
func twice(object *hujson.Object) string {
	seen := map[string]bool{}
	for _, m := range object.Members {
		name := m.Name.Value.(hujson.Literal).String()
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}
