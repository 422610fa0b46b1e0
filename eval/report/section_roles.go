package report

import "almanac/eval"

var rolesSection = section{id: "roles", title: "Where the tokens went", template: `
{{if not .Rows}}<p class="soft">No setup used a model.</p>{{else}}<div class="wide"><table><thead><tr><th>Setup</th><th>Role</th><th class="n">Prompt</th><th class="n">Completion</th><th class="n">Thinking</th><th class="n">Total</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Setup}}</td><td>{{.Role}}</td><td class="n">{{.Prompt}}</td><td class="n">{{.Completion}}</td><td class="n">{{.Thinking}}</td><td class="n">{{.Total}}</td></tr>
{{end}}</tbody></table></div><p class="note">As the server counts them; “–” is unknown, not zero. Embedding and judge tokens are not in a setup’s total.</p>{{end}}`, content: rolesContent}

type roleRow struct{ Setup, Role, Prompt, Completion, Thinking, Total string }

func rolesContent(v *view) any {
	var out struct{ Rows []roleRow }
	for _, s := range v.Setups {
		for _, role := range s.Roles() {
			out.Rows = append(out.Rows, tokensRow(s.Arm.Setup, role, s.ByRole[role]))
		}
	}
	return out
}

func tokensRow(setup, role string, t eval.Tokens) roleRow {
	show := func(v *int64) string {
		if v == nil {
			return "–"
		}
		return thousands(*v)
	}
	return roleRow{setup, role, show(t.Prompt), show(t.Completion), show(t.Thinking), show(t.Total)}
}
