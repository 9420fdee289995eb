package notify

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"strings"
	"sync"
	"time"

	mail "github.com/wneessen/go-mail"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// maxReplies is how much is read from a mail server in all, in bytes.
const maxReplies = 256 << 10

var (
	errPublicPlain = errors.New("the mail server has a public address, and e-mail is sent there with TLS only; use starttls or implicit")
	errLapsed      = errors.New("another daemon sends the messages now")
)

// authentications are the mechanisms in order of preference. The library refuses
// to send a password in clear text without TLS.
var authentications = []mail.SMTPAuthType{
	mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthSCRAMSHA1, mail.SMTPAuthPlain, mail.SMTPAuthLogin, mail.SMTPAuthCramMD5,
}

// mail sends a message by e-mail.
func (s *Sender) mail(ctx context.Context, hook *schedctl.Webhook, key string, m Message) error {
	to := hook.Notify.Mail
	password := ""
	if len(hook.Secret) > 0 {
		plain, err := s.cfg.Sealer.Open(hook.Secret, hook.ID)
		if err != nil {
			return errors.New("the stored password of the mail server cannot be opened; give the notification a new one")
		}
		password = string(plain)
	}
	msg, err := s.letter(to, key, m)
	if err != nil {
		return err
	}
	if allowed := publish.Guard(ctx); allowed != nil && !allowed() {
		return errLapsed
	}
	conn := &mailConn{dial: s.dial, settings: to, tls: &tls.Config{ServerName: to.Host, RootCAs: s.cfg.RootCAs, MinVersion: tls.VersionTLS12}}
	defer conn.close()
	defer context.AfterFunc(ctx, conn.close)()
	client, err := newMailClient(conn, password)
	if err != nil {
		return fmt.Errorf("the settings of the mail server cannot be used: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, msg)
	if err == nil || msg.IsDelivered() { // the goodbye may fail after that
		return nil
	}
	return mailError(to, password, err)
}

func newMailClient(conn *mailConn, password string) (*mail.Client, error) {
	to := conn.settings
	policy := mail.TLSMandatory
	if to.TLS != schedctl.MailStartTLS {
		policy = mail.NoTLS // mailConn encrypts when TLS is implicit
	}
	options := []mail.Option{
		mail.WithPort(to.Port), mail.WithTLSPolicy(policy), mail.WithTLSConfig(conn.tls), mail.WithHELO("localhost"),
		mail.WithTimeout(sendTimeout - 5*time.Second), mail.WithDialContextFunc(conn.open), mail.WithoutNoop(),
	}
	if to.Username != "" {
		options = append(options, mail.WithOpportunisticSMTPAuth(authentications...), mail.WithUsername(to.Username), mail.WithPassword(password))
	}
	return mail.NewClient(to.Host, options...)
}

// letter returns the e-mail. A repeated e-mail has the same Message-ID.
func (s *Sender) letter(to *schedctl.Mail, key string, m Message) (*mail.Msg, error) {
	msg := mail.NewMsg()
	if err := errors.Join(msg.From(to.From), msg.To(to.To...)); err != nil {
		return nil, fmt.Errorf("an address cannot be used: %w", err)
	}
	host := "localhost"
	if _, domain, found := strings.Cut(strings.TrimSuffix(to.From, ">"), "@"); found {
		host = domain
	}
	msg.SetMessageIDWithValue(key + "@" + host)
	msg.SetDate()
	msg.SetBulk()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetUserAgent(strings.TrimSuffix("schedctl/"+s.cfg.Version, "/"))
	msg.Subject("[schedctl] " + clip(m.Subject, 150))
	msg.SetBodyString(mail.TypeTextPlain, m.Text+"\n")
	return msg, nil
}

// mailConn opens the connection of one e-mail, and bounds what is read from it.
type mailConn struct {
	dial     dialFunc
	settings *schedctl.Mail
	tls      *tls.Config

	mu  sync.Mutex // mu guards raw
	raw net.Conn
}

// open connects. Without TLS it refuses public addresses, whatever the policy.
func (c *mailConn) open(ctx context.Context, network, address string) (net.Conn, error) {
	raw, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.raw = raw
	c.mu.Unlock()
	if c.settings.TLS == schedctl.MailPlain && !isPrivate(raw.RemoteAddr()) {
		return nil, errPublicPlain
	}
	limited := &limitedConn{Conn: raw, left: maxReplies}
	if c.settings.TLS != schedctl.MailImplicit {
		return limited, nil
	}
	secure := tls.Client(limited, c.tls)
	return secure, secure.HandshakeContext(ctx)
}

// close closes the connection. The library leaves it open after some errors.
func (c *mailConn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.raw != nil {
		c.raw.Close()
	}
}

// isPrivate reports whether an address is a loopback or a private one.
func isPrivate(a net.Addr) bool {
	at, err := netip.ParseAddrPort(a.String())
	ip := at.Addr().Unmap()
	return err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// limitedConn ends after a number of bytes that are read.
type limitedConn struct {
	net.Conn
	left int
}

// Read implements [net.Conn].
func (c *limitedConn) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.Conn.Read(b[:min(len(b), c.left)])
	c.left -= n
	return n, err
}

// mailError says, for people, why an e-mail was not sent.
func mailError(to *schedctl.Mail, password string, err error) error {
	var op *net.OpError
	var reply *textproto.Error
	var certificate *tls.CertificateVerificationError
	var refused *mail.SendError
	switch {
	case errors.Is(err, errPublicPlain):
		return errPublicPlain
	case errors.As(err, &reply):
		text := fmt.Sprintf("the mail server %s responded %d %s", to.Host, reply.Code, reply.Msg)
		return errors.New(hidePassword(text, to, password))
	case errors.As(err, &refused):
		// The rest repeats the recipients and the id of the message.
		text, _, _ := strings.Cut(refused.Error(), ", affected ")
		return errors.New(hidePassword(fmt.Sprintf("the mail server %s did not take the message: %s", to.Host, text), to, password))
	case errors.As(err, &op), errors.As(err, &certificate), errors.Is(err, context.DeadlineExceeded):
		return errors.New(outbound.NoResponse(err, to.Host))
	}
	return errors.New(hidePassword(fmt.Sprintf("the mail server %s did not take the message: %v", to.Host, err), to, password))
}

// hidePassword removes the password from a text, in the forms in which it is sent.
func hidePassword(text string, to *schedctl.Mail, password string) string {
	if password == "" {
		return text
	}
	encode := base64.StdEncoding.EncodeToString
	plain := encode([]byte("\x00" + to.Username + "\x00" + password))
	return hide(text, plain, encode([]byte(password)), password)
}
