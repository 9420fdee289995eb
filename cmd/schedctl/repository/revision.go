package repository

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// maxGit is how long a command of Git may take.
const maxGit = 30 * time.Second

// Revision returns the commit that the files of a directory have. It is nil if they have
// changes that are not committed, or are in no repository.
func Revision(ctx context.Context, a *cli.App, dir string) *apiv1.Revision {
	changes, err := git(ctx, a, dir, "status", "--porcelain", "--", ".")
	if err != nil || changes != "" {
		return nil
	}
	head, err := git(ctx, a, dir, "log", "-1", "--no-show-signature", "--format=%H %ct")
	if err != nil {
		return nil
	}
	hash, seconds, _ := strings.Cut(head, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || at <= 0 {
		return nil
	}
	return &apiv1.Revision{Commit: hash, CommittedAt: apiv1.Time{Time: time.Unix(at, 0).UTC()}}
}

// git returns the output of a command of Git in a directory. It takes no locks, and starts no
// monitor that the settings of the repository name.
func git(ctx context.Context, a *cli.App, dir string, args ...string) (string, error) {
	if a.HasTool == nil || !a.HasTool("git") {
		return "", exec.ErrNotFound
	}
	ctx, stop := context.WithTimeout(ctx, maxGit)
	defer stop()
	env := append(a.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	out, err := a.RunTool(ctx, env, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=false"}, args...)...)
	return strings.TrimSpace(string(out)), err
}
