package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// addBlobMetrics creates the gauges of the blob store. They are registered when they are
// set first: a daemon without media does not show them.
func (m *Metrics) addBlobMetrics() {
	m.blobs = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "schedctl_blobs", Help: "Stored files of media, counted once an hour.",
	})
	m.blobBytes = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "schedctl_blob_bytes", Help: "Bytes of the stored files of media, counted once an hour.",
	})
}

// SetBlobs sets what the blob store holds.
func (m *Metrics) SetBlobs(blobs int, bytes int64) {
	m.blobs.Set(float64(blobs))
	m.blobBytes.Set(float64(bytes))
	for _, gauge := range []prometheus.Gauge{m.blobs, m.blobBytes} {
		m.registry.Register(gauge) // the error is that it was registered before
	}
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
