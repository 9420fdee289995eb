package post

import (
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// TestStatusIsNoChange guards that a post can be canceled while the daemon publishes it, and
// that it still conflicts when its text was changed.
func TestStatusIsNoChange(t *testing.T) {
	t.Parallel()
	shown := apiv1.Post{ID: "post_1", Version: 1, Status: schedctl.Scheduled, Content: "Hello"}
	now := shown
	now.Version, now.Status = 2, schedctl.Publishing
	compare := func(o overwriteFlag, now apiv1.Post) (status int) {
		return cli.ExitStatus(o.compare(t.Context(), &cli.App{}, nil, cli.NewShown(shown), now))
	}
	if status := compare(overwriteFlag{anyStatus: true}, now); status != 0 {
		t.Errorf("a status that may change: exit status %d", status)
	}
	if status := compare(overwriteFlag{}, now); status != cli.ExitConflict {
		t.Errorf("a status: exit status %d", status)
	}
	now.Content = "Bye"
	if status := compare(overwriteFlag{anyStatus: true}, now); status != cli.ExitConflict {
		t.Errorf("a text: exit status %d", status)
	}
}
