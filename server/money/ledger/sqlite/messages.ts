// How ledger operations cross to the writer thread. Most travel as JSON objects. A settlement, which every call sends, travels
// as lists of values with the longest text beside them, unquoted: that costs half of what an object costs. No other file knows
// the order of the values.
import type { Settlement } from '#server/money/ledger/backend.ts';
import { LOG_COLUMNS, logValues } from '#server/money/ledger/engine/log-columns.ts';
import type {
  HeldPlan,
  LogRow,
  MemoryHeld,
  ReserveResult,
  Settle,
  SettleResult,
} from '#server/money/ledger/engine/operations.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import type { SliceSize } from '#server/money/ledger/slices.ts';

/** A hold that was taken on the main thread. */
export type HoldToWrite = Pick<
  RunningCall,
  'requestId' | 'userId' | 'tokenId' | 'amount' | 'createdAt' | 'expiresAt' | 'budgets'
>;

export function holdToWrite(call: HoldToWrite): HoldToWrite {
  const { requestId, userId, tokenId, amount, createdAt, expiresAt, budgets } = call;
  return { requestId, userId, tokenId, amount, createdAt, expiresAt, budgets };
}

export interface ReserveAnswer {
  result: ReserveResult;
  /** What the tables show of an admitted call's user and token; null when more than the balance limits them. */
  size: SliceSize | null;
}

const SETTLE_FIELDS = [
  'requestId',
  'at',
  'charge',
  'cost',
  'group',
  'tokenDifference',
  'channelId',
  'modelName',
  'promptTokens',
  'completionTokens',
  'useTimeMs',
  'firstTokenMs',
  'errorCount',
] as const satisfies readonly (keyof Settle)[];

type Value = string | number | boolean | null;

type SettleValues = readonly [
  fields: readonly Value[],
  /** -1: there is no owner. */
  userId: number,
  tokenId: number,
  plan: HeldPlan | null,
  budgets: string,
  isInSlice: boolean,
  memoryHeldUser: number,
  memoryHeldToken: number,
  memoryHeldBudgets: readonly number[] | null,
  /** -1: not known. */
  held: number,
  log: readonly (string | number)[] | null,
];

/** What the main thread knows of the hold of a settlement. */
export interface HoldInMemory {
  isInSlice: boolean;
  memoryHeld: MemoryHeld;
}

const OTHER = LOG_COLUMNS.indexOf('other');
const COLUMNS_BESIDE_TEXT = LOG_COLUMNS.toSpliced(OTHER, 1);

export function encodeSettle(
  settlement: Settlement,
  { isInSlice, memoryHeld: { user, token, budgets: heldBudgets } }: HoldInMemory,
): { values: SettleValues; text: string } {
  const { owner, held = -1, log } = settlement;
  const fields = SETTLE_FIELDS.map((name) => settlement[name] ?? null);
  // Without `other`, which travels as `text`.
  const logged = log === null ? null : logValues(log).toSpliced(OTHER, 1);
  const { userId = -1, tokenId = 0, plan = null, budgets = '' } = owner ?? {};
  const ownerValues = [userId, tokenId, plan, budgets] as const;
  const values = [fields, ...ownerValues, isInSlice, user, token, heldBudgets ?? null, held, logged] as const;
  return { values, text: log?.other ?? '' };
}

export function decodeSettle(values: unknown, text: string): Settle {
  const [fields, userId, tokenId, plan, budgets, isInSlice, user, token, heldBudgets, held, log] =
    values as SettleValues;
  const settle = named({ kind: 'settle' }, SETTLE_FIELDS, fields) as Partial<Settle> as Settle;
  settle.group ??= '';
  settle.owner = userId < 0 ? undefined : { userId, tokenId, plan: plan ?? undefined, budgets };
  settle.memoryHeld = { user, token, budgets: heldBudgets ?? undefined };
  settle.held = held < 0 ? undefined : held;
  settle.slice = isInSlice ? { id: '', amount: Math.max(0, held) } : undefined;
  settle.log = log === null ? null : (named({ other: text }, COLUMNS_BESIDE_TEXT, log) as LogRow);
  return settle;
}

const RESULT_FIELDS = [
  'charged',
  'balance',
  'suspense',
  'aboveHold',
  'duplicate',
  'hadHold',
  'tokenStatus',
] as const satisfies readonly (keyof SettleResult)[];

export type SettleResultValues = readonly Value[];

export const encodeSettleResult = (result: SettleResult): SettleResultValues =>
  RESULT_FIELDS.map((name) => result[name]);

export const decodeSettleResult = (values: SettleResultValues) =>
  named({}, RESULT_FIELDS, values) as Partial<SettleResult> as SettleResult;

/** Adds the values to the object; the names after the last value are left out. */
function named(object: Record<string, Value>, names: readonly string[], values: readonly Value[]): unknown {
  for (let index = 0; index < values.length; index += 1) object[names[index] ?? ''] = values[index] ?? null;
  return object;
}
