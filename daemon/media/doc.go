// Package media is the service around the files that workspaces upload: it receives and
// inspects them, stores their bytes as blobs, signs URLs for them, and collects what no
// post needs any more.
//
// A file is received before anything is stored about it:
//
//	file, err := service.Receive(ctx, body)
//	…
//	defer file.Close()
//	if err := service.Store(ctx, file); err != nil {
//		return err
//	}
//	// … then store an asset with the facts of the file, in a transaction.
//
// The bytes are on disk before the asset is committed. A blob without an asset is
// deleted by [Collector] a day after it was stored last.
//
// The packages mediafile and variant, below this one, read and convert files. They
// know nothing of assets.
package media
