package variant

import "context"

// Turns is turns for tests.
type Turns = turns

// NewTurns is newTurns for tests.
func NewTurns(budget int64) *Turns { return newTurns(budget) }

// Acquire is acquire for tests.
func (t *turns) Acquire(ctx context.Context, turn Turn, memory int64) error {
	return t.acquire(ctx, turn, memory)
}

// Release is release for tests.
func (t *turns) Release(turn Turn, memory int64) { t.release(turn, memory) }

// Most is most for tests.
func (t *turns) Most(lane Lane) int64 { return t.most(lane) }

// MaxPassed is maxPassed for tests.
const MaxPassed = maxPassed

// MemoryFor is memoryFor for tests.
var MemoryFor = memoryFor
