package main

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// nodes returns the daemons that use the same database. It returns nil and logs why
// when the list is not available: an older daemon does not have it, and it needs a
// key.
func (a *app) nodes(ctx context.Context, url string) []apiv1.Node {
	at, err := a.chooseContext()
	var c *client.Client
	if err == nil {
		c, err = a.knownClient(url, at)
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
	case schedctl.CodeOf(err) == schedctl.NotFound || a.quiet:
	case schedctl.CodeOf(err) == schedctl.AuthenticationRequired:
		a.tell("the daemons on its database are listed with an API key alone: --api-key-file, SCHEDCTL_API_KEY, or schedctl login")
	default:
		a.tell("the daemons on its database are not listed: %s", oneLine(err.Error()))
	}
	return nil
}

// knownClient returns a client of a daemon that is known to be there, with the
// key that there is, if any.
func (a *app) knownClient(url string, at chosen) (*client.Client, error) {
	e, err := a.endpointAt(url, at)
	if err != nil {
		return nil, err
	}
	return a.connectTo(e)
}

// nodeTable formats nodes below the lines about the daemon.
func (a *app) nodeTable(nodes []apiv1.Node) []byte {
	t := table{header: []string{"NODE", "NAME", "VERSION", "STATE", "STARTED", "SILENT", "LATE"}, status: 3}
	for _, n := range nodes {
		t.rows = append(t.rows, []string{
			n.ID, n.Name, n.Version, nodeState(n), a.shortTime(n.StartedAt), a.span(n.HeartbeatAgeMS), a.span(n.LagMS),
		})
	}
	text := a.render(t)
	if !a.outTerminal {
		var b bytes.Buffer
		for line := range strings.Lines(string(text)) {
			b.WriteString("node\t" + line)
		}
		return b.Bytes()
	}
	return append([]byte("\n"), text...)
}

// nodeState is what a table says of a node.
func nodeState(n apiv1.Node) string {
	switch {
	case n.Self:
		return "this one"
	case n.Alive:
		return "alive"
	}
	return "gone"
}

// span returns milliseconds as a time, rounded for people on a terminal.
func (a *app) span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if a.outTerminal && d > time.Second {
		d = d.Round(time.Second / 10)
	}
	return d.String()
}
