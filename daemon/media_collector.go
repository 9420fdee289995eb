package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/metrics"
)

// blobInterval is the pause between two searches for blobs without an asset, which list
// all blobs.
const blobInterval = time.Hour

// mediaCollector collects unused media as a part of housekeeping.
type mediaCollector struct {
	media.Collector
	metrics *metrics.Metrics
	log     *slog.Logger
	nextRun time.Time // of the search for blobs without an asset
}

// run deletes expired assets, and from time to time the blobs that no asset has. It does
// nothing on a nil collector.
func (c *mediaCollector) run(ctx context.Context, now time.Time) error {
	if c == nil {
		return nil
	}
	assets, err := c.Assets(ctx, now)
	if err != nil || now.Before(c.nextRun) {
		return err
	}
	left, blobs, err := c.Orphans(ctx, now)
	if err != nil {
		return err
	}
	c.nextRun = now.Add(blobInterval)
	c.metrics.SetBlobs(left.Blobs, left.Bytes)
	if assets > 0 || blobs > 0 {
		c.log.Info("unused media deleted", "assets", assets, "blobs", blobs)
	}
	return nil
}
