package server

import "errors"

// resultsFlag is the value of --results. The zero value is on.
type resultsFlag struct{ off bool }

func (r *resultsFlag) String() string {
	if r.off {
		return "off"
	}
	return "on"
}

func (r *resultsFlag) Set(text string) error {
	if text != "on" && text != "off" {
		return errors.New("use on or off")
	}
	r.off = text == "off"
	return nil
}

// Type is part of the interface of flags.
func (*resultsFlag) Type() string { return "on|off" }
