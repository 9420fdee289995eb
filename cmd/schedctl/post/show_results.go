package post

import (
	"context"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/resulttext"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// resultLines returns a line with the numbers of each published target, for people. It returns
// none if they cannot be read.
func resultLines(ctx context.Context, a *cli.App, c *client.Client, p apiv1.Post) string {
	published := func(t apiv1.Target) bool { return t.Status == schedctl.Published }
	if !a.OutTerminal || !slices.ContainsFunc(p.Targets, published) {
		return ""
	}
	found, err := c.PostAnalytics(ctx, p.ID)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for i := range found.Targets {
		r := &found.Targets[i]
		b.WriteString(a.Dim(cli.Clip(cli.OneLine(removedMark(r)+r.AccountLabel+": "+resulttext.Line(r, a.Now())), a.Width)) + "\n")
	}
	return b.String()
}
