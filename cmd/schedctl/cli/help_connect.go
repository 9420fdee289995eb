package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
)

// connectStep starts the step of a page "schedctl help connect-…" that uses schedctl. The
// steps before it say where to click in a developer portal.
const connectStep = ". Connect the account"

// guides returns how accounts are connected, by platform.
var guides = sync.OnceValue(func() map[string]publish.Guide {
	found := map[string]publish.Guide{}
	for platform, p := range all.Publishers(all.Config{}) {
		if g, ok := p.(publish.Guided); ok {
			found[platform] = g.Guide()
		}
	}
	return found
})

// ConnectGuide returns the steps that a person takes on the website of a platform before
// schedctl can connect an account, or the empty string. The help pages have the same text.
// login is for a login with a browser, whose redirect address has the port.
func ConnectGuide(platform string, login bool, port int) string {
	guide := guides()[platform]
	if login {
		steps := strings.ReplaceAll(guide.Login, "127.0.0.1:21847", fmt.Sprint("127.0.0.1:", port))
		return strings.TrimLeft(guide.Notice+"\n\n"+steps, "\n")
	}
	before, _, found := strings.Cut(guide.Text, connectStep)
	if !found {
		return ""
	}
	end := strings.LastIndex(before, "\n")
	return strings.TrimRight(before[:end], "\n")
}

// ConnectNotice returns what people have to know before they connect an account of a
// platform, or the empty string. It is a part of [ConnectGuide].
func ConnectNotice(platform string) string { return guides()[platform].Notice }

// ConnectTopics returns the names of the help topics that explain how to connect an account.
func ConnectTopics() (names []string) {
	for _, platform := range slices.Sorted(maps.Keys(guides())) {
		names = append(names, "connect-"+platform)
	}
	return names
}

// connectTopics returns these topics.
func connectTopics() (topics []topic) {
	for _, name := range ConnectTopics() {
		guide := guides()[strings.TrimPrefix(name, "connect-")]
		topics = append(topics, topic{name, "How to connect " + guide.Account, staticTopic(func() string { return guide.Text })})
	}
	return topics
}
