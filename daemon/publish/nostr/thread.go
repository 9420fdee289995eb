package nostr

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// ThreadRules allows threads: each part is a reply to the one before it.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules { return publish.ThreadRules{} }
