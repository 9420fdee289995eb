package metrics

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// SetBlobs sets what the blob store holds. A daemon without media does not show it.
func (m *Metrics) SetBlobs(blobs int, bytes int64) {
	m.set.GetOrCreateGauge("schedctl_blobs", nil).Set(float64(blobs))
	m.set.GetOrCreateGauge("schedctl_blob_bytes", nil).Set(float64(bytes))
}

// assetPage is how many assets are read at once.
const assetPage = 500

// countAssets counts the media assets of all workspaces by status.
func countAssets(r storage.Reader, workspaces []schedctl.Workspace) (map[schedctl.MediaStatus]int, error) {
	n := map[schedctl.MediaStatus]int{}
	for _, w := range workspaces {
		for after := ""; ; {
			assets, err := r.MediaAssets(w.ID, after, assetPage)
			if err != nil {
				return nil, err
			}
			for i := range assets {
				n[assets[i].Status]++
			}
			if len(assets) < assetPage {
				break
			}
			after = assets[len(assets)-1].ID
		}
	}
	return n, nil
}
