package data

import (
	"context"
	"fmt"
	"strings"

	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/table"
)

type listIn struct{}

type listOut struct {
	Datasets *table.Table `out:"datasets" doc:"one row a data set: name, title, kind, variables, period, region, licence, synthetic"`
	Count    int          `out:"count" unit:"1" doc:"number of data sets"`
}

func listTool(cat *catalog.Catalog) *toolkits.Tool {
	list := func(ctx context.Context, _ listIn) (listOut, error) {
		sets := cat.Datasets()
		return listOut{Datasets: datasetTable(sets), Count: len(sets)}, ctx.Err()
	}
	return toolkits.New("data.list_datasets", list, toolkits.Doc{
		Group:   groupIO,
		Purpose: "List the data sets that can be opened, with their variables, periods and licences.",
		Details: "Reads the catalog's manifests only. Data sets that were generated and not observed are marked synthetic.",
		Examples: []string{
			"What data do you have?",
			"Which sources about the ocean are available here?",
			"Is there anything on rainfall that I could look at?",
			"How many data sets can I work with?",
			"Under which licences may I use your data?",
			"Do you hold any satellite images?",
		},
	})
}

func datasetTable(sets []catalog.Dataset) *table.Table {
	names := []string{"name", "title", "kind", "variables", "period", "region", "licence"}
	cols := make([]table.Column, len(names), len(names)+1)
	for i, n := range names {
		cols[i] = table.Column{Name: n, Type: table.Text}
	}
	synthetic := table.Column{Name: "synthetic", Type: table.Boolean}
	for _, d := range sets {
		for i, text := range []string{d.Name, d.Title, d.Kind, variableNames(d), d.Period, d.Region, d.Licence} {
			cols[i].Texts = append(cols[i].Texts, text)
		}
		flag := 0.0
		if d.Synthetic {
			flag = 1
		}
		synthetic.Numbers = append(synthetic.Numbers, flag)
	}
	return &table.Table{Columns: append(cols, synthetic), Source: "catalog"}
}

func variableNames(d catalog.Dataset) string {
	names := make([]string, len(d.Variables))
	for i, v := range d.Variables {
		names[i] = v.Name
	}
	return strings.Join(names, " ")
}

type describeIn struct {
	Dataset string `arg:"dataset" doc:"name of the data set" alias:"name,source,product"`
}

type describeOut struct {
	Summary   string       `out:"summary" doc:"title, kind, period, resolution, region, source, licence and what was cut"`
	Variables *table.Table `out:"variables" doc:"one row a variable: name, unit, kind, long_name, levels"`
	Count     int          `out:"count" unit:"1" doc:"number of variables"`
}

func describeTool(cat *catalog.Catalog) *toolkits.Tool {
	describe := func(ctx context.Context, in describeIn) (describeOut, error) {
		d, err := cat.Dataset(in.Dataset)
		if err != nil {
			return describeOut{}, fault(err)
		}
		return describeOut{Summary: summary(d), Variables: variableTable(d), Count: len(d.Variables)}, ctx.Err()
	}
	return toolkits.New("data.describe", describe, toolkits.Doc{
		Group:   groupIO,
		Purpose: "Describe one data set: its variables with units and levels, period, resolution, source and licence.",
		Details: "Reads the catalog's manifest only. Levels are listed with their unit; data.open takes exactly these.",
		Examples: []string{
			"What is in the Levitus data?",
			"At which depths is ocean salinity given?",
			"Where does your relief come from, and at what resolution?",
			"Which years does the Seattle record span?",
			"In what unit is humidity stored in COADS?",
			"Who measured the carbon dioxide values?",
		},
		Choices: map[string][]toolkits.Choice{"dataset": datasetChoices(cat)},
	})
}

func summary(d catalog.Dataset) string {
	parts := []string{fmt.Sprintf("%s: %s (%s)", d.Name, d.Title, d.Kind)}
	for _, p := range [][2]string{
		{"period", d.Period}, {"steps", d.Frequency}, {"calendar", d.Calendar}, {"region", d.Region}, {"resolution", d.Resolution},
		{"source", d.Source}, {"licence", d.Licence}, {"changes", d.Cut},
	} {
		if p[1] != "" {
			parts = append(parts, p[0]+": "+p[1])
		}
	}
	if d.Synthetic {
		parts = append(parts, "synthetic: generated, not observed")
	}
	return strings.Join(parts, "; ")
}

func variableTable(d catalog.Dataset) *table.Table {
	names := []string{"name", "unit", "kind", "long_name", "levels"}
	cols := make([]table.Column, len(names))
	for i, n := range names {
		cols[i] = table.Column{Name: n, Type: table.Text}
	}
	for _, v := range d.Variables {
		levels := make([]string, len(v.Levels))
		for i, l := range v.Levels {
			levels[i] = fmt.Sprint(l)
		}
		text := strings.Join(levels, " ")
		if text != "" {
			text += " " + v.LevelUnit
		}
		for i, t := range []string{v.Name, v.Unit, v.Kind, v.LongName, text} {
			cols[i].Texts = append(cols[i].Texts, t)
		}
	}
	return &table.Table{Columns: cols, Source: d.Source, Licence: d.Licence}
}
