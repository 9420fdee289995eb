//go:build failpoint

package failpoint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// stallFor is the default duration of a stall.
const stallFor = time.Second

// parse reads the value of the environment variable.
func parse(text string) (list []*order, err error) {
	if text == "" {
		return nil, nil
	}
	for _, part := range strings.Split(text, ",") {
		o, err := parseOrder(part)
		if err != nil {
			return nil, fmt.Errorf("%q: %w; write point=action@pass, as deliver.called=kill@3", part, err)
		}
		list = append(list, o)
	}
	return list, nil
}

func parseOrder(text string) (*order, error) {
	point, rest, _ := strings.Cut(text, "=")
	if !slices.Contains(Points(), Point(point)) {
		return nil, fmt.Errorf("there is no point %q", point)
	}
	rest, pass, given := strings.Cut(rest, "@")
	o := &order{point: Point(point), at: 1}
	if given {
		n, err := strconv.ParseInt(pass, 10, 64)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of a pass; passes are counted from 1", pass)
		}
		o.at = n
	}
	return o, o.parseAction(rest)
}

func (o *order) parseAction(text string) (err error) {
	var pause string
	var given bool
	o.action, pause, given = strings.Cut(text, ":")
	switch {
	case !slices.Contains([]string{"panic", "kill", "stall", "error"}, o.action):
		return fmt.Errorf("there is no action %q, but panic, kill, stall and error", o.action)
	case given && o.action != "stall":
		return fmt.Errorf("%s takes no time", o.action)
	case !given:
		o.pause = stallFor
		return nil
	}
	if o.pause, err = time.ParseDuration(pause); err != nil || o.pause < 0 {
		return fmt.Errorf("%q is not a duration", pause)
	}
	return nil
}
