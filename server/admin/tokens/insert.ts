// Makes tokens of known keys, for the console and imports.
import type { Transaction } from 'kysely';
import type { NewRow, Row, Schema } from '#server/platform/store/schema.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { keyDigest, keyHint, sealKey } from './key.ts';

export interface NewToken {
  columns: Partial<NewRow<'tokens'>>;
  /** Without `sk-`. */
  key: string;
}

/** The tokens in the order of their ids. */
export async function insertTokens(
  { vault }: { vault: Vault },
  transaction: Transaction<Schema>,
  userId: number,
  tokens: readonly NewToken[],
): Promise<Row<'tokens'>[]> {
  const keys = new Map(tokens.map(({ key }) => [keyDigest(vault, key), key]));
  const inserted = await transaction
    .insertInto('tokens')
    .values(
      tokens.map(({ columns, key }) => ({
        ...columns,
        user_id: userId,
        key_digest: keyDigest(vault, key),
        key_hint: keyHint(key),
        deleted_at: null,
      })),
    )
    .returning(['id', 'key_digest'])
    .execute();
  // The sealed key is bound to the id, which exists only after the insert.
  const sealed = inserted.map(({ id, key_digest }) => ({
    id,
    sealed: sealKey(vault, keys.get(key_digest) ?? '', id, userId),
  }));
  return await storeSealedKeys(transaction, sealed);
}

/** One statement for the whole batch instead of up to a hundred round trips. */
async function storeSealedKeys(
  transaction: Transaction<Schema>,
  keys: readonly { id: number; sealed: string }[],
): Promise<Row<'tokens'>[]> {
  const rows = await transaction
    .updateTable('tokens')
    .set((builder) => {
      const [first, ...rest] = keys;
      let chosen = builder
        .case('id')
        .when(first?.id ?? 0)
        .then(first?.sealed ?? '');
      for (const key of rest) chosen = chosen.when(key.id).then(key.sealed);
      return { key_sealed: chosen.else('').end() };
    })
    .where(
      'id',
      'in',
      keys.map((key) => key.id),
    )
    .returningAll()
    .execute();
  return rows.sort((left, right) => left.id - right.id);
}
