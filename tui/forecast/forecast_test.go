package forecast_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/forecast"
	test "github.com/schedctl/schedctl/tui/postlist/postlisttest"
	"github.com/schedctl/schedctl/tui/screen"
)

// daemon has a forecast.
type daemon struct {
	screen.Client
	list []apiv1.ForecastEntry
	err  error
}

func (d *daemon) Forecast(context.Context) (apiv1.ForecastList, error) {
	return apiv1.ForecastList{Results: d.list}, d.err
}

// read reads the forecast, and reports whether that was needed.
func read(f *forecast.Forecast) bool {
	cmd := f.Fill()
	if cmd == nil {
		return false
	}
	f.Handle(cmd())
	return true
}

// The forecast is read again a minute after an event, after ten minutes without one, and at
// once when something new appears in it.
func TestTheForecastIsReadWhenItMayHaveChanged(t *testing.T) {
	t.Parallel()
	frame, d := test.New(), &daemon{}
	frame.API = d
	f := forecast.New(frame)
	if !read(f) || read(f) {
		t.Error("the forecast is not read once")
	}
	after := func(by time.Duration) bool {
		frame.Current().Now = frame.Current().Now.Add(by)
		f.Poll()
		return read(f)
	}
	if after(9*time.Minute) || !after(time.Minute) {
		t.Error("without an event, the forecast is not read after ten minutes")
	}
	f.Handle(screen.Event{Event: apiv1.Event{Type: schedctl.EventPostPublished}})
	if after(59*time.Second) || !after(time.Second) {
		t.Error("after an event, the forecast is not read after a minute")
	}
	f.Handle(screen.Event{Event: apiv1.Event{Type: schedctl.EventForecastAppeared}})
	if !read(f) {
		t.Error("the forecast is not read at once")
	}
}

func TestAnErrorIsShownOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	frame, d := test.New(), &daemon{err: errors.New("no rights")}
	frame.API = d
	f := forecast.New(frame)
	if got := f.Open(); got != "the forecast is not read yet" {
		t.Errorf("before the first read: %q", got)
	}
	read(f)
	if got := f.Open(); !strings.Contains(got, "no rights") || f.Text() != "" {
		t.Errorf("after an error: %q, and the line %q", got, f.Text())
	}
	d.list, d.err = []apiv1.ForecastEntry{{Kind: "token_ends", Message: "it ends"}}, nil
	f.Reload()
	read(f)
	if got := f.Text(); got != "1 forecast: token ends (:forecast)" {
		t.Errorf("the line is %q", got)
	}
}
