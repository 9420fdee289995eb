package filter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// hues are the names of colors in the order of their SGR parameters.
var hues = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

// colorAttributes are the letters that may follow a color, such as green+b.
var colorAttributes = map[rune]int{'b': 1, 'd': 2, 'i': 3, 'u': 4, 'B': 5, 'r': 7, 's': 9}

// paint returns the text of a value with a style. A style is a color, attributes after
// a plus, and a background after a colon: "red", "green+b", "white+b:red". The
// attribute h selects the brighter of two shades.
func paint(style string, v any) (string, error) {
	front, back, hasBack := strings.Cut(style, ":")
	params, err := sgr(front, 30)
	if err == nil && hasBack {
		var more []string
		more, err = sgr(back, 40)
		params = append(params, more...)
	}
	if err != nil {
		return "", fmt.Errorf("color %q: %w", style, err)
	}
	text := fmt.Sprint(v)
	if len(params) == 0 || text == "" {
		return text, nil
	}
	return "\x1b[" + strings.Join(params, ";") + "m" + text + "\x1b[0m", nil
}

// sgr returns the SGR parameters of a foreground or a background; offset is the
// parameter of the first color.
func sgr(style string, offset int) (params []string, err error) {
	name, attributes, _ := strings.Cut(style, "+")
	for _, letter := range attributes {
		switch n, known := colorAttributes[letter]; {
		case letter == 'h':
			offset += 60
		case known:
			params = append(params, strconv.Itoa(n))
		default:
			return nil, fmt.Errorf("no attribute is called %q", letter)
		}
	}
	switch i := slices.Index(hues, name); {
	case name == "" || name == "default" || name == "off":
		return params, nil
	case name == "gray" || name == "grey":
		return append(params, strconv.Itoa(offset+60)), nil
	case i < 0:
		return nil, fmt.Errorf("the colors are %s and gray", strings.Join(hues, ", "))
	default:
		return append(params, strconv.Itoa(offset+i)), nil
	}
}
