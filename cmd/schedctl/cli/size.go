package cli

import "fmt"

// SizeText returns a number of bytes as "312 bytes", "4.2 MB". A MB has 10^6 bytes, as
// in the limits of the daemon.
func SizeText(n int64) string {
	if n < 1000 {
		return Plural(int(n), "byte")
	}
	size, unit := float64(n)/1000, "kB"
	for _, larger := range []string{"MB", "GB", "TB"} {
		if size < 999.95 {
			break
		}
		size, unit = size/1000, larger
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
