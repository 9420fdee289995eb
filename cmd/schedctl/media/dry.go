package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// missingPrefix starts the id of a file that is not uploaded yet.
const missingPrefix = "sha256:"

// Missing reports whether [Uploader.Attach] returned the media for a file that the workspace
// does not have.
func Missing(m apiv1.PostMedia) bool { return strings.HasPrefix(m.ID, missingPrefix) }

// missingURL returns an id for which [Missing] is true, for a file that is not fetched yet.
func missingURL(ref string) string {
	sum := sha256.Sum256([]byte(ref))
	return missingPrefix + hex.EncodeToString(sum[:])
}

// known returns the id of the asset with the bytes of a file below the folder, or an id for
// which [Missing] is true. It refuses a file that the daemon would refuse.
func (u *Uploader) known(ctx context.Context, name string) (id string, err error) {
	if u.all == nil {
		if err := u.readAll(ctx); err != nil {
			return "", err
		}
	}
	facts, err := u.Folder.Inspect(ctx, name, u.limits)
	if err != nil {
		return "", cli.InvalidError(schedctl.MediaInvalid, "%s: %s", name, u.Folder.Fault(name, err))
	}
	if id := u.all[facts.SHA256]; id != "" {
		return id, nil
	}
	return missingPrefix + facts.SHA256, nil
}

// readAll reads the limits of the daemon and the ids of all assets of the workspace. Of
// several with the same bytes the oldest wins, as in the daemon.
func (u *Uploader) readAll(ctx context.Context) (err error) {
	if u.limits, err = u.client.MediaConfig(ctx); err != nil {
		return err
	}
	all := map[string]string{}
	for asset, err := range u.client.EachMediaAsset(ctx, client.MediaQuery{Limit: pageSize}) {
		if err != nil {
			return err
		}
		if asset.Status == schedctl.MediaReady && asset.SHA256 != nil {
			all[*asset.SHA256] = asset.ID
		}
	}
	u.all = all
	return nil
}
