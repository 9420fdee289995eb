//go:build !unix

package cost

import "time"

func processorTime() time.Duration { return 0 }
