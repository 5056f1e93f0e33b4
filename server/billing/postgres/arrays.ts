// Lists of values as PostgreSQL reads its arrays: the shortest way for many rows in one parameter per column.

export function numberArray(values: readonly (number | string | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

export function textArray(values: readonly (number | string | null)[]): string {
  let text = '{';
  for (const value of values) {
    const quoted =
      typeof value === 'string' && needsEscape.test(value) ? value.replace(escaped, '\\$&') : value;
    text += text.length === 1 ? `"${quoted}"` : `,"${quoted}"`;
  }
  return `${text}}`;
}

const needsEscape = /["\\]/;
const escaped = /["\\]/g;
