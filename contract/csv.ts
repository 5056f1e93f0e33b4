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
