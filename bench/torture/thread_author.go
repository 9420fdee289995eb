package main

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// threadParts is the number of parts of a thread without its first comment.
const threadParts = 5

// threadStory is an acknowledged post for one account: a thread or a single post.
type threadStory struct {
	server  *threadServer
	mark    string
	account string
	post    string
	parts   []shownPart
	comment bool // the last part is a first comment
	retried bool // it stopped, and a person continued it
}

// shownPart is what a network must show of a part.
type shownPart struct {
	text  string
	files []shownFile
	poll  []string
}

// thread returns the number of parts without the first comment.
func (s *threadStory) thread() int {
	if s.comment {
		return len(s.parts) - 1
	}
	return len(s.parts)
}

// threadAuthor posts threads, and single posts before and after them, to one network. It
// is for one goroutine.
type threadAuthor struct {
	*gatedClient
	world  *threadWorld
	server *threadServer
	groups int
}

// work posts until enough is closed, and finishes the current posts.
func (a *threadAuthor) work(ctx context.Context, enough <-chan struct{}) error {
	for {
		if err := a.writeGroup(ctx); err != nil {
			return err
		}
		pause := time.Duration(500+a.random.IntN(1500)) * time.Millisecond
		switch {
		case a.server.listed > 0 && a.groups >= 2:
			pause = time.Minute // fewer posts than listed should follow an unknown outcome
		case a.groups > 5:
			pause *= 4 // threads wait a minute after an unknown outcome, and their number is limited
		}
		if pauseBetween(ctx, enough, pause) != nil {
			return nil
		}
	}
}

// writeGroup creates a single post, a thread, and another single post for one account, at
// about the same time.
func (a *threadAuthor) writeGroup(ctx context.Context) error {
	a.groups++
	account, err := a.connect(ctx, a.groups)
	if err != nil {
		return err
	}
	at := time.Now().Add(time.Duration(500+a.random.IntN(1000)) * time.Millisecond)
	for i := range 3 {
		publishAt := apiv1.At(at.Add(time.Duration(i*a.random.IntN(100)) * time.Millisecond))
		if a.random.IntN(2) == 0 {
			publishAt = apiv1.Now()
		}
		if err := a.writeStory(ctx, account, publishAt, i == 1); err != nil {
			return err
		}
	}
	return nil
}

// writeStory creates a post.
func (a *threadAuthor) writeStory(ctx context.Context, account string, at *apiv1.PublishTime, thread bool) error {
	s := &threadStory{server: a.server, account: account, mark: fmt.Sprintf("%s-story-%d", a.gate.name, a.posts+1)}
	first, err := a.writePart(ctx, s)
	if err != nil {
		return err
	}
	body := apiv1.CreatePost{Content: first.Content, Media: first.Media, SocialAccountIDs: []string{account}, PublishAt: at}
	if thread {
		if err := a.writeThread(ctx, s, &body); err != nil {
			return err
		}
	}
	if s.post, err = a.create(ctx, body); err != nil {
		return err
	}
	a.world.storyMu.Lock()
	defer a.world.storyMu.Unlock()
	a.world.stories = append(a.world.stories, s)
	return nil
}

// writeThread adds the further parts of a thread, and sometimes a first comment or a poll.
func (a *threadAuthor) writeThread(ctx context.Context, s *threadStory, body *apiv1.CreatePost) error {
	for range threadParts - 1 {
		part, err := a.writePart(ctx, s)
		if err != nil {
			return err
		}
		body.Thread = append(body.Thread, part)
	}
	if a.server.polls && a.random.IntN(3) == 0 {
		options := []string{"yes", "no", "maybe"}
		body.Poll = &apiv1.Poll{Options: options, ExpiresInSeconds: 3600}
		body.Media, s.parts[0].files, s.parts[0].poll = nil, nil, options // networks take no pictures with a poll
	}
	if a.random.IntN(3) > 0 {
		return nil
	}
	comment, err := a.writePart(ctx, s)
	s.comment, body.FirstComment = true, &comment
	return err
}

// writePart adds a part with up to two pictures to a story.
func (a *threadAuthor) writePart(ctx context.Context, s *threadStory) (apiv1.Part, error) {
	shown := shownPart{text: a.text(s.mark, len(s.parts))}
	part := apiv1.Part{Content: shown.text, Media: []apiv1.PostMedia{}}
	pictures := a.random.IntN(3)
	if a.server.fewFiles && a.random.IntN(2) == 0 {
		pictures = 0
	}
	for n := range pictures {
		media, file, err := a.upload(ctx, fmt.Sprintf("%s picture %d of part %d", s.mark, n, len(s.parts)))
		if err != nil {
			return part, err
		}
		if a.server.noAlt {
			file.alt = ""
		}
		shown.files, part.Media = append(shown.files, file), append(part.Media, media)
	}
	s.parts = append(s.parts, shown)
	return part, nil
}

// text returns the mark of a story, the number of a part, and words that make the text
// unlike any other.
func (a *threadAuthor) text(story string, part int) string {
	text := fmt.Sprintf("%s part %d", story, part)
	for range 6 {
		word := make([]byte, 7)
		for i := range word {
			word[i] = byte('a' + a.random.IntN(26))
		}
		text += " " + string(word)
	}
	return text
}
