package queue

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func newTestSpool(t *testing.T, max int64) (*Spool, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scans.jsonl")
	return NewSpool(path, max), path
}

func TestScansSurviveRestart(t *testing.T) {
	spool, path := newTestSpool(t, 1<<20)
	scan := Scan{TrackingNo: "HB1", Status: "in_transit", Hub: "BRS", At: time.Unix(1700000000, 0)}
	if err := spool.Append(scan); err != nil {
		t.Fatal(err)
	}
	scans, err := NewSpool(path, 1<<20).Drain()
	if err != nil || len(scans) != 1 || scans[0].TrackingNo != "HB1" {
		t.Fatalf("scans lost after restart: %v %v", scans, err)
	}
}

func TestHalfWrittenLineAfterPowerCutIsSkipped(t *testing.T) {
	spool, path := newTestSpool(t, 1<<20)
	if err := spool.Append(Scan{TrackingNo: "HB1"}); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	file.WriteString(`{"tracking_no":"HB`)
	file.Close()
	scans, err := spool.Drain()
	if err != nil || len(scans) != 1 {
		t.Fatalf("want one scan, got %v %v", scans, err)
	}
}

func TestSpoolIsFull(t *testing.T) {
	spool, _ := newTestSpool(t, 10)
	if err := spool.Append(Scan{TrackingNo: "HB1"}); err != ErrFull {
		t.Fatalf("want ErrFull, got %v", err)
	}
}
