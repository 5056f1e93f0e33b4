// Operations of the ledger sent straight to the engine, as replays and other nodes send them, for many calls at once; and
// everything that a call leaves behind.
import { sql } from 'kysely';
import { Client } from 'pg';
import { BUDGETS_OF_UTC, budgetCalendar } from '#contract/money/budget-windows.ts';
import type {
  Operation,
  RecoveryPolicy,
  Settle,
  SettleResult,
} from '#server/money/ledger/engine/operations.ts';
import { NOTHING_IN_MEMORY } from '#server/money/ledger/engine/operations.ts';
import { runBatch } from '#server/money/ledger/postgres/batch.ts';
import { KnownRows } from '#server/money/ledger/postgres/known.ts';
import { typesText } from '#server/money/ledger/postgres/write.ts';
import { encodeSettle } from '#server/money/ledger/sqlite/messages.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { PostgresStore, SqliteStore, Store } from '#server/platform/store/store.ts';
import { logRow, newId } from './world.ts';

/** How a call was opened and how far it came, and what it really cost. */
export interface Scenario {
  what: string;
  balance: number;
  held: number;
  /** Part of the hold that a subscription covers. */
  heldPlan?: number;
  /** undefined: not sent upstream. */
  checkpoint: number | 'none' | undefined;
  charge: number;
  policy?: RecoveryPolicy;
}

export interface Call {
  requestId: string;
  userId: number;
  tokenId: number;
  scenario: Scenario;
}

export const tokenQuota = 100_000;
/** The channel of the last checkpoint, and the channel that finished the call. */
export const checkpointChannel = 41;
export const lastChannel = 42;
/** What the call had cost the operator at its checkpoint, and what it cost in the end. */
export const checkpointCost = 30;
export const lastCost = 120;

/** A user, a token and a hold for each scenario, written directly. */
export async function openCalls(store: Store, scenarios: readonly Scenario[]): Promise<Call[]> {
  const { db } = store;
  const now = Math.floor(Date.now() / 1000);
  const users = await db
    .insertInto('users')
    .values(
      scenarios.map(({ balance, held, heldPlan = 0 }) => {
        const name = newId();
        return { username: name, aff_code: name, quota: balance, held_quota: held - heldPlan };
      }),
    )
    .returning('id')
    .execute();
  const tokens = await db
    .insertInto('tokens')
    .values(
      scenarios.map(({ held }, index) => ({
        user_id: users[index]?.id ?? 0,
        key_digest: newId(),
        remain_quota: tokenQuota,
        held_quota: held,
      })),
    )
    .returning('id')
    .execute();
  const calls = scenarios.map((scenario, index): Call => ({
    requestId: newId(),
    userId: users[index]?.id ?? 0,
    tokenId: tokens[index]?.id ?? 0,
    scenario,
  }));
  const funded = calls.filter(({ scenario }) => scenario.balance > 0);
  if (funded.length > 0) {
    await db
      .insertInto('ledger')
      .values(
        funded.map(({ userId, scenario }) => ({
          idem: newId(),
          created_at: now,
          user_id: userId,
          debit_account: 'world:admin',
          credit_account: `user:${userId}`,
          amount: scenario.balance,
          kind: 'admin',
        })),
      )
      .execute();
  }
  await db
    .insertInto('holds')
    .values(
      calls.map(({ requestId, userId, tokenId, scenario: { held, checkpoint } }) => ({
        id: requestId,
        user_id: userId,
        token_id: tokenId,
        node_id: 'local',
        epoch: 1,
        amount: held,
        created_at: now,
        expires_at: now + 3600,
        dispatched: checkpoint === undefined ? (0 as const) : (1 as const),
        checkpoint_quota: typeof checkpoint === 'number' ? checkpoint : 0,
        checkpoint:
          typeof checkpoint === 'number'
            ? JSON.stringify({
                quota: checkpoint,
                promptTokens: 5,
                completionTokens: 3,
                channelId: checkpointChannel,
                cost: checkpointCost,
              })
            : '',
        snapshot: '',
      })),
    )
    .execute();
  return calls;
}

export function settling({ requestId, userId, tokenId, scenario }: Call, more: Partial<Settle> = {}): Settle {
  return {
    kind: 'settle',
    requestId,
    at: 0,
    charge: scenario.charge,
    cost: lastCost,
    group: 'default',
    tokenDifference: 0,
    channelId: lastChannel,
    modelName: 'gpt-4o',
    promptTokens: 60,
    completionTokens: 40,
    useTimeMs: 1200,
    firstTokenMs: 300,
    errorCount: 0,
    log: { ...logRow(userId, tokenId), channel_id: lastChannel, prompt_tokens: 60, completion_tokens: 40 },
    owner: { userId, tokenId },
    held: scenario.held,
    memoryHeld: NOTHING_IN_MEMORY,
    ...more,
  };
}

export const progressing =
  (quota: number, completionTokens: number) =>
  ({ requestId }: Call): Operation => ({
    kind: 'noteProgress',
    requestId,
    checkpoint: { quota, promptTokens: 5, completionTokens, channelId: checkpointChannel },
    snapshot: '',
  });

export const releasing = ({ requestId }: Call): Operation => ({
  kind: 'release',
  requestId,
  at: 0,
  tokenDifference: 0,
  failure: undefined,
});

export const recovering = ({ requestId, scenario }: Call): Operation => ({
  kind: 'recover',
  requestId,
  policy: scenario.policy ?? 'checkpoint',
});

/** Applies the operations in their order, in one batch where the database allows it. */
export async function applyAll(store: Store, operations: readonly Operation[]): Promise<void> {
  if (operations.length === 0) return;
  if (store.dialect === 'sqlite') await applyOnSqlite(store, operations);
  else await applyOnPostgres(store, operations);
}

/** Applies one settlement and returns its answer. */
export async function answerTo(store: Store, operation: Settle): Promise<SettleResult> {
  if (store.dialect === 'sqlite') return await settleOnSqlite(store, operation);
  const [result] = await applyOnPostgres(store, [operation]);
  return result as SettleResult;
}

async function settleOnSqlite({ writer }: SqliteStore, operation: Settle): Promise<SettleResult> {
  const { slice, memoryHeld } = operation;
  const { values, text } = encodeSettle(operation, { isInSlice: slice !== undefined, memoryHeld });
  return await writer.run<SettleResult, SettleResult>('ledger.settle', values, { text });
}

/** On a connection of its own, as another node would. */
async function applyOnPostgres(
  { pool }: PostgresStore,
  operations: readonly Operation[],
): Promise<unknown[]> {
  const circumstances = {
    identity: { nodeId: 'replay', epoch: 1 },
    lowBalanceThreshold: -1,
    budgets: budgetCalendar(BUDGETS_OF_UTC),
    isSynced: true,
  };
  const client = new Client(pool.options);
  await client.connect();
  try {
    await client.query(typesText);
    return await runBatch(client, new KnownRows('replay'), operations, circumstances);
  } finally {
    await client.end();
  }
}

async function applyOnSqlite(store: SqliteStore, operations: readonly Operation[]): Promise<void> {
  const { writer, db } = store;
  const recovered = operations.filter((operation) => operation.kind === 'recover');
  for (const policy of ['checkpoint', 'full'] as const) {
    const ids = recovered
      .filter((operation) => operation.policy === policy)
      .map(({ requestId }) => requestId);
    if (ids.length === 0) continue;
    await sql`update holds set expires_at = 1 where id in (${sql.join(ids)})`.execute(db);
    await writer.run('ledger.recover', { policy, limit: 100_000 });
  }
  const others = operations.filter((operation) => operation.kind !== 'recover');
  await Promise.all(
    others.map((operation) => {
      if (operation.kind === 'noteProgress') return writer.run('ledger.noteProgress', [operation]);
      if (operation.kind !== 'settle') return writer.run(`ledger.${operation.kind}`, operation);
      return settleOnSqlite(store, operation);
    }),
  );
}

/** What each call has left in every table that counts it. Every call has a user of its own. */
export async function tracesOf(store: Store, calls: readonly Call[]): Promise<unknown[]> {
  const { db } = store;
  const byUser = async <Row extends { user_id: number }>(rows: Promise<Row[]>) =>
    Map.groupBy(await rows, ({ user_id }) => user_id);
  const users = Map.groupBy(await db.selectFrom('users').selectAll().execute(), ({ id }) => id);
  const tokens = await byUser(db.selectFrom('tokens').selectAll().execute());
  const entries = await byUser(db.selectFrom('ledger').selectAll().execute());
  const hours = await byUser(db.selectFrom('usage_hours').selectAll().execute());
  const margins = await byUser(db.selectFrom('margin_days').selectAll().execute());
  const logs = await byUser(db.selectFrom('logs').selectAll().execute());
  const holds = await byUser(db.selectFrom('holds').selectAll().execute());
  return calls.map(({ requestId, userId, tokenId }) => {
    const booked = entries.get(userId) ?? [];
    const sum = (kinds: string[], from: string) =>
      booked
        .filter(({ kind }) => kinds.includes(kind))
        .reduce((total, { debit_account, amount }) => total + (debit_account === from ? amount : -amount), 0);
    const [user] = users.get(userId) ?? [];
    const [token] = tokens.get(userId) ?? [];
    return {
      user: [user?.quota, user?.held_quota, user?.used_quota, user?.request_count],
      token: [token?.remain_quota, token?.held_quota, token?.used_quota, token?.status],
      records: booked.filter(({ idem }) => idem === requestId).length,
      charged: sum(['use', 'refund'], `user:${userId}`),
      suspense: sum(['suspense'], 'suspense'),
      aboveHold: sum(['above_hold'], 'world:above-hold'),
      hours: (hours.get(userId) ?? []).map(figuresOf(tokenId)).filter(isCounted),
      margins: (margins.get(userId) ?? []).map(marginFigures).filter(isCounted),
      logs: (logs.get(userId) ?? []).map(shownPart),
      holds: holds.get(userId)?.length ?? 0,
    };
  });
}

const figuresOf =
  (tokenId: number) =>
  ({ hour: _hour, user_id: _user, token_id, ...figures }: Row<'usage_hours'>) => ({
    isOwnToken: token_id === tokenId,
    ...figures,
  });

const marginFigures = ({ day: _day, user_id: _user, ...figures }: Row<'margin_days'>) => figures;

/** Recovery may have counted under another channel or model; after the correction nothing is left there. */
const isCounted = ({
  count,
  quota,
  prompt_tokens,
  completion_tokens,
  error_count,
  cost,
  costed_count,
  costed_quota,
}: Partial<Row<'usage_hours'> & Row<'margin_days'>>) =>
  [count, quota, prompt_tokens, completion_tokens, error_count, cost, costed_count, costed_quota].some(
    (figure) => (figure ?? 0) !== 0,
  );

const shownPart = (log: Row<'logs'>) => {
  const { quota, cost, prompt_tokens, completion_tokens, channel_id, estimated, content, other } = log;
  return { quota, cost, prompt_tokens, completion_tokens, channel_id, estimated, content, other };
};
