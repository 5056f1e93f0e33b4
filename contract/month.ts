// Months as text (YYYY-MM), and where they begin and end. Loads no package: SQLite's writer thread loads this file at each start.

export interface MonthSpan {
  /** Unix seconds, inclusive. */
  start: number;
  /** Exclusive. */
  end: number;
}

/** The month in UTC. */
export function monthSpan(month: string): MonthSpan {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return { start: Date.UTC(year, number - 1) / 1000, end: Date.UTC(year, number) / 1000 };
}

/** The month of a time, in UTC. */
export function monthAt(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 7);
}

/** `months` may be negative. */
export function addMonths(month: string, months: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return monthAt(Date.UTC(year, number - 1 + months) / 1000);
}
