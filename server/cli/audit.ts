// `tollgate audit`: the audit chain of the database, row by row.
import type { Environment } from '#server/env.ts';
import { brokenAuditRow } from '#server/http/audit.ts';
import { withStore } from './open.ts';

export async function audit(environment: Environment): Promise<number> {
  return await withStore(environment, async (store) => {
    const broken = await brokenAuditRow(store);
    console.log(
      broken === null ? 'ok    audit trail: unbroken' : `FAIL  audit trail: broken at row ${broken}`,
    );
    return broken === null ? 0 : 1;
  });
}
