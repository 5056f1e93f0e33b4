// Books past calls through the ledger's own operations, each with the time at which it ended: balance, token, ledger row, log
// row and hourly figures change together, as for a call of today. A person who runs low pays first.
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import { NOTHING_IN_MEMORY, type Release } from '#server/money/ledger/engine/operations.ts';
import type { PriceCache } from '#server/money/prices/price-cache.ts';
import { encodeSettle } from '#server/money/ledger/sqlite/messages.ts';
import type { CostBook } from '#server/money/costs/index.ts';
import { completionTokens, promptTokens, usageOf } from '#server/money/prices/usage.ts';
import { consumeRow, errorRow, type CallRecord } from '#server/relay/money/log-row.ts';
import type { BudgetBook } from '#server/relay/money/budget-book.ts';
import type { CallerOrganization } from '#server/relay/caller/load-token.ts';
import type { Writer } from '#server/platform/store/store.ts';
import type { SitePerson } from './site.ts';
import type { TrafficCall } from './traffic.ts';

const CALLS_PER_TURN = 500;
/** A person with less than so many units tops up before the next call. */
const LOW_BALANCE = 1_000_000;
const SAMPLE_NETWORK = '203.0.113.';

/** A person, or one key of an organization, which pays for all of its keys. */
export interface Payer extends SitePerson {
  organization?: CallerOrganization;
  tags?: Readonly<Record<string, string>>;
}

export interface BookParts {
  writer: Writer;
  /** Says which budgets and tags a call has, as for a call of today. */
  budgets: Pick<BudgetBook, 'attribute'>;
  /** As they were at that time. */
  pricesAt: (at: number) => PriceCache;
  costs: Pick<CostBook, 'costOf'>;
  people: readonly Payer[];
  channelIds: ReadonlyMap<string, number>;
  /** Returns the quota that was paid for. */
  topUp: (person: Payer, at: number) => Promise<number>;
}

export async function bookCalls(parts: BookParts, calls: readonly TrafficCall[]): Promise<void> {
  const balances = new Map<number, number>();
  const balanceOf = ({ id }: Payer) => balances.get(id) ?? 0;
  let turn: Promise<unknown>[] = [];
  const finishTurn = async () => {
    await Promise.all(turn);
    turn = [];
  };
  for (const call of calls) {
    const person = parts.people[call.person];
    if (person === undefined) throw new Error(`no person ${call.person}`);
    if (balanceOf(person) < LOW_BALANCE) {
      // In the order of time: the ledger shows the payment between the calls before and after it.
      await finishTurn();
      balances.set(person.id, balanceOf(person) + (await parts.topUp(person, call.at - 30)));
    }
    const booked = bookOne(parts, person, call, await recordOf(parts, person, call));
    balances.set(person.id, balanceOf(person) - booked.charge);
    turn.push(booked.done);
    if (turn.length >= CALLS_PER_TURN) await finishTurn();
  }
  await finishTurn();
}

type Booked = CallRecord & { budgets: string };

function bookOne(parts: BookParts, person: Payer, call: TrafficCall, record: Booked) {
  const { writer } = parts;
  const requestId = Bun.randomUUIDv7('hex', call.at * 1000);
  const { channelId, budgets } = record;
  const owner = { userId: person.id, tokenId: record.caller.tokenId, budgets };
  if (call.hasFailed) {
    const release: Release = {
      kind: 'release',
      requestId,
      at: call.at,
      tokenDifference: 0,
      failure: {
        channelId,
        modelName: call.model,
        useTimeMs: call.useTimeMs,
        log: errorRow(record, call.attempts.at(-1)?.error ?? '', call.useTimeMs),
      },
      owner,
      slice: { id: '', amount: 0 },
    };
    return { charge: 0, done: writer.run('ledger.release', release) };
  }
  const price = parts.pricesAt(call.at).resolve(call.model, person.group);
  if (typeof price === 'string') throw new Error(`${call.model} in ${person.group}: ${price}`);
  const usage = usageOf({ input: call.input, cacheRead: call.cacheRead, output: call.output });
  const charge = cappedChargeOf(price, usage);
  const log = consumeRow(record, {
    usage,
    price,
    estimated: false,
    useTimeMilliseconds: call.useTimeMs,
    firstTokenMilliseconds: call.isStream ? call.firstTokenMs : undefined,
    ending: '',
  });
  const { values, text } = encodeSettle(
    {
      requestId,
      at: call.at,
      charge,
      cost: parts.costs.costOf(record, usage),
      group: person.group,
      tokenDifference: 0,
      channelId,
      modelName: call.model,
      promptTokens: promptTokens(usage),
      completionTokens: completionTokens(usage),
      useTimeMs: call.useTimeMs,
      firstTokenMs: call.firstTokenMs,
      errorCount: 0,
      log,
      owner,
    },
    // No hold was taken; the operation ends one of nothing.
    { isInSlice: true, memoryHeld: NOTHING_IN_MEMORY },
  );
  return { charge, done: writer.run('ledger.settle', values, { text }) };
}

async function recordOf(
  { channelIds, budgets }: BookParts,
  person: Payer,
  call: TrafficCall,
): Promise<Booked> {
  const idOf = (name: string) => channelIds.get(name) ?? 0;
  const channelName = call.attempts.at(-1)?.channel ?? '';
  const caller = {
    userId: person.id,
    username: person.username,
    role: person.role,
    group: person.group,
    tokenId: person.tokenIds[call.token] ?? 0,
    tokenName: person.tokenNames[call.token] ?? '',
    models: undefined,
    channelId: undefined,
    rateLimitMessage: '',
    isStrict: false,
    organization: person.organization,
  };
  return {
    ...(await budgets.attribute(caller, call.model, () => person.tags ?? {})),
    caller,
    model: call.model,
    upstreamModel: call.model,
    channelId: idOf(channelName),
    channelName,
    address: `${SAMPLE_NETWORK}${20 + call.person}`,
    path: call.path,
    isStream: call.isStream,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: call.attempts.map(({ channel, ...attempt }) => ({ channel: idOf(channel), ...attempt })),
  };
}
