// Money that left a balance for another has arrived there.
import { sql } from 'kysely';
import { MOVE_IN_KIND, MOVE_OUT_KIND } from '#server/money/ledger/idempotency.ts';
import { inSlice, type Check } from './finding.ts';

/** `move:7:out` and `move:7:in`. */
export const moveLedgerChecks: Record<string, Check> = {
  'what moves out of a balance moves into another': (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind = ${MOVE_OUT_KIND} and not exists (
      select 1 from ledger o where o.idem = substr(l.idem, 1, length(l.idem) - 3) || 'in' and o.amount = l.amount)
    union all select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind = ${MOVE_IN_KIND} and not exists (
      select 1 from ledger o where o.idem = substr(l.idem, 1, length(l.idem) - 2) || 'out' and o.amount = l.amount)`,
};
