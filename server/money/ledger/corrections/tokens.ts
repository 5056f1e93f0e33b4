// The quota of tokens follows a correction as it follows a charge: it is a limit, so it stops at zero. How much of a correction
// arrived is kept with each call, because an undo may give back no more.
import { sql, type Transaction } from 'kysely';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { forNoKeyUpdate } from '#server/platform/store/locks.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { BookedCall, CallCorrection, Dialect } from './correction.ts';
import { jsonRows } from './json-rows.ts';
import { paidOf, type Shares } from './shares.ts';

type TokenRow = Pick<Row<'tokens'>, 'id' | 'status' | 'remain_quota' | 'unlimited_quota' | 'used_quota'>;

async function lock(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  calls: readonly CallCorrection[],
): Promise<Map<number, TokenRow>> {
  const ids = [...new Set(calls.map(({ tokenId }) => tokenId))].filter((id) => id > 0);
  if (ids.length === 0) return new Map();
  const query = transaction
    .selectFrom('tokens')
    .select(['id', 'status', 'remain_quota', 'unlimited_quota', 'used_quota'])
    .where('id', 'in', ids)
    .orderBy('id');
  const rows = await query.$call(forNoKeyUpdate({ dialect })).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function write(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  tokens: Map<number, TokenRow>,
  paid: readonly (CallCorrection & { after: Shares })[],
): Promise<{ calls: BookedCall[]; changed: number[] }> {
  const before = new Map([...tokens].map(([id, row]) => [id, row.status]));
  const changes = new Map<number, number>();
  // What is given back comes first, as for the balance.
  const ordered = paid.toSorted((one, other) => difference(one) - difference(other));
  for (const call of ordered) {
    const token = tokens.get(call.tokenId);
    if (token !== undefined) changes.set(call.logId, correct(token, call));
  }
  if (tokens.size > 0) {
    const rows = Array.from(tokens.values(), ({ id, status, remain_quota, used_quota }) => ({
      id,
      status,
      remain: remain_quota,
      used: used_quota,
    }));
    const columns = { id: 'integer', status: 'integer', remain: 'integer', used: 'integer' } as const;
    await sql`update tokens set status = v.status, remain_quota = v.remain, used_quota = v.used
      from ${jsonRows({ dialect }, columns, rows)} where tokens.id = v.id`.execute(transaction);
  }
  return {
    calls: paid.map((call) => ({ ...call, tokenChange: changes.get(call.logId) ?? 0 })),
    changed: [...tokens.values()].filter(({ id, status }) => before.get(id) !== status).map(({ id }) => id),
  };
}

const difference = ({ before, after }: { before: Shares; after: Shares }) => paidOf(after) - paidOf(before);

/** Changes the row; returns the change of what remains. */
function correct(token: TokenRow, call: CallCorrection & { after: Shares }): number {
  token.used_quota = Math.max(0, token.used_quota + difference(call));
  if (token.unlimited_quota === 1) return 0;
  const asked = call.undoneTokenChange === undefined ? -difference(call) : -call.undoneTokenChange;
  const remain = Math.max(0, token.remain_quota + asked);
  const change = remain - token.remain_quota;
  token.remain_quota = remain;
  if (token.status === TOKEN_STATUS.exhausted && remain > 0) token.status = TOKEN_STATUS.enabled;
  if (token.status === TOKEN_STATUS.enabled && remain === 0) token.status = TOKEN_STATUS.exhausted;
  return change;
}

export const correctTokens = { lock, write };
