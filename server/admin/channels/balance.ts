// Reads the balance of an upstream's account. Reading all reads enabled channels only, and disables a channel without
// balance if the monitoring settings allow it.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { channelUpstream } from '#contract/relay/channel-upstream.ts';
import type { Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { AppError, errorMessage } from '#contract/errors.ts';
import { factText, wordsInBoth } from '#contract/facts.ts';
import { balanceReading } from '#server/models/providers/facts/balance.ts';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { changeChannel, disableChannel } from '#server/relay/channel-choice/write.ts';
import { channelRow } from './change.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { factsOf } from './types.ts';
import { addressBelow, callUpstream, failureOf, targetOf } from './upstream.ts';

const TIMEOUT_SECONDS = 15;
const AT_ONCE = 4;

export function updateBalance(
  dependencies: UpstreamDependencies,
): Handler<typeof channelUpstream.updateBalance> {
  return async ({ params }) => {
    const row = await channelRow(dependencies, params.id);
    const balance = await readBalance(dependencies, row);
    await keepBalance(dependencies, row, balance);
    return { data: null, balance };
  };
}

export function updateBalances(
  dependencies: UpstreamDependencies,
): Handler<typeof channelUpstream.updateBalances> {
  return async (_, context) => {
    const rows = await dependencies.store.db
      .selectFrom('channels')
      .selectAll()
      .where('status', '=', CHANNEL_STATUS.enabled)
      .where('deleted_at', 'is', null)
      .execute();
    const readable = rows.filter((row) => factsOf(row.type)?.balance !== undefined);
    const counts = { updated: 0, failed: 0, unsupported: rows.length - readable.length };
    const failures: { id: number; name: string; error: string }[] = [];
    const queue = [...readable];
    const worker = async (): Promise<void> => {
      for (let row = queue.shift(); row; row = queue.shift()) {
        try {
          const balance = await readBalance(dependencies, row);
          await keepBalance(dependencies, row, balance);
          if (balance <= 0) await disableEmpty(dependencies, row);
          counts.updated += 1;
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          counts.failed += 1;
          const { code, parameters } = error;
          failures.push({
            id: row.id,
            name: row.name,
            error: errorMessage(code, context.language, parameters),
          });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await context.auditEvent('channel.update_balances', 'channels', counts);
    return { ...counts, failures: failures.toSorted((left, right) => left.id - right.id) };
  };
}

async function readBalance(dependencies: UpstreamDependencies, row: Row<'channels'>): Promise<number> {
  const facts = factsOf(row.type);
  if (facts?.balance === undefined) {
    throw new AppError('channel_balance_unsupported', { name: facts?.name ?? row.type });
  }
  const reading = balanceReading(facts.balance);
  const target = targetOf(dependencies, row);
  const headers = reading.headers?.(target.key);
  const answers: unknown[] = [];
  for (const path of reading.paths(nowSeconds(dependencies))) {
    const url = addressBelow(row, path);
    const answer = await callUpstream(dependencies, target, {
      url,
      ...(headers ? { headers } : {}),
      timeoutSeconds: TIMEOUT_SECONDS,
    });
    if (!answer.isOk) throw failureOf('channel_balance_failed', answer);
    answers.push(answer.value);
  }
  const balance = reading.read(answers);
  if (balance === undefined)
    throw new AppError('channel_balance_failed', { detail: wordsInBoth(factText('noBalance')) });
  return balance;
}

async function keepBalance(
  dependencies: UpstreamDependencies,
  row: Row<'channels'>,
  balance: number,
): Promise<void> {
  const { UpstreamBalanceThreshold: threshold } = dependencies.settings.current;
  const now = nowSeconds(dependencies);
  await dependencies.store.db.transaction().execute(async (transaction) => {
    await changeChannel(transaction, row.id, { balance, balance_updated_time: now });
    // A threshold of 0 is none, also where an upstream reports a debt.
    if (threshold === 0 || balance >= threshold) return;
    // At most one notice a day for each channel.
    await raiseNotice(transaction, {
      event: 'upstream_balance_low',
      values: { channel_id: row.id, channel_name: row.name, balance },
      onceKey: `upstream_balance_low:${row.id}:${Math.floor(now / 86_400)}`,
    });
  });
}

async function disableEmpty(dependencies: UpstreamDependencies, row: Row<'channels'>): Promise<void> {
  if (!dependencies.settings.current.AutomaticDisableChannelEnabled || row.auto_ban !== 1) return;
  const why = { reason: 'balance 0', at: nowSeconds(dependencies) };
  await disableChannel(dependencies.store, row.id, why);
}
