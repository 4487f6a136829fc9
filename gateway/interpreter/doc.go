// Package interpreter is the tool code_interpreter: it gives a Python program to
// whoever runs it, with the files of the chat that it names, and words what came of
// it for a model. It knows neither the interpreter nor where files are kept.
package interpreter
