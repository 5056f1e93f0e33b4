import type { FaultRow } from '#tests/support/fault-report.ts';

export interface PlannedFault {
  readonly id: FaultRow;
  readonly fault: string;
  readonly holds: string;
  /** Why no test can show it; the row counts as not passed. */
  readonly untestable?: string;
}

export interface Section {
  readonly title: string;
  readonly faults: readonly PlannedFault[];
}

export const plan = (id: FaultRow, fault: string, holds: string, untestable?: string): PlannedFault => ({
  id,
  fault,
  holds,
  untestable,
});
