package uploader

import (
	"math/rand"
	"time"
)

// Backoff yields longer and longer waits, each shortened by a random share so
// that the agents of a depot do not all come back in the same second after
// the network was down.
type Backoff struct {
	First  time.Duration
	Max    time.Duration
	Factor float64
	// Spread is the largest share taken off, between 0 and 1.
	Spread float64

	current time.Duration
	random  func() float64
}

// DefaultBackoff suits the mobile networks at the depots.
func DefaultBackoff() *Backoff {
	return &Backoff{
		First:  2 * time.Second,
		Max:    5 * time.Minute,
		Factor: 2,
		Spread: 0.4,
	}
}

// Next is how long to wait now; the one after will be longer.
func (b *Backoff) Next() time.Duration {
	if b.current == 0 {
		b.current = b.First
	}
	wait := b.current
	grown := time.Duration(float64(b.current) * b.Factor)
	if grown > b.Max {
		grown = b.Max
	}
	b.current = grown
	draw := rand.Float64
	if b.random != nil {
		draw = b.random
	}
	return wait - time.Duration(float64(wait)*b.Spread*draw())
}

// Reset starts over after a success.
func (b *Backoff) Reset() {
	b.current = 0
}
