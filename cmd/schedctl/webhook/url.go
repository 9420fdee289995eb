package webhook

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// hookURL is the --url of commands about webhooks. In other commands, --url is the
// address of the daemon.
type hookURL struct{ given []string }

func (o *hookURL) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.given, "url", nil, "where to send events, an https:// or http:// `URL`")
}

// daemonURLHelp explains how to give the daemon's address.
const daemonURLHelp = `Here --url is the URL of the receiver. In other commands it is the URL of the daemon,
which comes from the context or SCHEDCTL_URL here.`

// value returns the URL, or an empty text. It refuses two values, because one of them
// is probably the daemon's address, and the command would change the wrong daemon.
func (o *hookURL) value() (string, error) {
	switch len(o.given) {
	case 0:
		return "", nil
	case 1:
		return o.given[0], nil
	}
	return "", cli.UsageError("--url is given twice, and is where events go here").WithHint("say where the daemon is with SCHEDCTL_URL or --context")
}
