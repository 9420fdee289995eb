package networks

import (
	"fmt"
	"net/http"
	"path"
	"strings"
)

func discord() Account {
	return Account{
		Platform: "discord", Name: "discord", Memory: Neither,
		Credentials: map[string]string{"webhook_url": "{url}/api/webhooks/123456789012345678/a-token-of-the-webhook"},
		Secrets:     []string{"a-token-of-the-webhook"},
		Responds:    func(*http.Request) string { return `{"id":"1","name":"n","type":1,"channel_id":"7"}` },
		Accepted:    func(p Sent) string { return fmt.Sprintf(`{"id":"%d","channel_id":"7"}`, p.Number) },
	}
}

func googleChat() Account {
	return Account{
		Platform: "googlechat", Name: "googlechat", Memory: Idempotent, Traits: []Trait{Replies},
		Credentials: map[string]string{"webhook_url": "{url}/v1/spaces/AAAA/messages?key=a-key-of-the-webhook&token=a-token-of-the-webhook"},
		Secrets:     []string{"a-key-of-the-webhook", "a-token-of-the-webhook"},
		Responds:    func(*http.Request) string { return `{"name":"spaces/AAAA/messages/m.m"}` },
		RepeatKey:   func(r *http.Request, _ []byte) string { return r.URL.Query().Get("requestId") },
		Accepted:    func(p Sent) string { return fmt.Sprintf(`{"name":"spaces/AAAA/messages/m%d"}`, p.Number) },
	}
}

func matrix() Account {
	return Account{
		Platform: "matrix", Name: "matrix", Memory: Findable, Traits: []Trait{RepeatsWithin},
		Credentials: map[string]string{"homeserver_url": "{url}", "access_token": "a-token-of-the-homeserver", "room_id": "!room:server.test"},
		Secrets:     []string{"a-token-of-the-homeserver"},
		Responds: func(*http.Request) string {
			return `{"user_id":"@u:server.test","membership":"join","displayname":"u","event_id":"$e"}`
		},
		Publishes: func(r *http.Request) bool { return r.Method == http.MethodPut },
		Preflight: func(r *http.Request) bool { return path.Base(r.URL.Path) == "m.room.encryption" },
		RepeatKey: func(r *http.Request, _ []byte) string { return path.Base(r.URL.Path) },
		Accepted:  func(p Sent) string { return fmt.Sprintf(`{"event_id":"$%d"}`, p.Number) },
		Asked: func(_ *http.Request, posts []Sent) string {
			return `{"chunk":` + newestFirst(posts, func(p Sent) string {
				return fmt.Sprintf(`{"event_id":"$%d","sender":"@me:server.test","origin_server_ts":%d,"content":%s}`, p.Number, p.At.UnixMilli(), quote(p.Body))
			}) + `}`
		},
	}
}

// matrixPassword is connected with a password, which is exchanged for a session. The tests of
// deliveries use the other account.
func matrixPassword() Account {
	a := matrix()
	a.Name, a.Memory, a.Accepted, a.Asked = "matrix, password", "", nil, nil
	a.Credentials = map[string]string{"homeserver_url": "{url}", "user": "u", "password": "the-password-of-the-user", "room_id": "!room:server.test"}
	a.Session = map[string]string{"access_token": "a-token-of-a-session", "refresh_token": "a-refresh-token-of-a-session", "device_id": "DEVICE"}
	a.Secrets = []string{"the-password-of-the-user", "a-token-of-a-session", "a-refresh-token-of-a-session"}
	a.Responds = func(r *http.Request) string {
		if path.Base(r.URL.Path) == "login" {
			return `{"user_id":"@u:server.test","device_id":"DEVICE","access_token":"a-token-of-a-session","refresh_token":"a-refresh-token-of-a-session"}`
		}
		return `{"user_id":"@u:server.test","membership":"join","displayname":"u","event_id":"$e"}`
	}
	return a
}

const slackResponse = `{"ok":true,"url":"https://network.example/","user":"u","team":"t","ts":"1.2","channel":{"name":"c"}}`

func slackWebhook() Account {
	return Account{
		Platform: "slack", Name: "slack, webhook", Memory: Neither,
		Credentials: map[string]string{"webhook_url": "{url}/services/T00000000/B00000000/aTokenOfTheSlackWebhook"},
		Secrets:     []string{"aTokenOfTheSlackWebhook"},
		Responds:    func(*http.Request) string { return slackResponse },
		Accepted:    func(Sent) string { return "ok" },
	}
}

func slackBot() Account {
	ts := func(p Sent) string { return fmt.Sprintf("%d.%06d", p.At.Unix(), p.Number) }
	return Account{
		Platform: "slack", Name: "slack, bot", Memory: Findable, Traits: []Trait{Replies},
		Credentials: map[string]string{"bot_token": "xoxb-a-token-of-a-slack-bot", "channel": "C0123456789", "api_url": "{url}/api"},
		Secrets:     []string{"a-token-of-a-slack-bot"},
		Responds:    func(*http.Request) string { return slackResponse },
		Accepted:    func(p Sent) string { return fmt.Sprintf(`{"ok":true,"channel":"C0123456789","ts":%q}`, ts(p)) },
		Asked: func(_ *http.Request, posts []Sent) string {
			list := []string{}
			for _, p := range posts {
				list = append(list, fmt.Sprintf(`{"type":"message","ts":%q,"metadata":%s}`, ts(p), quote(p.Body["metadata"])))
			}
			return `{"ok":true,"messages":[` + strings.Join(list, ",") + `]}`
		},
	}
}

func telegram() Account {
	return Account{
		Platform: "telegram", Name: "telegram", Memory: Neither,
		Credentials: map[string]string{"bot_token": "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", "chat_id": "@news", "api_url": "{url}"},
		Secrets:     []string{"ABC-DEF1234ghIkl-zyx57W2v1u123ew11"},
		Responds: func(*http.Request) string {
			return `{"ok":true,"result":{"id":-1001,"message_id":7,"status":"administrator","title":"c","type":"channel","username":"news","chat":{"id":-1001}}}`
		},
		Accepted: func(p Sent) string {
			return fmt.Sprintf(`{"ok":true,"result":{"message_id":%d,"chat":{"id":-1001,"type":"channel","username":"news"}}}`, p.Number)
		},
	}
}
