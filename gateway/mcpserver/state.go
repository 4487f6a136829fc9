package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
)

// The state that a client of 2026-07-28 brings back with the answer of its user
// says which question it answers. It is signed, of one length, and holds of the
// question a digest only:
//
//	version 1 | expiry 8 | nonce 16 | SHA-256 of the question 32 | HMAC-SHA256 32
//
// It is no permission: what lets a call through is the approval in the store, which
// is answered once and used once, so that a state that is sent again finds nothing
// that it could answer.

const (
	stateVersion  = 1
	stateNonce    = 16
	stateSigned   = 1 + 8 + stateNonce + sha256.Size
	stateSize     = stateSigned + sha256.Size
	stateLifetime = time.Hour // how long a user may take to answer; then they are asked anew
)

// keySize is the least length of the key that states are signed with, in bytes.
const keySize = 32

// stateKeyName is what the key of states is kept as.
const stateKeyName = "mcp request state"

// errState is why a state is not taken. It does not say what is wrong with it.
var errState = errors.New("it was not made here, or was changed")

// state is what a client is given with a question.
type state struct {
	expires  time.Time // whole seconds
	question [sha256.Size]byte
}

// questionDigest stands for one question: the approval and all that it is bound
// to, each led by its length, so that no two questions run together alike.
func questionDigest(q *approval.Question) (digest [sha256.Size]byte) {
	h := sha256.New()
	for _, part := range []string{q.ID, q.Binding.Caller, q.Binding.Chat, q.Binding.Tool, q.Binding.Digest} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	h.Sum(digest[:0])
	return digest
}

// answers reports whether the state was given with the question and may still be
// brought back.
func (s *state) answers(q *approval.Question, now time.Time) bool {
	digest := questionDigest(q)
	return s != nil && now.Before(s.expires) && hmac.Equal(s.question[:], digest[:])
}

// sealState signs a state.
func sealState(key []byte, s *state) string {
	var nonce [stateNonce]byte
	_, _ = rand.Read(nonce[:]) // it never fails
	return sealWith(key, s, nonce)
}

func sealWith(key []byte, s *state, nonce [stateNonce]byte) string {
	b := make([]byte, 0, stateSize)
	b = append(b, stateVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(s.expires.Unix()))
	b = append(append(b, nonce[:]...), s.question[:]...)
	return base64.RawURLEncoding.EncodeToString(append(b, stateMAC(key, b)...))
}

// openState gives a state that sealState signed with the key. There is one text of
// each: anything else is errState.
func openState(key []byte, text string) (*state, error) {
	if len(text) != base64.RawURLEncoding.EncodedLen(stateSize) {
		return nil, errState
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != stateSize || !hmac.Equal(b[stateSigned:], stateMAC(key, b[:stateSigned])) || b[0] != stateVersion {
		return nil, errState
	}
	s := &state{expires: time.Unix(int64(binary.BigEndian.Uint64(b[1:])), 0)}
	copy(s.question[:], b[1+8+stateNonce:])
	return s, nil
}

func stateMAC(key, signed []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(stateKeyName))
	mac.Write(signed)
	return mac.Sum(nil)
}

// Keys keeps keys for good, so that a restart and other processes know again what
// was signed with them.
type Keys interface {
	// Key gives the key of the name, 32 random bytes or more, the same every time.
	Key(ctx context.Context, name string) ([]byte, error)
}

// ownKeys are of this process alone.
type ownKeys struct{}

// Key makes a key, which whoever asks has to keep.
func (ownKeys) Key(context.Context, string) ([]byte, error) {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // it never fails
	return key, nil
}

// sealer has the key of states once it was read.
type sealer struct {
	keys Keys
	mu   sync.Mutex // guards key
	key  []byte
}

func (s *sealer) load(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		return s.key, nil
	}
	key, err := s.keys.Key(ctx, stateKeyName)
	if err == nil && len(key) < keySize {
		err = errors.New("the key of request states is too short")
	}
	if err == nil {
		s.key = key
	}
	return s.key, err
}
