package googlechat

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// ThreadRules allows threads: each part is a message in the thread of the first one.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules { return publish.ThreadRules{} }

// thread names the thread of a message, by the network's name or by a key that the
// webhook chose.
type thread struct {
	Name string `json:"name,omitempty"`
	Key  string `json:"threadKey,omitempty"`
}

// threadOf returns the thread of a message. Part 0 starts one under the key of the
// request. Later parts refer to it by its name, because an unknown key would start
// another thread. Only if the network did not report the name, they use the key.
func threadOf(r publish.Request) *thread {
	switch {
	case r.Part == 0:
		return &thread{Key: r.Key}
	case threadName().MatchString(r.Root.Ref):
		return &thread{Name: r.Root.Ref}
	}
	return &thread{Key: r.TargetID}
}

// replyOption says what happens if the thread of a message does not exist. A reply is
// then refused.
func replyOption(r publish.Request) string {
	if r.Part == 0 {
		return "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD"
	}
	return "REPLY_MESSAGE_OR_FAIL"
}

// lostThread reports whether the network published a reply outside the thread of part 0.
func lostThread(r publish.Request, name string) bool {
	return r.Part > 0 && name != "" && threadName().MatchString(r.Root.Ref) && name != r.Root.Ref
}
