package screen

import (
	"fmt"
	"image/color"
	"math"
)

// readable is the least contrast of secondary text with the background: the ratio that
// WCAG 2.2 asks for in 1.4.3.
const readable = 4.5

// readableGray returns the number of the gray of 256 colors that has the least readable
// contrast with a background, empty if there is none.
func readableGray(background color.Color) (number string) {
	const firstGray, grays = 232, 24
	least := math.Inf(1)
	for i := range grays {
		level := uint8(8 + 10*i)
		if c := Contrast(color.RGBA{level, level, level, 255}, background); c >= readable && c < least {
			number, least = fmt.Sprint(firstGray+i), c
		}
	}
	return number
}

// Contrast returns the contrast ratio of two colors, as WCAG 2.2 defines it: 1 to 21.
func Contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance returns the relative luminance of a color, as WCAG 2.2 defines it: 0 to 1.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		const most = 0xffff
		s := float64(v) / most
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
