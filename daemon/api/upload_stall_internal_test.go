package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
)

// deadlineWriter remembers the deadlines of a connection.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (w *deadlineWriter) SetReadDeadline(t time.Time) error  { w.read = t; return nil }
func (w *deadlineWriter) SetWriteDeadline(t time.Time) error { w.write = t; return nil }

// trickle is a connection on which some bytes arrive after each pause.
type trickle struct {
	w     *deadlineWriter
	pause time.Duration
	bytes int
}

func (c trickle) Read(p []byte) (int, error) {
	if left := time.Until(c.w.read); left < c.pause {
		time.Sleep(left)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(c.pause)
	return min(c.bytes, len(p)), nil
}

// An upload is cut when it stalls or trickles. A slow one that arrives steadily is
// received, however long it takes.
func TestUploadDeadlines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pause       time.Duration
		bytes       int
		cut         bool
		least, most time.Duration
	}{
		"nothing arrives":             {time.Hour, 1, true, uploadStall, uploadStall},
		"a byte every ten seconds":    {10 * time.Second, 1, true, 20 * time.Second, uploadStall + time.Second},
		"half the rate":               {time.Second, uploadRate / 2, true, uploadStall, 2*uploadStall + time.Second},
		"exactly the rate":            {time.Second, uploadRate, false, time.Hour, 2 * time.Hour},
		"a chunk every twenty-five s": {25 * time.Second, 25 * uploadRate, false, time.Hour, 2 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
				r := &http.Request{Body: io.NopCloser(trickle{w, c.pause, c.bytes})}
				body := newUploadBody(w, r, 3600*uploadRate)
				started := time.Now()
				var err error
				for chunk := make([]byte, 1<<20); err == nil; {
					_, err = body.Read(chunk)
				}
				took := time.Since(started)
				if took < c.least || took > c.most {
					t.Errorf("it took %s", took)
				}
				if refusal := body.refusal(err); c.cut != (schedctl.CodeOf(refusal) == schedctl.MediaInvalid) {
					t.Errorf("cut is %v: %v", !c.cut, err)
				}
				if left := time.Until(w.write); left <= 0 {
					t.Error("there is no time left for the response")
				}
			})
		})
	}
}
