// Reads the cells of a source's row. Drivers and dumps give the same value as number, text, boolean or date.
import type { SourceRow } from './source.ts';

/** A cell does not hold what its column means; the row is left behind with this reason. */
export class CellError extends Error {
  override name = 'CellError';
}

/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799;

const tidy = (text: string): string => text.replaceAll('\0', '').trim();

export class Fields {
  readonly #row: SourceRow;

  constructor(row: SourceRow) {
    this.#row = row;
  }

  /** Trimmed: PostgreSQL fills `char(n)` with spaces. Without NUL, which PostgreSQL cannot store. */
  text(name: string): string {
    const value = this.#row[name];
    if (value === null || value === undefined) return '';
    if (value instanceof Uint8Array) return tidy(Buffer.from(value).toString('utf8'));
    if (typeof value === 'string') return tidy(value);
    // A column with JSON in it, which some drivers parse.
    return typeof value === 'object' ? JSON.stringify(value) : `${value as number | bigint | boolean}`;
  }

  /** An empty cell is `fallback`. */
  integer(name: string, fallback = 0): number {
    const text = this.text(name);
    if (text === '') return fallback;
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new CellError(`${name} is not a whole number`);
    return value;
  }

  decimal(name: string): number {
    const value = Number(this.text(name));
    if (!Number.isFinite(value)) throw new CellError(`${name} is not a number`);
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new CellError(`${name} is past the cap`);
    return value;
  }

  /** Unix seconds of an end, with -1 or 0 for none; unlike `seconds`, a wrong one must not become "never". */
  end(name: string, fallback = 0): number {
    const value = this.integer(name, fallback);
    if (value < -1 || value > LAST_SECOND) throw new CellError(`${name} is not a time`);
    return value;
  }

  flag(name: string): 0 | 1 {
    return ['1', 't', 'true', 'yes'].includes(this.text(name).toLowerCase()) ? 1 : 0;
  }

  /** Whether the cell holds anything, such as the time of a deletion. */
  isSet(name: string): boolean {
    const text = this.text(name);
    return text !== '' && text !== '0' && !text.startsWith('0000-00-00') && !text.startsWith('0001-01-01');
  }

  /** Unix seconds of a number or a date; 0 without one, and for a time that no calendar has. */
  seconds(name: string): number {
    const seconds = this.#seconds(name);
    return seconds >= 0 && seconds <= LAST_SECOND ? seconds : 0;
  }

  #seconds(name: string): number {
    const value = this.#row[name];
    if (value instanceof Date) return Math.floor(value.getTime() / 1000);
    const text = this.text(name);
    if (/^-?\d+$/.test(text)) return Number(text);
    const parsed = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
    return Math.floor(parsed / 1000);
  }

  /** The row, with cells of another one where its own are empty. */
  orElse(other: Fields | undefined, names: readonly string[]): Fields {
    if (other === undefined) return this;
    const taken = names.filter((name) => this.text(name) === '').map((name) => [name, other.#row[name]]);
    return new Fields({ ...this.#row, ...Object.fromEntries(taken) });
  }

  /** The items of a JSON list; none when the cell holds something else. */
  array(name: string): unknown[] {
    try {
      const value: unknown = JSON.parse(this.text(name));
      return Array.isArray(value) ? value : [];
    } catch {
      return [];
    }
  }

  /** The members of a JSON object; none when the cell holds something else. */
  json(name: string): Record<string, unknown> {
    try {
      const value: unknown = JSON.parse(this.text(name));
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
    } catch {
      return {};
    }
  }
}
