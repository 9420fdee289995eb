package server

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
)

// doctorAssets is how many media assets are checked.
const doctorAssets = 20

// mediaIsThere checks that the daemon can open the files of the newest media. It reports
// nothing without media.
func (d *doctor) mediaIsThere(ctx context.Context, c *client.Client) {
	list, err := c.MediaAssets(ctx, client.MediaQuery{Limit: doctorAssets})
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return // a daemon without media
	}
	if err != nil {
		d.failed("media", err)
		return
	}
	checked := 0
	for _, a := range list.Results {
		if a.Status != schedctl.MediaReady {
			continue
		}
		response, err := c.Raw(ctx, http.MethodHead, "/media/"+a.ID+"/content", nil)
		switch {
		case response.Status == http.StatusNotFound:
			continue // deleted in the meantime
		case response.Status >= http.StatusInternalServerError:
			d.fail("media", "stop the daemon and list all lost files with: schedctl daemon check; then restore them from a backup, or upload the same files again: schedctl media upload FILE",
				"the daemon cannot open the file of %s (%s): it is missing or damaged, or the media store cannot be reached", a.ID, a.FileName)
			return
		case err != nil:
			d.failed("media", err)
			return
		}
		checked++
	}
	if checked > 0 {
		d.ok("media", "the files of the newest %d assets exist", checked)
	}
}
