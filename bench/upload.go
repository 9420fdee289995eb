package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
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
		u := &uploads{b: b, daemon: d, counts: n, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: manyUploads}}}
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

// uploads uploads videos to a daemon. No two of them have the same bytes.
type uploads struct {
	b      *bench
	daemon *child.Daemon
	client *http.Client
	counts *counts
	made   atomic.Uint64
}

// rates compares the rates of both kinds of upload with that of a file.
func (u *uploads) rates(ctx context.Context) ([]result, error) {
	video := mediatest.MP4(int(uploadedVideo) / min(u.b.scale, 2))
	direct := func(ctx context.Context) (sample, error) { return u.timed(ctx, video, u.post) }
	announced := func(ctx context.Context) (sample, error) { return u.timed(ctx, video, u.put) }
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

// unique returns the body of a video that was not uploaded before: only the end of its
// media data differs.
func (u *uploads) unique(video []byte) io.Reader {
	tail := binary.BigEndian.AppendUint64(nil, u.made.Add(1))
	return io.MultiReader(bytes.NewReader(video[:len(video)-len(tail)]), bytes.NewReader(tail))
}

// timed returns the rate of one upload, in MB/s.
func (u *uploads) timed(ctx context.Context, video []byte, upload func(context.Context, []byte) (time.Duration, error)) (sample, error) {
	took, err := upload(ctx, video)
	return sample{float64(len(video)) / 1e6 / took.Seconds()}, err
}

// post uploads a video in one request.
func (u *uploads) post(ctx context.Context, video []byte) (time.Duration, error) {
	started := time.Now()
	err := u.send(ctx, http.MethodPost, u.directURL(), u.unique(video), len(video))
	return time.Since(started), err
}

// put announces a video, and measures the upload to the address that the daemon returns.
func (u *uploads) put(ctx context.Context, video []byte) (time.Duration, error) {
	var made apiv1.UploadEnvelope
	body := fmt.Sprintf(`{"file_name":"video.mp4","mime_type":"video/mp4","size_bytes":%d}`, len(video))
	if err := u.daemon.Call(ctx, http.MethodPost, "/media/uploads", body, &made); err != nil {
		return 0, err
	}
	started := time.Now()
	err := u.send(ctx, http.MethodPut, made.Upload.URL, u.unique(video), len(video))
	return time.Since(started), err
}

func (u *uploads) directURL() string {
	return "http://" + u.daemon.Address + "/api/v1/media?file_name=video.mp4"
}

func (u *uploads) send(ctx context.Context, method, url string, video io.Reader, size int) error {
	r, err := http.NewRequestWithContext(ctx, method, url, video)
	if err != nil {
		return err
	}
	r.ContentLength = int64(size)
	r.Header.Set("Content-Type", "video/mp4")
	if method == http.MethodPost {
		r.Header.Set("Authorization", "Bearer "+u.daemon.Key)
	}
	resp, err := u.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusNoContent {
		return errors.Join(fmt.Errorf("upload: status %d: %s", resp.StatusCode, text), err)
	}
	u.counts.add(1, 0, 0)
	return err
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

// atOnce makes a number of uploads at once.
func (u *uploads) atOnce(ctx context.Context, video []byte, count int) error {
	var wg sync.WaitGroup
	errs := make([]error, count)
	for i := range count {
		wg.Go(func() { _, errs[i] = u.post(ctx, video) })
	}
	wg.Wait()
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
	video := mediatest.MP4(20e6)
	busy := func(ctx context.Context) (s sample, err error) {
		var stop atomic.Bool
		ended := make(chan error, 1)
		go func() { ended <- u.uploadSteadily(ctx, video, &stop) }()
		s, err = u.pages(ctx)
		stop.Store(true)
		return s, errors.Join(err, <-ended)
	}
	all, err := compare(ctx, u.b.rounds, busy, reads)
	if err != nil {
		return nil, err
	}
	return []result{all[0].row("GET /posts p99 while uploads arrive at 1 Gbit/s / without uploads", 0, goal{atMost: 2}, "µs")}, nil
}

// uploadSteadily uploads videos over several connections at 125 MB/s in all, until stop is
// set.
func (u *uploads) uploadSteadily(ctx context.Context, video []byte, stop *atomic.Bool) error {
	const connections = 4
	var wg sync.WaitGroup
	errs := make([]error, connections)
	for i := range connections {
		wg.Go(func() {
			for !stop.Load() && errs[i] == nil {
				body := &steadyReader{from: u.unique(video), rate: gigabit / connections, started: time.Now()}
				errs[i] = u.send(ctx, http.MethodPost, u.directURL(), body, len(video))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// gigabit is a gigabit in bytes.
const gigabit = 125e6

// steadyReader reads at a rate in bytes a second.
type steadyReader struct {
	from    io.Reader
	rate    float64
	started time.Time
	read    int64
}

func (s *steadyReader) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	s.read += int64(n)
	time.Sleep(time.Duration(float64(s.read)/s.rate*1e9) - time.Since(s.started))
	return n, err
}

// pages requests pages for a second, each a few milliseconds after the one before, and
// returns the p99 in microseconds.
func (u *uploads) pages(ctx context.Context) (sample, error) {
	conn, err := dial(ctx, u.daemon.Address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	s := serverOf(u.daemon)
	var took []time.Duration
	for end := time.Now().Add(u.b.length(time.Second)); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		started := time.Now()
		if _, err := conn.exchange(s.get("/posts?limit=20")); err != nil {
			return nil, err
		}
		took = append(took, time.Since(started))
	}
	return sample{micros(quantile(took, 0.99))}, ctx.Err()
}
