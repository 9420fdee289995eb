package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

const (
	uploadedVideo = 100e6 // bytes of a video whose upload is timed
	largestVideo  = 300e6 // bytes of the largest video that the daemon accepts
	manyUploads   = 16    // uploads at once
	manyVideo     = 60e6  // bytes of each of them
)

// measureUploads compares uploads with writing and syncing the same bytes to a file, and
// measures what they cost: the daemon's memory, and the time of other requests.
func measureUploads(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	err = b.withDaemon(ctx, "", func(d *child.Daemon) error {
		u := &uploads{uploader: newUploader(d.Address, d.Key), b: b, daemon: d, counts: n}
		defer u.client.CloseIdleConnections()
		for _, measure := range []func(context.Context) ([]result, error){u.memory, u.rates, u.others} {
			rows, err := measure(ctx)
			if err != nil {
				return err
			}
			out = append(out, rows...)
		}
		return nil
	})
	return out, err
}

// uploads measures uploads to a daemon.
type uploads struct {
	*uploader
	b      *bench
	daemon *child.Daemon
	counts *counts
}

// rates compares the rates of both kinds of upload with that of a file.
func (u *uploads) rates(ctx context.Context) ([]result, error) {
	video := mediatest.MP4(int(uploadedVideo) / min(u.b.scale, 2))
	dir, err := u.b.newDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "video.mp4")
	if err := os.WriteFile(path, video, 0o600); err != nil {
		return nil, err
	}
	direct := func(ctx context.Context) (sample, error) { return u.timed(ctx, path, u.post) }
	announced := func(ctx context.Context) (sample, error) { return u.timed(ctx, path, u.put) }
	file := func(context.Context) (sample, error) { return u.b.writeFile(video) }
	posts, err := compare(ctx, u.b.rounds, direct, file)
	if err != nil {
		return nil, err
	}
	puts, err := compare(ctx, u.b.rounds, announced, file)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("upload of %.0f MB, %%s / writing and syncing a file", float64(len(video))/1e6)
	return []result{
		posts[0].row(fmt.Sprintf(name, "POST /media"), 0, goal{atLeast: 0.6}, "MB/s"),
		puts[0].row(fmt.Sprintf(name, "PUT to an upload URL"), 0, goal{atLeast: 0.6}, "MB/s"),
	}, nil
}

// timed returns the rate of one upload of a file, in MB/s. No two uploads have the same
// bytes. The system sends the file from its cache, so that the uploader needs little of
// the processor time, which it shares with the daemon here and nowhere else.
func (u *uploads) timed(ctx context.Context, path string, upload func(context.Context, io.Reader, int) (time.Duration, error)) (sample, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	tail := u.tail()
	if _, err := f.WriteAt(tail, info.Size()-int64(len(tail))); err != nil {
		return nil, err
	}
	took, err := upload(ctx, f, int(info.Size()))
	u.counts.add(1, 0, 0)
	return sample{float64(info.Size()) / 1e6 / took.Seconds()}, err
}

// put announces a video, and measures the upload to the address that the daemon returns.
func (u *uploads) put(ctx context.Context, video io.Reader, size int) (time.Duration, error) {
	var made apiv1.UploadEnvelope
	body := fmt.Sprintf(`{"file_name":"video.mp4","mime_type":"video/mp4","size_bytes":%d}`, size)
	if err := u.daemon.Call(ctx, http.MethodPost, "/media/uploads", body, &made); err != nil {
		return 0, err
	}
	started := time.Now()
	err := u.send(ctx, http.MethodPut, made.Upload.URL, video, size)
	return time.Since(started), err
}

// writeFile writes and syncs a file, and returns the rate in MB/s.
func (b *bench) writeFile(data []byte) (s sample, err error) {
	dir, err := b.newDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	started := time.Now()
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		return nil, err
	}
	for rest := data; len(rest) > 0 && err == nil; {
		part := rest[:min(1<<20, len(rest))]
		_, err = f.Write(part)
		rest = rest[len(part):]
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	return sample{float64(len(data)) / 1e6 / time.Since(started).Seconds()}, nil
}

// memory measures how much memory uploads add to the daemon.
func (u *uploads) memory(ctx context.Context) ([]result, error) {
	one, err := u.peak(ctx, mediatest.MP4(int(largestVideo)/min(u.b.scale, 4)), 1)
	if err != nil {
		return nil, err
	}
	many, err := u.peak(ctx, mediatest.MP4(int(manyVideo)/min(u.b.scale, 4)), manyUploads)
	if err != nil {
		return nil, err
	}
	return []result{
		holds("memory that an upload of 300 MB adds", one, 64e6),
		holds(fmt.Sprintf("memory that %d uploads at once add", manyUploads), many, 256e6).detailed("each of %.0f MB", manyVideo/1e6),
	}, nil
}

// peak uploads a number of videos at once, and returns how much anonymous memory the
// daemon used more than before, at most.
func (u *uploads) peak(ctx context.Context, video []byte, count int) (more float64, err error) {
	before, err := child.Anonymous(u.daemon.PID())
	if err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- u.atOnce(ctx, video, count) }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for highest := before; ; {
		now, err := child.Anonymous(u.daemon.PID())
		if err != nil {
			return 0, errors.Join(err, <-ended)
		}
		highest = max(highest, now)
		select {
		case err := <-ended:
			return float64(highest - before), err
		case <-tick.C:
		}
	}
}

// atOnce makes a number of announced uploads at once: a key can have fewer of its own.
func (u *uploads) atOnce(ctx context.Context, video []byte, count int) error {
	var wg sync.WaitGroup
	errs := make([]error, count)
	for i := range count {
		wg.Go(func() { _, errs[i] = u.put(ctx, u.unique(video), len(video)) })
	}
	wg.Wait()
	u.counts.add(count, 0, 0)
	return errors.Join(errs...)
}

// others compares the time of requests for a page of posts with their time without
// uploads, while uploads use a network of a gigabit a second.
func (u *uploads) others(ctx context.Context) ([]result, error) {
	draft := func(i int) []byte {
		return serverOf(u.daemon).post("/posts", fmt.Sprintf("draft-%d", i), `{"content":"a draft"}`)
	}
	if _, err := runLoad(ctx, serverOf(u.daemon), load{connections: 4, count: 50, request: draft}); err != nil {
		return nil, err
	}
	reads := func(ctx context.Context) (sample, error) { return u.pages(ctx) }
	busy := func(ctx context.Context) (s sample, err error) {
		r, err := child.StartRole(uploaderRole, u.address, u.key)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, r.Stop()) }()
		return u.pages(ctx)
	}
	all, err := compare(ctx, u.b.rounds, busy, reads)
	if err != nil {
		return nil, err
	}
	return []result{all[0].row("GET /posts p99 while uploads arrive at 1 Gbit/s / without uploads", 0, goal{atMost: 2}, "µs")}, nil
}

// pages requests pages for some seconds, each a few milliseconds after the one before,
// and returns the p99 in microseconds.
func (u *uploads) pages(ctx context.Context) (sample, error) {
	conn, err := dial(ctx, u.daemon.Address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	s := serverOf(u.daemon)
	var took []time.Duration
	for end := time.Now().Add(u.b.length(4 * time.Second)); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		started := time.Now()
		if _, err := conn.exchange(s.get("/posts?limit=20")); err != nil {
			return nil, err
		}
		took = append(took, time.Since(started))
	}
	return sample{micros(quantile(took, 0.99))}, ctx.Err()
}
