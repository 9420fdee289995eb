package screen

import (
	"crypto/sha256"
	"fmt"
)

// NewID returns a short text that depends on all values.
func NewID(values ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", values))
	return fmt.Sprintf("%x", sum[:8])
}
