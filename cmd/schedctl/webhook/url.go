package webhook

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// hookURL is the --url of commands about webhooks. It takes the place of the
// --url that every other command has for the address of the daemon.
type hookURL struct{ given []string }

func (o *hookURL) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.given, "url", nil, "where to send events, an https:// or http:// `URL`")
}

// daemonURLHelp tells where the daemon's address goes.
const daemonURLHelp = `Here --url is where events go; the address of the daemon, which it is elsewhere,
comes from the context or SCHEDCTL_URL.`

// value returns the URL, empty for none. Two of them are refused: one is meant
// for the daemon, and what is done would be done to another one.
func (o *hookURL) value() (string, error) {
	switch len(o.given) {
	case 0:
		return "", nil
	case 1:
		return o.given[0], nil
	}
	f := cli.UsageError("--url is given twice, and is where events go here")
	f.Hint = "say where the daemon is with SCHEDCTL_URL or --context"
	return "", f
}
