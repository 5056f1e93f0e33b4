// `tollgate audit`: every money invariant and the audit chain, one line each; exit code 1 when one is broken. It reads on a
// connection of its own, in slices and with pauses, so it runs beside the living server.
import { existsSync } from 'node:fs';
import { withPause } from '#server/money/audit/breach.ts';
import { checkInvariants, invariantNames } from '#server/money/audit/invariants.ts';
import type { Environment } from '#server/platform/env.ts';
import type { AuditFault } from '#contract/admin/audit.ts';
import { checkTrail, type TrailPlace } from '#server/admin/http/audit-check.ts';
import { loadMasterKey } from '#server/platform/store/master-key.ts';
import { createVault } from '#server/platform/store/vault.ts';
import type { OptionValues } from './arguments.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { openReader } from '#server/platform/store/store.ts';
import { CommandError } from './explain.ts';

const FAULTS: Record<AuditFault, string> = {
  altered: 'a row was altered, or the row before it removed',
  cut: 'rows are missing at its end, or it was computed anew',
  unproven: 'the anchor of its end is missing, was not made with this master key, or was made again',
};

/** `--anchor`: a place that an earlier run or the server's log has printed; the trail must go through it. */
export async function audit(
  environment: Environment,
  _parameters: readonly string[] = [],
  options: OptionValues = {},
): Promise<number> {
  const { dataDir, databaseUrl, masterKey } = environment;
  const place = placeOf(options['anchor']);
  const file = databaseFile(dataDir);
  if (databaseUrl === undefined && !existsSync(file))
    throw new CommandError(`there is no database at ${file}.`);
  const vault = createVault(loadMasterKey({ dataDir, masterKey, mayCreate: false }));
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
    const { fault, brokenId, rows, head } = await checkTrail({ db: reader.db, vault }, place);
    if (fault === null) {
      console.log('ok    the audit trail is unbroken');
      console.log(`        ${rows} rows; for a later check keep --anchor ${rows}:${head}`);
    } else {
      const where = brokenId === null ? '' : ` at row ${brokenId}`;
      console.log(`FAIL  the audit trail is broken${where}: ${FAULTS[fault]}`);
    }
    return breaches.size === 0 && fault === null ? 0 : 1;
  } finally {
    await reader.close();
  }
}

function placeOf(text: string | true | undefined): TrailPlace | undefined {
  if (text === undefined) return undefined;
  const [, rows, head] = /^(\d{1,15}):([0-9a-f]{64})?$/.exec(String(text)) ?? [];
  if (rows === undefined)
    throw new CommandError('--anchor takes what `tollgate audit` prints: <rows>:<hash>.');
  return { rows: Number(rows), head: head ?? '' };
}
