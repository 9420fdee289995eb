package post

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// labelFlags are the flags for the labels of a post.
type labelFlags struct {
	labels []string
	none   bool
}

func (l *labelFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&l.labels, "label", nil, "a label `text`, for example the name of a campaign (repeatable)")
}

// addNone defines --no-labels, for posts that may have labels.
func (l *labelFlags) addNone(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&l.none, "no-labels", false, "remove all labels")
}

func (l *labelFlags) given() bool { return l.labels != nil || l.none }

// read returns the labels that replace those of a post, nil to keep them.
func (l *labelFlags) read() (*[]string, error) {
	switch {
	case l.none:
		return &[]string{}, nil
	case l.labels == nil:
		return nil, nil
	}
	return &l.labels, checkLabels("--label", l.labels)
}

// checkLabels returns an error for invalid labels of a flag.
func checkLabels(flag string, labels []string) error {
	for _, label := range labels {
		if refused, ok := errors.AsType[*schedctl.Error](schedctl.CheckLabel("a label", label)); ok {
			return cli.InvalidError(refused.Code, "%s %q: %s", flag, cli.Clip(label, 60), refused.Message)
		}
	}
	return nil
}
