package tui_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
)

// entries returns entries of a forecast with these kinds.
func entries(kinds ...apiv1.ForecastKind) (list []apiv1.ForecastEntry) {
	for _, kind := range kinds {
		list = append(list, apiv1.ForecastEntry{Kind: kind, At: apiv1.NewTime(now)})
	}
	return list
}

// The forecast is read after the first screen, and again after events, but not for each of
// them.
func TestForecastIsShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := world()
		f.plan.forecast = entries(apiv1.ForecastTokenEnds, apiv1.ForecastDuplicate, apiv1.ForecastTokenEnds, apiv1.ForecastPaused)
		d := drive(t, f, 80, 24)
		d.sees("4 forecasts: token ends, duplicate, … (:forecast)")
		read := f.called("Forecast")
		f.plan.forecast = entries(apiv1.ForecastApprovalMissing)
		for range 10 {
			d.send(tui.Happened(apiv1.Event{ID: "evt_1", Type: schedctl.EventPostUpdated}))
		}
		d.sees("4 forecasts")
		if n := f.called("Forecast"); n != read {
			t.Errorf("the forecast was read %d times for events", n-read)
		}
		d.send(tui.Tick(now.Add(2 * time.Minute)))
		d.sees("1 forecast: approval missing (:forecast)")
		f.plan.forecast = nil
		d.send(tui.Happened(apiv1.Event{ID: "evt_2", Type: schedctl.EventForecastAppeared}))
		d.seesNot("forecast")
		f.plan.forecast = entries(apiv1.ForecastRefused)
		d.send(tui.Tick(now.Add(5 * time.Minute)))
		d.seesNot("forecast")
		d.send(tui.Tick(now.Add(20 * time.Minute)))
		d.sees("1 forecast: refused (:forecast)")
	})
}

// The command :forecast lists the entries with their commands.
func TestForecastIsListed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := world()
		f.plan.forecast = entries(apiv1.ForecastTokenEnds)
		e := &f.plan.forecast[0]
		e.PostCount, e.Message, e.Command = 3, "the credentials end on 2026-11-22T12:00:00Z, before the post", "schedctl account reconnect x:brand\x1b[2J"
		d := drive(t, f, 80, 24)
		d.press(":")
		d.typed("forecast")
		d.press("enter")
		d.sees("token ends, 3 posts", "the credentials end on Sun 22 Nov", "schedctl account reconnect x:brand", "any other key closes the forecast")
		d.press("down", "up", "q")
		d.seesNot("closes the forecast")
		f.plan.forecast = nil
		d.press("R", ":")
		d.typed("forecast")
		d.press("enter")
		d.sees("nothing will fail or be late")
	})
}

// forecastCommand enters the command :forecast.
func (d *driver) forecastCommand() {
	d.t.Helper()
	d.press(":")
	d.typed("forecast")
	d.press("enter")
}

// A forecast that cannot be read is left out, and read again later. The command says so.
func TestForecastThatCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := world()
		f.plan.forecast = entries(apiv1.ForecastTokenEnds)
		f.fail("Forecast", errors.New("the forecast is broken"))
		d := drive(t, f, 80, 24)
		d.seesNot("forecast")
		d.forecastCommand()
		d.sees("the forecast could not be read: the forecast is broken")
		d.seesNot("nothing will fail")
		f.fail("Forecast", nil)
		d.send(tui.Tick(now.Add(20 * time.Minute)))
		d.sees("1 forecast: token ends")
	})
}

// A forecast that is not read yet, or that did not check everything, does not say that nothing
// will fail.
func TestForecastThatIsNotComplete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := world()
		f.fail("Posts", errors.New("the posts are broken"))
		d := drive(t, f, 80, 24)
		if f.called("Forecast") > 0 {
			t.Fatal("the forecast is read before the first screen is complete")
		}
		d.forecastCommand()
		d.sees("the forecast is not read yet")
		d.seesNot("nothing will fail")
	})
	synctest.Test(t, func(t *testing.T) {
		f := world()
		f.plan.checked = apiv1.NewTime(now.Add(48 * time.Hour))
		d := drive(t, f, 80, 24)
		d.forecastCommand()
		d.sees("nothing will fail until " + now.Add(48*time.Hour).Format("Mon 2 Jan 15:04") + "; later posts were not checked")
	})
}
