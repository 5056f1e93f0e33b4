// What a check of rows returns, and the condition that selects a slice.
import { sql, type RawBuilder } from 'kysely';
import type { AuditSource, Slice } from './breach.ts';

export interface Finding {
  user_id: number;
  detail: string;
}

export type Check = (source: AuditSource, slice: Slice) => RawBuilder<Finding>;

export const inSlice = (column: RawBuilder<unknown>, { from, through }: Slice) =>
  sql`${column} > ${from} and ${column} <= ${through}`;
