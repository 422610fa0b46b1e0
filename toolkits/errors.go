package toolkits

import (
	"errors"
	"fmt"
	"strings"
)

// Code classifies what went wrong in a tool. A caller branches on it; the message is for people and models.
type Code string

// The codes of a tool's errors.
const (
	NotFound       Code = "not_found"       // no such data set, variable, place; Legal has the nearest names
	EmptySelection Code = "empty_selection" // nothing lies in the region or period asked for
	BadUnit        Code = "bad_unit"
	BadCRS         Code = "bad_crs"
	OutOfDomain    Code = "out_of_domain" // outside the grid, the record or the formula's range
	NotEnoughData  Code = "not_enough_data"
	BadArgument    Code = "bad_argument"
	Unsupported    Code = "unsupported"
	TooLarge       Code = "too_large"
	Unavailable    Code = "unavailable" // transient: may work when tried again
	Internal       Code = "internal"
)

// Error is what a tool returns when it cannot give a result. The message says what was asked, what exists and what to
// try.
type Error struct {
	Code    Code
	Param   string // the parameter at fault, "" for none
	Message string
	Legal   []string // what would be legal there, nearest first
	Err     error    // the cause, may be nil
}

// Errorf makes an [*Error]. A %w verb keeps the cause; of a cause that has a code itself the message says all but that.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	message := err.Error()
	var cause *Error
	if errors.As(err, &cause) {
		message = strings.Replace(message, cause.Error(), cause.Text(), 1)
	}
	return &Error{Code: code, Message: message, Err: errors.Unwrap(err)}
}

// Error gives the code, the message and what would be legal.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Text() }

// Text is the error without its code, for where the code stands beside it.
func (e *Error) Text() string {
	var b strings.Builder
	if e.Param != "" {
		b.WriteString(e.Param + ": ")
	}
	b.WriteString(e.Message)
	if len(e.Legal) > 0 {
		b.WriteString("; try " + strings.Join(e.Legal, ", "))
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsError returns err as an [*Error]; anything else becomes one with code internal.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: err.Error(), Err: err}
}

func (e *Error) at(param string) *Error {
	if e.Param == "" {
		e.Param = param
	}
	return e
}
