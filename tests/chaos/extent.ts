// How much of everything: `npm test` takes a little, `npm run test:chaos` (which sets CHAOS_KILLS) all of it, and
// TOLLGATE_SOAK_MINUTES makes the soaks as long as somebody has time for.
import { availableParallelism, loadavg } from 'node:os';

export const isLong = process.env['CHAOS_KILLS'] !== undefined;

export const soakMinutes = Number(process.env['TOLLGATE_SOAK_MINUTES'] ?? (isLong ? 2 : 0.1));

/** More work than processors: what a promise in milliseconds needs is taken by others. */
export const isCrowded = (): boolean => (loadavg()[0] ?? 0) > availableParallelism() * 2;

/** Figures of a long run are worth reading. */
export function tell(title: string, figures: unknown): void {
  if (isLong || process.env['TOLLGATE_SOAK_MINUTES'] !== undefined)
    process.stderr.write(`${title}: ${JSON.stringify(figures)}\n`);
}
