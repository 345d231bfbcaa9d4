// Package printer writes return labels on the belt printer of the driver.
package printer

import (
	"fmt"
	"io"
	"strings"
)

// Label is what a driver can print at the door.
type Label struct {
	TrackingNo string
	Lines      []string
	Copies     int
}

const (
	dotsPerMM  = 8
	lineHeight = 4 * dotsPerMM
	leftMargin = 3 * dotsPerMM
)

// escape replaces the characters that begin a command by their hex form.
func escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch r {
		case '^', '~', '_':
			fmt.Fprintf(&out, "_%02X", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Render turns a label into the commands of the printer.
func Render(label Label) (string, error) {
	if label.TrackingNo == "" {
		return "", fmt.Errorf("printer: label without tracking number")
	}
	copies := label.Copies
	if copies < 1 {
		copies = 1
	}
	var out strings.Builder
	out.WriteString("^XA^CI28\n")
	y := lineHeight
	for _, line := range label.Lines {
		fmt.Fprintf(&out, "^FO%d,%d^A0N,28^FH^FD%s^FS\n", leftMargin, y, escape(line))
		y += lineHeight
	}
	fmt.Fprintf(&out, "^FO%d,%d^BCN,100,Y^FD%s^FS\n", leftMargin, y+lineHeight/2, label.TrackingNo)
	fmt.Fprintf(&out, "^PQ%d^XZ\n", copies)
	return out.String(), nil
}

// Print sends the label in one write, so that two labels never mix.
func Print(port io.Writer, label Label) error {
	commands, err := Render(label)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(port, commands); err != nil {
		return fmt.Errorf("printer: %w", err)
	}
	return nil
}
