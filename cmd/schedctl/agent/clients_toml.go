package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// The header of the table of the server in TOML, those of tables below it, those of any
// table, and a table in one line, to which none can be added.
var (
	ownTable = regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*["']?` + serverName + `["']?\s*\]`)
	belowOwn = regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*["']?` + serverName + `["']?\s*\.`)
	belowURL = regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*["']?` + serverName + `["']?\s*\.\s*["']?(` + strings.Join(ofURL, "|") + `)["']?\s*\]`)
	anyTable = regexp.MustCompile(`^\s*\[`)
	oneLine  = regexp.MustCompile(`(?m)^\s*mcp_servers\s*=`)
)

// inTOML sets the command of the server in a TOML file. Other keys of its table, and tables
// below it such as its environment, stay. It refuses a file in which the lines of the table
// cannot be told from others, for example because a text of several lines looks like them.
func inTOML(text []byte, s server) ([]byte, error) {
	var before, after map[string]any
	text = withoutMark(text)
	if err := toml.Unmarshal(text, &before); err != nil {
		return nil, fmt.Errorf("it is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	out := replaceTable(text, s)
	err := toml.Unmarshal(out, &after)
	if err == nil && !oneLine.Match(text) && starts(after, s) && reflect.DeepEqual(withoutCommand(before), withoutCommand(after)) {
		return out, nil
	}
	return nil, fmt.Errorf("it sets mcp_servers in a form that cannot be changed; write it as [mcp_servers.NAME], or add the server yourself")
}

// starts reports whether a configuration starts the server as s says.
func starts(config map[string]any, s server) bool {
	servers, _ := config["mcp_servers"].(map[string]any)
	own, _ := servers[serverName].(map[string]any)
	args, _ := own["args"].([]any)
	return own["command"] == s.Command && slices.EqualFunc(args, s.Args, func(a any, b string) bool { return a == b })
}

// withoutCommand returns a configuration without what inTOML sets and removes, and without
// tables that are empty then.
func withoutCommand(config map[string]any) map[string]any {
	out := maps.Clone(config)
	servers, ok := out["mcp_servers"].(map[string]any)
	if !ok {
		return out
	}
	servers = maps.Clone(servers)
	if own, ok := servers[serverName].(map[string]any); ok {
		own = maps.Clone(own)
		for _, name := range append([]string{"command", "args"}, ofURL...) {
			delete(own, name)
		}
		if servers[serverName] = own; len(own) == 0 {
			delete(servers, serverName)
		}
	}
	if out["mcp_servers"] = servers; len(servers) == 0 {
		delete(out, "mcp_servers")
	}
	return out
}

// replacedKey is the start of a line with a key that is replaced.
var replacedKey = regexp.MustCompile(`^\s*["']?(command|args|` + strings.Join(ofURL, "|") + `)["']?\s*=`)

// replaceTable writes the command of the server at the start of its table, or a table at the
// end.
func replaceTable(text []byte, s server) []byte {
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = tomlText(a)
	}
	table := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", serverName, tomlText(s.Command), strings.Join(args, ", "))
	var out strings.Builder
	lines := slices.Collect(strings.Lines(string(text)))
	placed, own, open, skip := false, false, false, false // open is inside an array of several lines

	for _, line := range lines {
		switch {
		case open:
			open = !strings.Contains(line, "]")
			continue
		case ownTable.MatchString(line):
			skip = false
			if own = true; !placed {
				out.WriteString(table)
				placed = true
			}
			continue
		case belowURL.MatchString(line):
			own, skip = false, true
			continue
		case belowOwn.MatchString(line):
			skip = false
			if own = false; !placed {
				out.WriteString(table + "\n")
				placed = true
			}
		case anyTable.MatchString(line):
			own, skip = false, false
		case skip:
			continue
		case own && replacedKey.MatchString(line):
			_, value, _ := strings.Cut(line, "=")
			open = strings.HasPrefix(strings.TrimSpace(value), "[") && !strings.Contains(value, "]")
			continue
		}
		out.WriteString(line)
	}
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
