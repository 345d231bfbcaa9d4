package uploader

import (
	"testing"
	"time"
)

func TestExponentialBackoffGrowsUpToItsMaximum(t *testing.T) {
	backoff := &Backoff{First: time.Second, Max: 5 * time.Second, Factor: 2}
	want := []time.Duration{1, 2, 4, 5, 5}
	for i, seconds := range want {
		if got := backoff.Next(); got != seconds*time.Second {
			t.Fatalf("wait %d is %s, want %ds", i, got, seconds)
		}
	}
}

func TestBackoffStartsOverAfterReset(t *testing.T) {
	backoff := &Backoff{First: time.Second, Max: time.Minute, Factor: 3}
	backoff.Next()
	backoff.Next()
	backoff.Reset()
	if got := backoff.Next(); got != time.Second {
		t.Fatalf("first wait after reset is %s", got)
	}
}

func TestRandomJitterOnlyShortensTheWait(t *testing.T) {
	backoff := &Backoff{First: 10 * time.Second, Max: time.Minute, Factor: 2, Spread: 0.4}
	backoff.random = func() float64 { return 1 }
	if got := backoff.Next(); got != 6*time.Second {
		t.Fatalf("wait with full jitter is %s, want 6s", got)
	}
}
