// Proofs that are valid once: the database keeps a digest for as long as the proof would be accepted, so every node refuses
// the second use.
import { unixSeconds } from '#contract/time.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import type { Store } from '#server/platform/store/store.ts';

export async function removeSpentProofs({ db }: Store): Promise<void> {
  await db.deleteFrom('used_proofs').where('expires_at', '<', unixSeconds()).execute();
}

/** False when the proof was used before. `purpose` separates equal texts of different providers. */
export async function spendProof(
  store: Store,
  purpose: string,
  proof: string,
  seconds: number,
): Promise<boolean> {
  const now = unixSeconds();
  try {
    await store.db
      .insertInto('used_proofs')
      .values({ digest: store.vault.digest(`used:${purpose}`, proof), expires_at: now + seconds })
      .execute();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
