// Lines of a CSV file (RFC 4180) in which no cell is run as a formula when a spreadsheet opens it.

const FORMULA_START = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

export function csvLine(cells: readonly (string | number | boolean)[]): string {
  return `${cells.map((cell) => csvCell(String(cell))).join(',')}\r\n`;
}

export function csvCell(text: string): string {
  // A leading apostrophe keeps the text a text; real numbers may start with a minus.
  const safe = FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The cells of each line; quotes may hold commas and line ends. Undefined when a quote is not closed or lines are too many. */
export function readCsv(text: string, mostLines: number): string[][] | undefined {
  const lines: string[][] = [];
  let line: string[] = [];
  // A cell, and what follows it: a comma, a line end, or the end of the text.
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  const start = text.startsWith('\ufeff') ? 1 : 0;
  pattern.lastIndex = start;
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text);
    if (found === null) return undefined;
    const [, quoted, plain = '', end] = found;
    line.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') {
      if (pattern.lastIndex === text.length) line.push('');
      else continue;
    }
    if (line.length > 1 || line[0] !== '') lines.push(line);
    line = [];
    if (lines.length > mostLines) return undefined;
  }
  return lines;
}
