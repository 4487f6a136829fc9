// Runs the programs of a JSON array of texts, given on standard input, in Pyodide, and
// prints a JSON object: how long it took to load in milliseconds, how long a first
// print(1) took, and the number that each program's last expression gives.
import { loadPyodide } from "pyodide";

let text = "";
for await (const piece of process.stdin) text += piece;
const programs = JSON.parse(text);

const began = performance.now();
const pyodide = await loadPyodide({ stdout: () => {} });
const loaded = performance.now();
pyodide.runPython("print(1)");
const first = performance.now();
const seconds = programs.map((program) => pyodide.runPython(program));
console.log(JSON.stringify({ version: pyodide.version, load: loaded - began, first: first - loaded, seconds }));
