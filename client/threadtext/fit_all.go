package threadtext

// maxSplits is how often a text is split again because a network counts a part as longer
// than the estimate.
const maxSplits = 6

// FitAll splits a text into parts that fit every limit. The limits have names, such as ids
// of accounts. Because [Limit.Length] is an estimate, measure says by how much the longest
// part exceeds each limit; FitAll then splits the text again, with smaller limits. It
// changes limits. ok is false if a part cannot be made short enough. An error is that of
// measure.
func FitAll(text string, limits map[string]*Limit, measure func(parts []string) (excess map[string]int, err error)) (parts []string, ok bool, err error) {
	fits := func(part string) bool {
		for _, l := range limits {
			if !l.Fits(part) {
				return false
			}
		}
		return true
	}
	for range maxSplits {
		if parts, ok = Fit(text, fits); !ok {
			return nil, false, nil
		}
		excess, err := measure(parts)
		if err != nil || !shrink(limits, excess) {
			return parts, true, err
		}
	}
	return parts, true, nil
}

// shrink reduces the limits that are exceeded. It reports whether there are any.
func shrink(limits map[string]*Limit, excess map[string]int) (changed bool) {
	for name, n := range excess {
		if l := limits[name]; n > 0 && l != nil && l.Max > n {
			l.Max -= n
			changed = true
		}
	}
	return changed
}
