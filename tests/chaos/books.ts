// Compares the ledger, the log, the callers and the upstream after a test: four separate records of the same calls.
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { openStore } from '#server/platform/store/store.ts';
import type { ServedRequest } from '#mock/upstream/books.ts';
import type { Acknowledged, Begun } from './load.ts';

export interface Comparison {
  /** Calls whose end the caller read that are not charged exactly once, for exactly what the upstream counted. */
  wrong: string[];
  /** Charges of calls whose end no caller read that exceed what the upstream had written of them. */
  overcharged: string[];
  /** Calls whose caller received content and that are not charged. Allowed only where a process was killed. */
  unpaid: string[];
  brokenInvariants: string[];
  holdsLeft: number;
  /** Σ ledger. */
  charged: number;
  /** Σ log. */
  logged: number;
  /** Σ receipts of the callers. */
  receipts: number;
  lastLogId: number;
  /** Number of charged calls whose end no caller read. */
  chargedWithoutEnd: number;
}

export async function compareBooks(
  place: { dataDir: string; databaseUrl?: string | undefined },
  { acknowledged, begun }: { acknowledged: readonly Acknowledged[]; begun: readonly Begun[] },
  served: readonly ServedRequest[],
  /** Older rows were compared before. */
  afterLogId = 0,
): Promise<Comparison> {
  const writerEntry = new URL('../../server/app/writer.ts', import.meta.url);
  const store = await openStore({ ...place, writerEntry });
  // Opening the ledger resolves the holds of the last dead process, as a start of the gateway does.
  const ledger = await openLedger({ store, nodeId: 'comparison', dataDir: place.dataDir, version: 'test' });
  try {
    await ledger.close();
    const logs = await store.db
      .selectFrom('logs')
      .selectAll()
      .where('type', '=', 2)
      .where('id', '>', afterLogId)
      .execute();
    const entries = await store.db
      .selectFrom('ledger')
      .selectAll()
      .where('kind', 'in', ['use', 'refund'])
      .execute();
    const amounts = new Map<string, number>();
    // A call that recovery charged first has a second row, with the difference.
    for (const { idem, kind, amount } of entries) {
      const requestId = idem.replace(/:late$/, '');
      amounts.set(requestId, (amounts.get(requestId) ?? 0) + (kind === 'use' ? amount : -amount));
    }
    const holds = await store.db.selectFrom('holds').select('id').execute();
    const breaches = await checkInvariants(store);
    const byRequest = Map.groupBy(logs, (row) => row.request_id);
    const servedByTag = new Map(served.map((record) => [record.tag, record]));
    const wrong = acknowledged.flatMap((call) => {
      const rows = byRequest.get(call.requestId) ?? [];
      const [row] = rows;
      const upstream = servedByTag.get(call.tag)?.usage;
      if (row === undefined || rows.length !== 1) return [`${call.requestId}: ${rows.length} charges`];
      const isExact =
        row.prompt_tokens === call.promptTokens &&
        row.completion_tokens === call.completionTokens &&
        upstream?.inputTokens === row.prompt_tokens &&
        upstream.outputTokens === row.completion_tokens &&
        row.quota === call.charged &&
        amounts.get(call.requestId) === call.charged;
      const tokens = `${row.prompt_tokens}+${row.completion_tokens}`;
      return isExact ? [] : [`${call.requestId}: receipt ${call.charged}, logged ${row.quota} for ${tokens}`];
    });
    const seen = new Set(acknowledged.map((call) => call.requestId));
    const tags = new Map(begun.map((call) => [call.requestId, call.tag]));
    const mostWritten = served.reduce((most, record) => Math.max(most, outputOf(record)), 0);
    const largestPrompt = served.reduce((most, { usage }) => Math.max(most, usage.inputTokens), 0);
    const overcharged = logs
      .filter((row) => !seen.has(row.request_id))
      .flatMap((row) => {
        // A call without a response head cannot be matched with a call of the upstream.
        const upstream = servedByTag.get(tags.get(row.request_id) ?? '');
        const written = upstream === undefined ? mostWritten : outputOf(upstream);
        // The prompt of a call without reported usage is an estimate, so it may differ a little from the upstream's
        // count.
        const isFair = row.completion_tokens <= written && row.prompt_tokens <= largestPrompt * 2;
        return isFair
          ? []
          : [`${row.request_id}: ${row.prompt_tokens}+${row.completion_tokens} of ${written}`];
      });
    const unpaid = begun
      .filter(({ requestId, hasContent }) => hasContent && !byRequest.has(requestId))
      .map(({ requestId, tag }) => `${requestId}: ${servedByTag.get(tag)?.ending ?? 'unknown'}`);
    return {
      wrong,
      overcharged,
      unpaid,
      brokenInvariants: breaches.map(({ invariant, detail }) => `${invariant}: ${detail}`),
      holdsLeft: holds.length,
      lastLogId: logs.reduce((last, { id }) => Math.max(last, id), afterLogId),
      charged: entries.reduce((sum, { kind, amount }) => sum + (kind === 'use' ? amount : -amount), 0),
      logged: logs.reduce((sum, { quota }) => sum + quota, 0),
      receipts: acknowledged.reduce((sum, call) => sum + call.charged, 0),
      chargedWithoutEnd: logs.filter((row) => !seen.has(row.request_id)).length,
    };
  } finally {
    await store.close();
  }
}

/** Only streams are counted while they are written; a whole answer is delivered completely or not at all. */
function outputOf({ stream, outputTokensWritten, usage }: ServedRequest): number {
  return stream ? outputTokensWritten : usage.outputTokens;
}
