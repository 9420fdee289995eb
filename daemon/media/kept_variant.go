package media

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// KeptVariant is a converted file that networks fetch. Its bytes are a blob, so that no
// request converts the file again. The zero Key means that the file cannot be made to fit.
type KeptVariant struct {
	Key      blob.Key  `json:"sha256"`
	Size     int64     `json:"size_bytes"`
	MIMEType string    `json:"mime_type"`
	Until    time.Time `json:"until"` // when its last URL expires
}

// Unfit reports whether the file cannot be made to fit.
func (v *KeptVariant) Unfit() bool { return v.Key == (blob.Key{}) }

// VariantName is the name of a variant: the original bytes and the limits. It is that of
// metadata in the store, so that all daemons of a database find the variant, also after a
// restart.
type VariantName string

// variantPrefix is the prefix of all names of variants.
const variantPrefix = "variant "

// NewVariantName returns the name of the variant of a file that fits the limits.
func NewVariantName(original blob.Key, limits variant.Target) VariantName {
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", limits))
	return VariantName(fmt.Sprintf("%s%s %x", variantPrefix, original, sum[:8]))
}

// original returns the original bytes of a variant.
func (n VariantName) original() (blob.Key, error) {
	text, _, _ := strings.Cut(strings.TrimPrefix(string(n), variantPrefix), " ")
	return blob.ParseKey(text)
}

// KeptVariants finds and keeps variants.
type KeptVariants struct {
	Store storage.Store
	Blobs blob.Store
}

// Find returns a variant whose URL has not expired and whose bytes exist, or one that is
// unfit.
func (k KeptVariants) Find(ctx context.Context, name VariantName, now time.Time) (v KeptVariant, found bool, err error) {
	text, err := storage.Read(ctx, k.Store.View, func(r storage.Reader) ([]byte, error) { return r.Metadata(string(name)) })
	if err != nil || text == nil || json.Unmarshal(text, &v) != nil || !now.Before(v.Until) {
		return KeptVariant{}, false, err
	}
	if v.Unfit() {
		return v, true, nil
	}
	info, err := k.Blobs.Stat(ctx, v.Key)
	if errors.Is(err, blob.ErrNotFound) {
		return KeptVariant{}, false, nil // of a restored database, which has no variants
	}
	return v, err == nil && info.Size == v.Size, err
}

// Keep stores a variant, whose blob is stored already.
func (k KeptVariants) Keep(ctx context.Context, name VariantName, v KeptVariant) error {
	v.Until = v.Until.UTC().Truncate(time.Second)
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return k.Store.Update(ctx, func(tx storage.Tx) error { return tx.PutMetadata(string(name), text) })
}

// variantSlack is how long a variant stays after its last URL expired. It covers daemons
// whose clocks differ, and the extension of a URL by a few hours.
const variantSlack = 24 * time.Hour

// needed returns the variant of a record, and whether a URL shows it: one of them has not
// expired, and an asset has the original.
func (n VariantName) needed(r storage.Reader, text []byte, now time.Time) (v KeptVariant, needed bool, err error) {
	original, err := n.original()
	if err != nil || json.Unmarshal(text, &v) != nil || !now.Before(v.Until.Add(variantSlack)) {
		return v, false, nil
	}
	needed, err = r.HasMedia(original)
	return v, needed, err
}

// variants deletes the records of the variants that are not needed. It returns the blobs
// of the others.
func (c *Collector) variants(ctx context.Context, now time.Time) (kept map[blob.Key]bool, err error) {
	kept = map[blob.Key]bool{}
	var ended []VariantName
	err = c.Store.View(ctx, func(r storage.Reader) error {
		clear(kept)
		ended = nil
		all, err := r.AllMetadata()
		if err != nil {
			return err
		}
		for text, value := range all {
			name := VariantName(text)
			if !strings.HasPrefix(text, variantPrefix) {
				continue
			}
			v, needed, err := name.needed(r, value, now)
			if err != nil {
				return err
			}
			if kept[v.Key] = kept[v.Key] || needed; !needed {
				ended = append(ended, name)
			}
		}
		return nil
	})
	step := 0
	for batch := range slices.Chunk(ended, assetBatch) {
		if step++; err != nil || step > maxStepsWhenFull && c.Store.Full() != nil {
			break
		}
		err = c.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error { return forgetVariants(tx, batch, now) })
	}
	return kept, err
}

// forgetVariants deletes the records of variants, unless they were renewed since they were
// read.
func forgetVariants(tx storage.Tx, names []VariantName, now time.Time) error {
	for _, name := range names {
		value, err := tx.Metadata(string(name))
		if err != nil {
			return err
		}
		_, needed, err := name.needed(tx, value, now)
		if err != nil {
			return err
		}
		if needed {
			continue
		}
		if err := tx.PutMetadata(string(name), nil); err != nil {
			return err
		}
	}
	return nil
}
