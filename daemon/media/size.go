package media

import "fmt"

// Size is a number of bytes that prints in units of 1000.
type Size int64

// String returns the size with at most one decimal, such as "1.5 MB".
func (n Size) String() string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	value, unit := float64(n), 0
	for value >= 1000 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	if value == float64(int64(value)) || unit == 0 {
		return fmt.Sprintf("%d %s", int64(value), units[unit])
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}
