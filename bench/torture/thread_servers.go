package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"regexp"

	"github.com/schedctl/schedctl/client/apiv1"
)

// threadServer is a network behind its gate.
type threadServer struct {
	*networkGate
	showAll func(context.Context) ([]shownPost, error) // in the order in which the network shows them

	cannotAsk  bool // an unknown outcome stays unknown
	listed     int  // how many of the newest posts the network lists; 0 for all
	whole      bool // one request publishes all parts
	polls      bool
	noAlt      bool
	fewFiles   bool // pictures take seconds to be processed
	showsReply bool // the network shows to which post a part replies
	showsRoot  bool // the network shows the first post of a thread
}

type threadServers []*threadServer

func (s threadServers) gates() (gates []*networkGate) {
	for _, each := range s {
		gates = append(gates, each.networkGate)
	}
	return gates
}

func (s threadServers) stop() {
	for _, each := range s {
		each.networkGate.stop()
	}
}

// startThreadServers starts the fakes and the real servers that are installed. missing
// says which are not. The caller must stop the servers, even after an error.
func (h *harness) startThreadServers() (servers threadServers, missing string, err error) {
	snac, pds := &snacServer{}, &pdsServer{}
	missing, err = h.startRealServers(snac, pds)
	if snac.gate != nil {
		servers = append(servers, &threadServer{networkGate: snac.gate, showAll: snac.showAll, listed: 20, showsReply: true})
	}
	if pds.gate != nil {
		servers = append(servers, &threadServer{networkGate: pds.gate, showAll: pds.showAll, whole: true, showsReply: true, showsRoot: true})
	}
	servers = append(servers, h.fakeThreadServers()...)
	for _, s := range servers {
		s.storyOf = storyIn
		s.choose = oneFault(h, s.name)
		if err == nil {
			err = s.serve()
		}
	}
	return servers, missing, err
}

// fakeThreadServers returns the fakes, which are written from the documentation of their
// networks.
func (h *harness) fakeThreadServers() threadServers {
	gate := func(name string, account func(string, int) apiv1.AddAccount, handler http.Handler) *networkGate {
		return &networkGate{name: name, account: account, upstream: handler}
	}
	loss := func(name string) func(string) bool { return oneLoss(h.random("thread/loss/"+name), storyOfAlt) }
	mastodon := newMastodonFake(h.random("thread/mastodon"), loss("mastodon"))
	mastodon.refusesNone = true
	slack, matrix := slackFake{newFakeChat(loss("slack"))}, matrixFake{newFakeChat(nil)}
	telegram, discord := telegramFake{newFakeChat(nil)}, discordFake{newFakeChat(nil)}
	receiver := receiverFake{newFakeChat(nil)}
	receiverGate := gate("receiver", receiver.account, receiver.handler())
	receiverGate.retries = true
	return threadServers{
		{networkGate: receiverGate, showAll: receiver.showAll, whole: true, polls: true},
		{networkGate: gate("mastodon", mastodon.account, mastodon.handler()), showAll: mastodon.showAll, polls: true, fewFiles: true, showsReply: true},
		{networkGate: gate("slack", slack.account, slack.handler()), showAll: slack.showAll, fewFiles: true, showsRoot: true},
		{networkGate: gate("matrix", matrix.account, matrix.handler()), showAll: matrix.showAll, noAlt: true, showsReply: true, showsRoot: true},
		{networkGate: gate("telegram", telegram.account, telegram.handler()), showAll: telegram.showAll, polls: true, noAlt: true, cannotAsk: true, showsReply: true},
		{networkGate: gate("discord", discord.account, discord.handler()), showAll: discord.showAll, polls: true, cannotAsk: true},
	}
}

// storyMark matches the mark in the texts and the alt texts of a story.
var storyMark = regexp.MustCompile(`\b[a-z]+-story-[0-9]+\b`)

// storyIn returns the mark of the story in a text, or the empty string.
func storyIn(text []byte) string { return string(storyMark.Find(text)) }

func storyOfAlt(alt string) string { return storyIn([]byte(alt)) }

// oneFault returns a function that chooses at most one fault for each story, in a request
// that publishes. A second one could delay the retry by more than a minute.
func oneFault(h *harness, name string) func(networkStep, string) gateFault {
	random, had := h.random("thread/fault/"+name), map[string]bool{}
	return func(step networkStep, story string) gateFault {
		if step != publishStep || story == "" || had[story] || random.IntN(8) > 0 {
			return noFault
		}
		had[story] = true
		return []gateFault{refuseOnce, cutOff, acceptLate}[random.IntN(3)]
	}
}

// oneLoss returns a function that chooses at most one picture of each post or story for a
// network to lose: a retry after a second loss would come minutes later. storyOf returns
// the story of a picture with an alt text. The function is for one goroutine.
func oneLoss(random *rand.Rand, storyOf func(alt string) string) func(alt string) bool {
	had := map[string]bool{}
	return func(alt string) bool {
		story := storyOf(alt)
		if had[story] || random.IntN(8) > 0 {
			return false
		}
		had[story] = true
		return true
	}
}
