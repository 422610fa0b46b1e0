package llm_test

import (
	"testing"
)

// Field reports on the values of arguments.

func TestFieldA05WrongScalarType(t *testing.T) {
	checkReadings(t, []reading{
		{"as reported", native("add", `{"a":"3","b":"1"}`), `add {"a":3,"b":1}`},
		{"signs and blanks", native("add", `{"a":" -3 ","b":"+1"}`), `add {"a":-3,"b":1}`},
		{"a whole number with a fraction", native("add", `{"a":3.0,"b":"1e2"}`), `add {"a":3,"b":100}`},
		{"boolean", native("draw", `{"layers":["sst"],"mask":"False"}`), `draw {"layers":["sst"],"mask":false}`},
		{"number where text is wanted", native("find", `{"query":2020}`), `find {"query":"2020"}`},
		{"one for a list", native("draw", `{"layers":"sst"}`), `draw {"layers":["sst"]}`},
		{"a list of one", native("find", `{"query":["sst"]}`), `find {"query":"sst"}`},
		{"case of an enum", native("gis.area", `{"place":"Kenya","unit":"KM2"}`), `gis.area {"place":"Kenya","unit":"km2"}`},
		{"case of a key", native("gis.area", `{"Place":"Kenya"}`), `gis.area {"place":"Kenya"}`},
		{"a number or its handle", native("buffer", `{"distance":"100"}`), `buffer {"distance":100}`},
		{"the handle stays", native("buffer", `{"distance":"c1.mean","note":"100"}`), `buffer {"distance":"c1.mean","note":"100"}`},
		{"a number with its unit stays", native("buffer", `{"distance":"100 km"}`), `buffer {"distance":"100 km"}`},
		// refused, not guessed
		{"a fraction", native("add", `{"a":"3.7","b":1}`), `problem: add: expected integer at /a, got string "3.7"`},
		{"a fraction as number", native("add", `{"a":3.7,"b":1}`), `problem: add: expected integer at /a, got number 3.7`},
		{"a word", native("add", `{"a":"three","b":1}`), `problem: add: expected integer at /a, got string "three"`},
		{"a thousands comma", native("add", `{"a":"1,000","b":1}`), `problem: add: expected integer at /a, got string "1,000"`},
		{"yes is no boolean", native("draw", `{"layers":["sst"],"mask":"yes"}`), `problem: draw: expected boolean at /mask, got string "yes"`},
		{"several in one text", native("draw", `{"layers":"sst, ice"}`), `problem: draw: expected array at /layers, got string "sst, ice"`},
		{"no member of the enum", native("gis.area", `{"place":"Kenya","unit":"acre"}`), `problem: gis.area: "acre" at /unit is none of: km2, ha`},
		{"digits in a text stay", native("find", `{"query":"007"}`), `find {"query":"007"}`},
	})
}

func TestFieldA07BigInteger(t *testing.T) {
	checkReadings(t, []reading{
		{"number", native("get", `{"id":9007199254740993}`), `get {"id":9007199254740993}`},
		{"text", native("get", `{"id":"9007199254740993"}`), `get {"id":9007199254740993}`},
		{"in a text call", content(`{"name":"get","arguments":{"id":-9223372036854775808}}`), `get {"id":-9223372036854775808}`},
		{"beyond 64 bits", native("get", `{"id":9223372036854775808}`), `problem: get: the integer 9223372036854775808 at /id is beyond 64 bits`},
		{"beyond 64 bits as text", native("get", `{"id":"123456789012345678901234567890"}`), `problem: get: expected integer at /id, got string "123456789012345678901234567890"`},
	})
}

func TestFieldA08StringifiedJSON(t *testing.T) {
	checkReadings(t, []reading{
		{"as reported", native("clip", `{"bbox":"{\"west\":-5,\"east\":10}","note":"{\"a\":1}"}`), `clip {"bbox":{"east":10,"west":-5},"note":"{\"a\":1}"}`},
		{"a list", native("clip", `{"bands":"[1, 2]"}`), `clip {"bands":[1,2]}`},
		{"numbers inside", native("clip", `{"bbox":"{\"west\":\"-5\"}"}`), `clip {"bbox":{"west":-5}}`},
		{"all arguments", native("find", `"{\"query\":\"{}\"}"`), `find {"query":"{}"}`},
		{"twice over", native("find", `"\"{\\\"query\\\":\\\"a\\\"}\""`), `find {"query":"a"}`},
		{"an object or a name", native("buffer", `{"zones":"{\"west\":0,\"east\":1}","note":"{\"a\":1}"}`), `buffer {"note":"{\"a\":1}","zones":{"east":1,"west":0}}`},
		{"the name stays", native("buffer", `{"zones":"Kenya"}`), `buffer {"zones":"Kenya"}`},
		{"text that is no object", native("clip", `{"bbox":"Kenya"}`), `problem: clip: expected object at /bbox, got string "Kenya"`},
	})
}

func TestFieldA10PythonLiterals(t *testing.T) {
	checkReadings(t, []reading{
		{"as reported", content(`{'name': 'draw', 'arguments': {'layers': ['sst','ice'], 'mask': True, 'limit': None, 'title': "Hudson's Bay"}}`),
			`draw {"layers":["sst","ice"],"mask":true,"title":"Hudson's Bay"}`},
		{"arguments as text", native("draw", `"{'layers': ('sst', 'ice'), 'mask': False, 'title': 'Hudson\\'s Bay'}"`), `draw {"layers":["sst","ice"],"mask":false,"title":"Hudson's Bay"}`},
		{"the words as text", native("find", `{"query":"True"}`), `find {"query":"True"}`},
		{"code is not run", native("find", `"{'query': open('x').read()}"`), `problem: find: the arguments are not JSON: no JSON value: "open('x').read()}" at byte 10`},
		{"a bare apostrophe has two readings", native("find", `"{'query': 'Hudson's Bay'}"`), `problem: find: the arguments are not JSON: expected a comma or } at byte 18`},
	})
}

func TestFieldA12EmptyArguments(t *testing.T) {
	checkReadings(t, []reading{
		{"empty text", native("now", `""`), "now {}"},
		{"null", native("now", `null`), "now {}"},
		{"the word null", native("now", `"null"`), "now {}"},
		{"none", native("now", ``), "now {}"},
		{"no key in a text call", content(`{"name":"now"}`), "now {}"},
		{"null in a text call", content(`{"name":"now","arguments":null}`), "now {}"},
		{"something is missing", native("mean_of", `""`), `problem: mean_of: missing required "layer" at / (string)`},
		{"a list is no object", native("now", `[1]`), `problem: now: the arguments are a value of type array, not an object`},
	})
}

func TestFieldA38NonASCIIArguments(t *testing.T) {
	checkReadings(t, []reading{
		{"escaped", native("find", `{"query":"Troms\u00f8"}`), `find {"query":"Tromsø"}`},
		{"plain", native("find", `{"query":"Tromsø"}`), `find {"query":"Tromsø"}`},
		{"a pair of surrogates", native("find", `{"query":"\ud83c\udf0d"}`), `find {"query":"🌍"}`},
		{"NUL and digits", native("find", `{"query":"Ume\u0000e5"}`), `problem: find: control character U+0000 at /query: write the letter itself`},
		{"another control character", native("find", `{"query":"Ume\u001be5"}`), `problem: find: control character U+001B at /query: write the letter itself`},
		{"half a pair", native("find", `{"query":"\ud83c"}`), `problem: find: the arguments are not JSON: half a surrogate pair at byte 10`},
		{"a lost letter", native("find", `{"query":"Ume�"}`), `problem: find: a character that was lost (U+FFFD) at /query: write the letter itself`},
		{"line breaks are allowed", native("find", `{"query":"a\nb\tc"}`), `find {"query":"a\nb\tc"}`},
	})
}

func TestFieldA43SchemaEchoed(t *testing.T) {
	checkReadings(t, []reading{
		{"as reported", native("find", `{"query":{"type":"function","name":"slugify"}}`), `problem: find: expected string at /query, got object {"name":"slugify","type":"function"}`},
		{"a type for a value", native("mean_of", `{"layer":{"type":"string"}}`), `problem: mean_of: expected string at /layer, got object {"type":"string"}`},
		{"a schema for a number", native("add", `{"a":{"type":"integer"},"b":{"type":"integer"}}`), `problem: add: expected integer at /a, got object {"type":"integer"}; expected integer at /b, got object {"type":"integer"}`},
		{"an object where one belongs", native("clip", `{"bbox":{"west":1,"east":2}}`), `clip {"bbox":{"east":2,"west":1}}`},
	})
}
