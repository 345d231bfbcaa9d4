// Package scanner talks to the barcode gun on the serial line.
package scanner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	frameStart = 0x02
	frameEnd   = 0x03
	maxPayload = 120
)

var (
	// ErrChecksum means that the line was disturbed; the gun repeats the frame.
	ErrChecksum = errors.New("scanner: checksum mismatch")
	errLength   = errors.New("scanner: frame too long")
)

// Reader takes frames off the line.
type Reader struct {
	in     *bufio.Reader
	prefix string
	// Skipped counts the bytes between frames, a sign of a bad cable.
	Skipped int
}

// NewReader expects tracking numbers that begin with prefix.
func NewReader(in io.Reader, prefix string) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 512), prefix: prefix}
}

// Next is the next tracking number; everything else the gun sees is passed over.
func (r *Reader) Next() (string, error) {
	for {
		payload, err := r.readFrame()
		if errors.Is(err, ErrChecksum) || errors.Is(err, errLength) {
			continue
		}
		if err != nil {
			return "", err
		}
		text := strings.ToUpper(strings.TrimSpace(string(payload)))
		if strings.HasPrefix(text, r.prefix) {
			return text, nil
		}
	}
}

// readFrame waits for a start byte and reads length, payload, checksum and end.
func (r *Reader) readFrame() ([]byte, error) {
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return nil, err
		}
		if b == frameStart {
			break
		}
		r.Skipped++
	}
	length, err := r.in.ReadByte()
	if err != nil {
		return nil, err
	}
	if int(length) > maxPayload {
		return nil, errLength
	}
	rest := make([]byte, int(length)+2)
	if _, err := io.ReadFull(r.in, rest); err != nil {
		return nil, fmt.Errorf("scanner: frame cut off: %w", err)
	}
	payload, sum, end := rest[:length], rest[length], rest[length+1]
	if end != frameEnd || sum != xorOf(payload) {
		return nil, ErrChecksum
	}
	return payload, nil
}

func xorOf(payload []byte) byte {
	var sum byte
	for _, b := range payload {
		sum ^= b
	}
	return sum
}
