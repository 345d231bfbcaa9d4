// Package queue keeps scans on disk until the server has them.
package queue

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// Scan is one beep of the handheld.
type Scan struct {
	TrackingNo string    `json:"tracking_no"`
	Status     string    `json:"status"`
	Hub        string    `json:"hub"`
	At         time.Time `json:"at"`
}

// Spool is a file with one scan per line.
type Spool struct {
	mu       sync.Mutex
	path     string
	maxBytes int64
}

// ErrFull is returned when the disk space set aside for scans is used up.
var ErrFull = fmt.Errorf("spool is full")

// NewSpool uses the file at path, which need not exist yet.
func NewSpool(path string, maxBytes int64) *Spool {
	return &Spool{path: path, maxBytes: maxBytes}
}

// Append writes one scan and syncs it to the flash card.
func (s *Spool) Append(scan Scan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	line, err := json.Marshal(scan)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	file, err := os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size()+int64(len(line)) > s.maxBytes {
		return ErrFull
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return file.Sync()
}

// Drain hands out everything that is waiting and empties the file.
func (s *Spool) Drain() ([]Scan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := os.Open(s.path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	defer file.Close()
	var scans []Scan
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var scan Scan
		if err := json.Unmarshal(lines.Bytes(), &scan); err != nil {
			continue // half a line, the power went while it was written
		}
		scans = append(scans, scan)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	return scans, os.Truncate(s.path, 0)
}

// Size is the number of bytes on disk, for the health report.
func (s *Spool) Size() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0
	}
	return info.Size()
}
