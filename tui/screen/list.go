package screen

// Clamp returns the index closest to i in a list of a size; 0 if the list is empty.
func Clamp(i, size int) int { return max(0, min(i, size-1)) }

// LinesAround returns at most height lines around the line at.
func LinesAround[T any](lines []T, at, height int) []T {
	if height <= 0 {
		return nil
	}
	first := max(0, min(at-height/2, len(lines)-height))
	end := min(len(lines), first+height)
	return lines[first:end:end]
}

// EmptyMessage says why a list is empty.
func EmptyMessage(s *Scene, loaded bool, err error, nothing string, width int) []string {
	text := nothing
	switch {
	case err != nil:
		text = Explain(err)
	case !loaded:
		text = "Loading …"
	}
	var lines []string
	for _, l := range Wrap(text, width-2) {
		if err != nil {
			l = s.Theme.Bad.Render(l)
		}
		lines = append(lines, "  "+l)
	}
	return lines
}
