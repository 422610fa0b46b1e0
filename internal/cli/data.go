package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"almanac/toolkits/catalog"

	"github.com/spf13/cobra"
)

type datasetJSON struct {
	Name       string         `json:"name"`
	Title      string         `json:"title"`
	Kind       string         `json:"kind"`
	Variables  []variableJSON `json:"variables"`
	Period     string         `json:"period,omitempty"`
	Frequency  string         `json:"frequency,omitempty"`
	Region     string         `json:"region,omitempty"`
	Resolution string         `json:"resolution,omitempty"`
	Licence    string         `json:"licence"`
	Source     string         `json:"source"`
	Cut        string         `json:"cut,omitempty"`
	Synthetic  bool           `json:"synthetic"`
	Own        bool           `json:"own"`
	File       string         `json:"file"`
	Bytes      int64          `json:"bytes"`
	SHA256     string         `json:"sha256"`
}

type variableJSON struct {
	Name     string    `json:"name"`
	LongName string    `json:"long_name,omitempty"`
	Unit     string    `json:"unit"`
	Levels   []float64 `json:"levels,omitempty"`
}

func newDatasetJSON(d catalog.Dataset) datasetJSON {
	out := datasetJSON{
		Name: d.Name, Title: d.Title, Kind: d.Kind, Period: d.Period, Frequency: d.Frequency, Region: d.Region, Resolution: d.Resolution,
		Licence: d.Licence, Source: d.Source, Cut: d.Cut, Synthetic: d.Synthetic, Own: d.User, File: d.File, Bytes: d.Bytes, SHA256: d.SHA256,
	}
	for _, v := range d.Variables {
		out.Variables = append(out.Variables, variableJSON{v.Name, v.LongName, v.Unit, v.Levels})
	}
	return out
}

func (p *program) dataCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the data sets with variables, units, period, source and licence", Args: cobra.NoArgs,
		Example: "  almanac data list\n  almanac data list --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.dataList(cmd) },
	}
	verify := &cobra.Command{
		Use: "verify [NAME…]", Short: "Check the files of the data sets against their hashes", Example: "  almanac data verify",
		RunE: func(cmd *cobra.Command, args []string) error { return p.dataVerify(cmd, args) },
	}
	var name, licence string
	add := &cobra.Command{
		Use: "add FILE", Short: "Bring a NetCDF, CSV or GeoJSON file of your own into the catalog", Args: exactly(1, "one file"),
		Example: "  almanac data add station.csv --name my_station --licence CC-BY-4.0",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.dataAdd(cmd, args[0], name, licence)
		},
	}
	add.Flags().StringVar(&name, "name", "", "name of the data set: lower-case letters, digits and underscores")
	add.Flags().StringVar(&licence, "licence", "", "licence of the data")
	return group("data", "List, verify and add data sets", list, verify, add)
}

// named is a variable with its unit, where it has one.
func named(v catalog.Variable) string {
	if v.Unit == "" {
		return v.Name
	}
	return v.Name + " [" + v.Unit + "]"
}

func (p *program) dataList(cmd *cobra.Command) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	if p.json {
		out := []datasetJSON{}
		for _, d := range w.Data.Datasets() {
			out = append(out, newDatasetJSON(d))
		}
		return p.print(out)
	}
	for i, d := range w.Data.Datasets() {
		if i > 0 {
			fmt.Fprintln(p.Out)
		}
		fmt.Fprintf(p.Out, "%s  %s\n", paint(p.Out, bold, d.Name), d.Title)
		facts := []string{d.Kind}
		for _, s := range []string{d.Period, d.Resolution, d.Licence} {
			if s != "" {
				facts = append(facts, s)
			}
		}
		fmt.Fprintf(p.Out, "  %s\n", strings.Join(facts, " · "))
		var vars []string
		for _, v := range d.Variables {
			vars = append(vars, named(v))
		}
		fmt.Fprintln(p.Out, indented(wrapped(strings.Join(vars, ", "), 96), 2))
		fmt.Fprintln(p.Out, paint(p.Out, faint, indented(wrapped("from "+d.Source, 96), 2)))
	}
	return nil
}

type verifiedJSON struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

func verifyData(ctx context.Context, data *catalog.Catalog, names []string) []verifiedJSON {
	if len(names) == 0 {
		for _, d := range data.Datasets() {
			names = append(names, d.Name)
		}
	}
	var out []verifiedJSON
	for _, n := range names {
		v := verifiedJSON{Name: n, OK: true}
		if err := data.Verify(ctx, n); err != nil {
			v.OK, v.Error = false, strings.TrimPrefix(err.Error(), "catalog: ")
		}
		out = append(out, v)
	}
	return out
}

func (p *program) dataVerify(cmd *cobra.Command, names []string) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	for _, n := range names {
		if _, err := w.Data.Dataset(n); err != nil {
			return &exit{exitUsage, err}
		}
	}
	all := verifyData(cmd.Context(), w.Data, names)
	bad := 0
	for _, v := range all {
		if !v.OK {
			bad++
		}
	}
	if p.json {
		if err := p.print(all); err != nil {
			return err
		}
	} else {
		t := newTable("DATA SET", "STATE")
		for _, v := range all {
			state := "ok"
			if !v.OK {
				state = v.Error
			}
			t.add(v.Name, state)
		}
		if err := t.write(p.Out); err != nil {
			return err
		}
	}
	if bad > 0 {
		return &exit{exitWanting, fmt.Errorf("%s of %d not as described", plural(bad, "data set"), len(all))}
	}
	return nil
}

func (p *program) dataAdd(cmd *cobra.Command, file, name, licence string) error {
	if name == "" || licence == "" {
		return usage("data add needs --name and --licence: whoever uses the data must know what it is called and what is allowed")
	}
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	d, err := w.Data.Add(cmd.Context(), file, name, licence)
	if err != nil {
		var unreadable *catalog.Unreadable
		if errors.As(err, &unreadable) || errors.Is(err, catalog.ErrName) {
			return &exit{exitUsage, err}
		}
		return err
	}
	if p.json {
		return p.print(newDatasetJSON(d))
	}
	var vars []string
	for _, v := range d.Variables {
		vars = append(vars, named(v))
	}
	if _, err = fmt.Fprintf(p.Out, "added %s: a %s of %s\n", d.Name, d.Kind, strings.Join(vars, ", ")); err == nil && d.Cut != "" {
		_, err = fmt.Fprintln(p.Out, d.Cut)
	}
	return err
}
