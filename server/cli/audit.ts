// `tollgate audit`: every money invariant and the audit chain, one line each; exit code 1 when one is broken. It reads on a
// connection of its own, in slices and with pauses, so it runs beside the living server.
import { existsSync } from 'node:fs';
import { withPause } from '#server/billing/audit/breach.ts';
import { checkInvariants, invariantNames } from '#server/billing/invariants.ts';
import type { Environment } from '#server/env.ts';
import { brokenAuditRow } from '#server/http/audit.ts';
import { databaseFile } from '#server/store/sqlite/open.ts';
import { openReader } from '#server/store/store.ts';
import { CommandError } from './explain.ts';

export async function audit({ dataDir, databaseUrl }: Environment): Promise<number> {
  const file = databaseFile(dataDir);
  if (databaseUrl === undefined && !existsSync(file))
    throw new CommandError(`there is no database at ${file}.`);
  const reader = await openReader({ dataDir, databaseUrl });
  try {
    const breaches = Map.groupBy(
      await checkInvariants(reader, { pause: withPause }),
      ({ invariant }) => invariant,
    );
    for (const name of invariantNames) {
      const found = breaches.get(name) ?? [];
      console.log(found.length === 0 ? `ok    ${name}` : `FAIL  ${name}`);
      for (const { userId, detail } of found) console.log(`        user ${userId}: ${detail}`);
    }
    const row = await brokenAuditRow(reader);
    console.log(
      row === null ? 'ok    the audit trail is unbroken' : `FAIL  the audit trail is broken at row ${row}`,
    );
    return breaches.size === 0 && row === null ? 0 : 1;
  } finally {
    await reader.close();
  }
}
