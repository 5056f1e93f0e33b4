// The anchor of the audit trail: one row with the number of rows and the hash of the last one, and a digest of both that only
// the master key can make.
import type { Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface Anchor {
  rows: number;
  /** Id and hash of the last row; 0 and blank when there was none. */
  headId: number;
  head: string;
}

export function anchorDigest(vault: Pick<Store['vault'], 'digest'>, { rows, headId, head }: Anchor): string {
  return vault.digest('audit anchor', JSON.stringify([rows, headId, head]));
}

/** As it is stored: the caller compares the digest. Undefined: the trail is not anchored. */
export async function readAnchor(db: Kysely<Schema>): Promise<(Anchor & { digest: string }) | undefined> {
  return await db
    .selectFrom('audit_anchor')
    .select(['rows', 'head_id as headId', 'head', 'digest'])
    .where('id', '=', 1)
    .executeTakeFirst();
}

export async function saveAnchor(
  { vault }: Pick<Store, 'vault'>,
  db: Kysely<Schema>,
  anchor: Anchor,
): Promise<void> {
  const values = {
    rows: anchor.rows,
    head_id: anchor.headId,
    head: anchor.head,
    digest: anchorDigest(vault, anchor),
  };
  await db
    .insertInto('audit_anchor')
    .values({ id: 1, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}
