/** The columns of the chart by day: what was used above the line, a loss below it, on one scale. */
import type { MarginRow } from '#contract/money/margins.ts';
import { daysFrom } from '#contract/site-day.ts';

export interface DayColumn {
  day: string;
  row: MarginRow | undefined;
  /** Of what was used: the part that went to suppliers, the certain margin, and the part of unknown cost. */
  cost: number;
  margin: number;
  unknown: number;
  /** What the day cost beyond what was used. */
  loss: number;
}

/** Also of days without calls. */
export function columnsOf(rows: readonly MarginRow[], from: string, to: string): DayColumn[] {
  const rowOf = new Map(rows.map((row) => [row.key, row]));
  return daysFrom(from, to).map((day) => {
    const row = rowOf.get(day);
    if (row === undefined) return { day, row, cost: 0, margin: 0, unknown: 0, loss: 0 };
    const known = row.revenue - row.unknown_revenue;
    return {
      day,
      row,
      cost: Math.min(known, row.cost + row.fees),
      margin: Math.max(0, row.margin),
      unknown: row.unknown_revenue,
      loss: Math.max(0, -row.margin),
    };
  });
}

/** `share`: percent of the height of the whole plot. */
export function scaleOf(columns: readonly DayColumn[]) {
  const top = Math.max(0, ...columns.map(({ cost, margin, unknown }) => cost + margin + unknown));
  const bottom = Math.max(0, ...columns.map(({ loss }) => loss));
  return {
    top,
    bottom,
    share: (amount: number) => (top + bottom === 0 ? 0 : (amount / (top + bottom)) * 100),
  };
}
