// Checks the audit trail: every row against its hash and the row before it, and its end against the anchor.
import type { AuditFault } from '#contract/admin/audit.ts';
import type { Store } from '#server/platform/store/store.ts';
import { anchorDigest, readAnchor } from './audit-anchor.ts';
import { ANCHOR_ACTION, auditHash } from './audit.ts';

const ROWS_AT_ONCE = 5000;

/** A place of the trail that was written down elsewhere: its row of this number had this hash. */
export interface TrailPlace {
  rows: number;
  head: string;
}

export interface TrailCheck extends TrailPlace {
  /** Null: the trail is whole. */
  fault: AuditFault | null;
  /** The first row that was altered or follows a removed one. */
  brokenId: number | null;
}

/** `expected`: a place that the trail must go through as well. */
export async function checkTrail(
  { db, vault }: Pick<Store, 'db' | 'vault'>,
  expected?: TrailPlace,
): Promise<TrailCheck> {
  // Before the rows: what is added meanwhile comes after it.
  const anchor = await readAnchor(db);
  const missing = new Set([...(anchor ? [anchor] : []), ...(expected ? [expected] : [])]);
  const passes = (count: number, hash: string) => {
    for (const place of missing) if (place.rows === count && place.head === hash) missing.delete(place);
  };
  passes(0, '');
  const anchored: number[] = [];
  let count = 0;
  let last = { id: 0, hash: '' };
  for (;;) {
    const rows = await db
      .selectFrom('audit')
      .selectAll()
      .where('id', '>', last.id)
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute();
    for (const row of rows) {
      if (row.previous_hash !== last.hash || row.hash !== auditHash(row))
        return { fault: 'altered', brokenId: row.id, rows: count, head: last.hash };
      last = row;
      passes((count += 1), row.hash);
      if (row.action === ANCHOR_ACTION) anchored.push(row.id);
    }
    if (rows.length < ROWS_AT_ONCE) break;
  }
  const isProven = anchor !== undefined && anchor.digest === anchorDigest(vault, anchor);
  const result = { rows: count, head: last.hash };
  if (missing.size > 0) return { ...result, fault: 'cut', brokenId: null };
  // A trail is anchored once. A second time means that its anchor was removed, and perhaps rows with it.
  return {
    ...result,
    fault: isProven && anchored.length < 2 ? null : 'unproven',
    brokenId: anchored[1] ?? null,
  };
}
