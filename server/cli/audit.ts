// `tollgate audit`: every money invariant and the audit chain, one line each; exit code 1 when one is broken.
import { checkInvariants, invariantNames } from '#server/billing/invariants.ts';
import type { Environment } from '#server/env.ts';
import { brokenAuditRow } from '#server/http/audit.ts';
import { withStore } from './open.ts';

export async function audit(environment: Environment): Promise<number> {
  return await withStore(environment, async (store) => {
    const breaches = Map.groupBy(await checkInvariants(store), ({ invariant }) => invariant);
    for (const name of invariantNames) {
      const found = breaches.get(name) ?? [];
      console.log(found.length === 0 ? `ok    ${name}` : `FAIL  ${name}`);
      for (const { userId, detail } of found) console.log(`        user ${userId}: ${detail}`);
    }
    const row = await brokenAuditRow(store);
    console.log(
      row === null ? 'ok    the audit trail is unbroken' : `FAIL  the audit trail is broken at row ${row}`,
    );
    return breaches.size === 0 && row === null ? 0 : 1;
  });
}
