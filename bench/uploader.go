package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// uploader uploads videos to a daemon. No two of them have the same bytes.
type uploader struct {
	address, key string
	client       *http.Client
	made         atomic.Uint64
}

func newUploader(address, key string) *uploader {
	u := &uploader{address: address, key: key, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: manyUploads}}}
	u.made.Store(uint64(time.Now().UnixNano()))
	return u
}

// uploaderRole is the argument that makes this program upload videos until its standard
// input is closed. It stands for other machines, so it runs only on processor time that
// the daemon and the measurement leave.
const uploaderRole = "uploader"

func runUploader(address, key string) error {
	if err := lowestPriority(); err != nil {
		return err
	}
	u := newUploader(address, key)
	var stop atomic.Bool
	ended := make(chan error, 1)
	go func() { ended <- u.uploadSteadily(context.Background(), mediatest.MP4(20e6), &stop) }()
	err := child.Serve(http.NotFoundHandler())
	stop.Store(true)
	return errors.Join(err, <-ended)
}

// unique returns the body of a video that was not uploaded before: only the end of its
// media data differs.
func (u *uploader) unique(video []byte) io.Reader {
	tail := u.tail()
	return io.MultiReader(bytes.NewReader(video[:len(video)-len(tail)]), bytes.NewReader(tail))
}

// tail returns the end of a video that was not uploaded before.
func (u *uploader) tail() []byte { return binary.BigEndian.AppendUint64(nil, u.made.Add(1)) }

// post uploads a video in one request.
func (u *uploader) post(ctx context.Context, video io.Reader, size int) (time.Duration, error) {
	started := time.Now()
	err := u.send(ctx, http.MethodPost, u.directURL(), video, size)
	return time.Since(started), err
}

func (u *uploader) directURL() string {
	return "http://" + u.address + "/api/v1/media?file_name=video.mp4"
}

func (u *uploader) send(ctx context.Context, method, url string, video io.Reader, size int) error {
	r, err := http.NewRequestWithContext(ctx, method, url, video)
	if err != nil {
		return err
	}
	r.ContentLength = int64(size)
	r.Header.Set("Content-Type", "video/mp4")
	if method == http.MethodPost {
		r.Header.Set("Authorization", "Bearer "+u.key)
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
	return err
}

// uploadSteadily uploads videos over several connections at 125 MB/s in all, until stop is
// set.
func (u *uploader) uploadSteadily(ctx context.Context, video []byte, stop *atomic.Bool) error {
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
