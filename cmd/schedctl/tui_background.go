package main

import (
	"strconv"
	"strings"
)

// dark reports whether the terminal has a dark ground, as its environment says;
// most have.
func (a *app) dark() bool {
	colors := strings.Split(a.getenv("COLORFGBG"), ";")
	ground, err := strconv.Atoi(colors[len(colors)-1])
	const white, gray = 15, 7
	return err != nil || ground != white && ground != gray
}
