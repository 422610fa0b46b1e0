package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
)

// verbatim are the kinds whose text stands for itself, whatever it looks like: "2 km + 300 m" is an expression, not 2 of
// a strange unit, and "1" is a unit.
var verbatim = []string{toolkits.KindString, toolkits.KindExpression, toolkits.KindUnit}

// stored are the kinds that a tool takes by hash only.
var stored = []string{artifact.KindRaster, artifact.KindVector, artifact.KindTable, artifact.KindSeries, artifact.KindScalar, artifact.KindImage}

// shortHash is how many digits of a hash are enough to name an artifact: as many as tables show.
const shortHash = 12

// callArguments reads the NAME=VALUE pairs of a tool call by the kinds that the parameters take.
func callArguments(ctx context.Context, store *artifact.Store, tool *toolkits.Tool, pairs []string) (map[string]toolkits.Value, error) {
	args := map[string]toolkits.Value{}
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("--arg %s: write it as NAME=VALUE", pair)
		}
		if _, twice := args[name]; twice {
			return nil, fmt.Errorf("--arg %s: %s is given twice; for a list write %s=[…]", pair, name, name)
		}
		prm, ok := tool.Param(name)
		if !ok {
			prm = &toolkits.Param{} // binding refuses it, and names those that there are
		}
		v, err := callArgument(ctx, store, prm, text)
		if err != nil {
			return nil, fmt.Errorf("--arg %s: %w", pair, err)
		}
		args[name] = v
	}
	return args, nil
}

func callArgument(ctx context.Context, store *artifact.Store, prm *toolkits.Param, text string) (toolkits.Value, error) {
	takes := func(kinds []string) bool {
		return slices.ContainsFunc(prm.Kinds, func(k string) bool { return slices.Contains(kinds, k) })
	}
	_, notNumber := strconv.ParseFloat(text, 64)
	if takes(stored) && isHash(text) && (notNumber != nil || !slices.Contains(prm.Kinds, artifact.KindScalar)) {
		return storedValue(ctx, store, text)
	}
	if len(prm.Kinds) == 1 && takes(verbatim) && !prm.List {
		return toolkits.Literal(text)
	}
	v, err := argumentValue(text)
	if err != nil {
		return v, err
	}
	if slices.Contains(prm.Kinds, artifact.KindScalar) && (v.Kind == toolkits.KindNumber || v.Kind == toolkits.KindInteger) {
		if v, err = scalarValue(ctx, store, v); err != nil {
			return v, err
		}
	}
	if prm.List && v.Kind != toolkits.KindList {
		v = toolkits.Value{Kind: toolkits.KindList, List: []toolkits.Value{v}}
	}
	return v, nil
}

// scalarValue stores a number that was written out, for a tool that takes the result of another.
func scalarValue(ctx context.Context, store *artifact.Store, v toolkits.Value) (toolkits.Value, error) {
	s := &artifact.Scalar{Type: artifact.Number, Unit: v.Unit}
	if s.Unit == "" {
		s.Unit = "1"
	}
	switch x := v.Plain().(type) {
	case float64:
		s.Value = x
	case int64:
		s.Value, s.Type = float64(x), artifact.Integer
	default:
		return v, fmt.Errorf("%v is no number", x)
	}
	meta, err := store.Put(ctx, s)
	if err != nil {
		return v, err
	}
	return toolkits.Value{Kind: meta.Kind, Number: s.Value, Unit: s.Unit, Hash: meta.Hash}, nil
}

// storedValue finds the artifact of the store whose hash begins with text.
func storedValue(ctx context.Context, store *artifact.Store, text string) (toolkits.Value, error) {
	var found []artifact.Hash
	for e, err := range store.List(ctx) {
		if err != nil {
			return toolkits.Value{}, err
		}
		if strings.HasPrefix(string(e.Hash), text) {
			found = append(found, e.Hash)
		}
	}
	if len(found) != 1 {
		return toolkits.Value{}, fmt.Errorf("the store has %s whose hash begins so; name its folder by --out", plural(len(found), "artifact"))
	}
	meta, err := store.Meta(ctx, found[0])
	if err != nil {
		return toolkits.Value{}, err
	}
	return toolkits.Value{Kind: meta.Kind, Hash: found[0], Unit: meta.Unit}, nil
}

// argumentValue reads an argument: JSON where it is JSON, a number with a unit, or a text.
func argumentValue(text string) (toolkits.Value, error) {
	var x any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&x); err == nil {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return toolkits.Literal(x)
		}
	}
	if head, unit, ok := strings.Cut(strings.TrimSpace(text), " "); ok {
		if f, err := strconv.ParseFloat(head, 64); err == nil {
			return toolkits.Value{Kind: toolkits.KindNumber, Number: f, Unit: strings.TrimSpace(unit)}, nil
		}
	}
	return toolkits.Literal(text)
}

func isHash(s string) bool {
	return len(s) >= shortHash && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}
