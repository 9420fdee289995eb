package storagetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var closeParts = []part{
	{"Close", testClose},
	{"CloseUnderLoad", testCloseUnderLoad},
}

func testClose(f *fixture) {
	f.putPosts(f.newPost(epoch, time.Time{}, schedctl.Draft))
	for range 2 {
		if err := f.store.Close(); err != nil {
			f.Errorf("Close: %v", err)
		}
	}
	never := func() error { f.Error("a function ran on a closed store"); return nil }
	if err := f.store.Update(context.Background(), func(storage.Tx) error { return never() }); !errors.Is(err, storage.ErrClosed) {
		f.Errorf("Update returned %v, want %v", err, storage.ErrClosed)
	}
	if err := f.store.View(context.Background(), func(storage.Reader) error { return never() }); !errors.Is(err, storage.ErrClosed) {
		f.Errorf("View returned %v, want %v", err, storage.ErrClosed)
	}
}

func testCloseUnderLoad(f *fixture) {
	var wait sync.WaitGroup
	var started sync.WaitGroup
	for range 8 {
		started.Add(1)
		wait.Go(func() {
			for first := true; ; first = false {
				p := f.newPost(epoch, time.Time{}, schedctl.Draft)
				err := f.store.Update(context.Background(), func(tx storage.Tx) error { return tx.PutPost(p) })
				if first {
					started.Done()
				}
				if err == nil {
					err = f.store.View(context.Background(), func(r storage.Reader) error {
						_, err := r.Post(f.ws, p.ID)
						return err
					})
				}
				if err != nil {
					if !errors.Is(err, storage.ErrClosed) {
						f.Errorf("error %v, want %v", err, storage.ErrClosed)
					}
					return
				}
			}
		})
	}
	started.Wait()
	if err := f.store.Close(); err != nil {
		f.Errorf("Close: %v", err)
	}
	wait.Wait()
}
