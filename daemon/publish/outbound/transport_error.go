package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// transportError describes a call that got no answer. What net/http says is
// not passed on as it is: it holds the URL, which may be a secret, and bytes
// that the other end sent.
func transportError(err error, host string, wrote bool) error {
	if errors.Is(err, ErrPlainHTTP) {
		return plainHTTP(host)
	}
	if wrote {
		return &publish.Error{
			Kind: schedctl.KindNetwork, Message: lostMessage(err, host), Outcome: schedctl.OutcomeUnknown, Err: safeCause(err),
		}
	}
	return &publish.Error{
		Kind: schedctl.KindNetwork, Message: unsentMessage(err, host), Outcome: schedctl.OutcomeNotPublished, Err: safeCause(err),
	}
}

// NoResponse says, for people, why a call to a host got no answer, where that is
// all there is to say: err is what an [http.Client] returned. The text holds
// neither the URL, which may be a secret, nor bytes that the other end sent.
func NoResponse(err error, host string) string {
	var op *net.OpError
	connecting := errors.As(err, &op) && op.Op == "dial" ||
		errors.As(err, new(*tls.CertificateVerificationError)) || errors.Is(err, http.ErrSchemeMismatch)
	if connecting {
		return unsentMessage(err, host)
	}
	return lostMessage(err, host)
}

// lostMessage says why a request that was begun got no answer.
func lostMessage(err error, host string) string {
	switch {
	case isTimeout(err):
		return fmt.Sprintf("%s did not answer in time", host)
	case errors.Is(err, context.Canceled):
		return fmt.Sprintf("the call to %s was broken off before it answered", host)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, new(*net.OpError)), isErrno(err):
		return fmt.Sprintf("%s closed the connection without an answer", host)
	default:
		return fmt.Sprintf("%s gave no usable HTTP answer", host)
	}
}

// unsentMessage says why a request could not even be begun.
func unsentMessage(err error, host string) string {
	var dns *net.DNSError
	var verification *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ErrPrivateAddress):
		return (&privateHostError{host}).Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("there is no host named %s; check the address", host)
	case errors.As(err, &dns):
		return fmt.Sprintf("the name %s could not be resolved", host)
	case errors.As(err, &verification):
		return fmt.Sprintf("the certificate of %s is not valid: %s", host, certificateFault(verification.Err))
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Sprintf("%s does not speak TLS; check whether its address begins with http://", host)
	case isTimeout(err):
		return fmt.Sprintf("%s could not be connected to in time", host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("%s refused the connection; is the server running?", host)
	default:
		return fmt.Sprintf("%s could not be connected to", host)
	}
}

// certificateFault is short, and names none of the other end's own words.
func certificateFault(err error) string {
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name):
		return "it is for another host"
	case errors.As(err, &authority):
		return "it is signed by an unknown authority"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired or is not valid yet"
	default:
		return "it does not verify"
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &timeout) && timeout.Timeout())
}

func isErrno(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno)
}

// safeCause returns what the log may have of err: neither the URL, nor what
// the other end sent.
func safeCause(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var op *net.OpError
	switch {
	case errors.As(err, &op), isErrno(err), isTimeout(err), errors.Is(err, context.Canceled), errors.Is(err, io.EOF):
		return err
	default:
		return fmt.Errorf("%T", err)
	}
}
