package stream

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// invalidBase is where bytes that are not UTF-8 are kept: byte b becomes the
// private-use character invalidBase+b, which a JSON decoder leaves alone.
const invalidBase = 0x10FE00

// HideBytes replaces each byte of data that is not UTF-8 by a private-use
// character. A letter that a server split over two pieces of a stream survives
// decoding that way; [RestoreBytes] puts it together.
func HideBytes(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	out := make([]byte, 0, len(data)+8)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			r = invalidBase + rune(data[0])
		}
		out = utf8.AppendRune(out, r)
		data = data[n:]
	}
	return out
}

// RestoreBytes undoes [HideBytes] on text put together from the pieces. Bytes
// that still are no UTF-8 become U+FFFD, which no argument may hold.
func RestoreBytes(s string) string {
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if isHidden(r) {
			out = append(out, byte(r-invalidBase))
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

func isHidden(r rune) bool { return r >= invalidBase+0x80 && r <= invalidBase+0xFF }

// MaxLine is the longest line of a stream that is read, in bytes.
const MaxLine = 4 << 20

// ErrLineTooLong ends a stream whose server writes a line without end.
var ErrLineTooLong = errors.New("stream: a line of more than 4 MiB")

// RewriteLines reads a body line by line and gives each line to rewrite before
// it goes on. It is how an adapter mends what a client library cannot read. A
// read error other than io.EOF is passed on and given to failed. Closing the
// result closes body.
func RewriteLines(body io.ReadCloser, rewrite func(line []byte) []byte, failed func(error)) io.ReadCloser {
	return &lineReader{body: body, in: bufio.NewReader(body), rewrite: rewrite, failed: failed}
}

type lineReader struct {
	body    io.ReadCloser
	in      *bufio.Reader
	rewrite func([]byte) []byte
	failed  func(error)
	out     bytes.Buffer
	err     error
}

func (l *lineReader) Read(p []byte) (int, error) {
	for l.out.Len() == 0 && l.err == nil {
		line, err := l.readLine()
		if len(line) > 0 {
			end := len(bytes.TrimRight(line, "\r\n"))
			l.out.Write(l.rewrite(line[:end]))
			l.out.Write(line[end:])
		}
		if err != nil && err != io.EOF {
			l.failed(err)
		}
		l.err = err
	}
	if l.out.Len() > 0 {
		return l.out.Read(p)
	}
	return 0, l.err
}

func (l *lineReader) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine {
			return nil, ErrLineTooLong
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func (l *lineReader) Close() error { return l.body.Close() }
