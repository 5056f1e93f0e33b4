// The extent of the tests: small for `npm test`, full for `npm run test:chaos` (which sets CHAOS_KILLS);
// TOLLGATE_SOAK_MINUTES sets the length of the soaks.
import { availableParallelism, loadavg } from 'node:os';

export const isLong = process.env['CHAOS_KILLS'] !== undefined;

export const soakMinutes = Number(process.env['TOLLGATE_SOAK_MINUTES'] ?? (isLong ? 2 : 0.1));

/** More work than processors: limits in milliseconds do not apply. */
export const isCrowded = (): boolean => (loadavg()[0] ?? 0) > availableParallelism() * 2;

/** Figures are printed for long runs only. */
export function printFigures(title: string, figures: unknown): void {
  if (isLong || process.env['TOLLGATE_SOAK_MINUTES'] !== undefined)
    process.stderr.write(`${title}: ${JSON.stringify(figures)}\n`);
}
