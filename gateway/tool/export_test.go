package tool

// SnakeCase is for the table of names.
var SnakeCase = snakeCase
