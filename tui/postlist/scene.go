package postlist

import (
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Scene is the state that the renderers of posts need.
type Scene struct {
	*screen.Scene
	Busy  map[string]apiv1.Post
	Marks *Marks
	Moves map[string]string // what the move of a grabbed post means, by id

	Blackouts []apiv1.Blackout

	Queues []apiv1.Queue
	Series map[string]SeriesInfo // by id

	KeyKinds map[string]string // by id
}
