package bluesky

import "github.com/clipperhouse/uax29/v2/graphemes"

// countGraphemes returns the number of extended grapheme clusters according to UAX
// 29 of Unicode 17. Personal data servers count the same: the official one uses
// Intl.Segmenter. Since Unicode 15.1 an Indic conjunct such as क्ष is one cluster
// (rule GB9c).
func countGraphemes(text string) int {
	count := 0
	for clusters := graphemes.FromString(text); clusters.Next(); {
		count++
	}
	return count
}
