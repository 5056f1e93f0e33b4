// "Contains this text" on either database, ignoring case. `%`, `_` and the escape character are characters of the text, not
// wildcards, so a caller cannot make the search expensive.
import { sql, type Expression, type SqlBool } from 'kysely';

export function containsText(column: string | Expression<unknown>, text: string): Expression<SqlBool> {
  const place = typeof column === 'string' ? sql.ref(column) : column;
  const pattern = `%${text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
  return sql<SqlBool>`lower(${place}) like lower(${pattern}) escape '\\'`;
}
