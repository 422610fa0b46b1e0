package ollama

// HostURL is hostURL, for its test.
var HostURL = hostURL
