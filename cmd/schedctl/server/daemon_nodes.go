package server

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// listNodes returns the daemons that use the same database. It returns nil and logs why
// when the list is not available: an older daemon does not have it, and it needs a
// key.
func listNodes(ctx context.Context, a *cli.App, url string) []apiv1.Node {
	at, err := a.ChooseContext()
	var c *client.Client
	if err == nil {
		c, err = knownClient(a, url, at)
	}
	if err == nil {
		defer c.Close()
		nodes, asked := c.Nodes(ctx)
		if asked == nil {
			return nodes
		}
		err = asked
	}
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound || a.Quiet:
	case schedctl.CodeOf(err) == schedctl.AuthenticationRequired:
		a.Messagef("to list the daemons on its database, give an API key: --api-key-file, SCHEDCTL_API_KEY, or schedctl login")
	default:
		a.Messagef("the daemons on its database are not listed: %s", cli.OneLine(err.Error()))
	}
	return nil
}

// knownClient returns a client of a running daemon, with the API key if there is one.
func knownClient(a *cli.App, url string, at cli.ContextChoice) (*client.Client, error) {
	e, err := a.EndpointAt(url, at)
	if err != nil {
		return nil, err
	}
	return a.ConnectTo(e)
}

// nodeTable formats nodes below the lines about the daemon.
func nodeTable(a *cli.App, nodes []apiv1.Node) []byte {
	t := cli.Table{Header: []string{"NODE", "NAME", "VERSION", "STATE", "STARTED", "SILENT", "LATE"}, Status: 3}
	for _, n := range nodes {
		t.Rows = append(t.Rows, []string{
			n.ID, n.Name, n.Version, nodeState(n), a.ShortTime(n.StartedAt), spanText(a, n.HeartbeatAgeMS), spanText(a, n.LagMS),
		})
	}
	text := a.RenderTable(t)
	if !a.OutTerminal {
		var b bytes.Buffer
		for line := range strings.Lines(string(text)) {
			b.WriteString("node\t" + line)
		}
		return b.Bytes()
	}
	return append([]byte("\n"), text...)
}

// nodeState returns the state of a node for the table.
func nodeState(n apiv1.Node) string {
	switch {
	case n.Self:
		return "this one"
	case n.Alive:
		return "alive"
	}
	return "gone"
}

// spanText formats milliseconds as a duration, rounded on a terminal.
func spanText(a *cli.App, ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if a.OutTerminal && d > time.Second {
		d = d.Round(time.Second / 10)
	}
	return d.String()
}
