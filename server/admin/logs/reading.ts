// The console requests rows, badges and histogram of one filter at the same time: they share one reading of the figures.
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { isRare } from './conditions.ts';
import { createClosedHours } from './closed-hours.ts';
import type { LogDependencies } from './dependencies.ts';
import { figuresOf, type Figures } from './figures.ts';
import { createLogBounds } from './log-bounds.ts';
import type { Scope } from './scope.ts';

export interface LogReading {
  dependencies: LogDependencies;
  /** Counts and sums; concurrent requests for the same scope share one query. */
  figures(scope: Scope): Promise<Figures>;
}

export function createLogReading(dependencies: LogDependencies): LogReading {
  const kept = { closed: createClosedHours(), bounds: createLogBounds(dependencies) };
  const running = new Map<string, Promise<Figures>>();
  return {
    dependencies,
    figures(asked) {
      const scope = isRare(asked.type) ? asked : { ...asked, type: LOG_TYPE.all };
      const key = JSON.stringify(scope);
      const known = running.get(key);
      if (known) return known;
      const reading = figuresOf(dependencies, scope, kept).finally(() => running.delete(key));
      running.set(key, reading);
      return reading;
    },
  };
}
