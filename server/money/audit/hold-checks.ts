// What holds did not cover: each entry belongs to a settled call of its user, so that the operator's figures are of real calls.
import { sql } from 'kysely';
import { aboveHoldKind, suspenseKind } from '#server/money/ledger/idempotency.ts';
import { inSlice, type Check } from './finding.ts';

export const holdLedgerChecks: Record<string, Check> = {
  'what a hold did not cover belongs to its call': (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind in (${suspenseKind}, ${aboveHoldKind}) and not exists (
      select 1 from ledger c where c.idem = l.reference and c.kind = 'use' and c.user_id = l.user_id
        and l.idem in (c.idem || ':suspense', c.idem || ':late:suspense', c.idem || ':above-hold',
          c.idem || ':late:above-hold'))`,
};
