// The lines of the spool: one JSON object for each ended call. Earlier versions wrote lists of values; those lines are read too,
// because an update may find the spool of the version before it.
import type { ReleasedCall, Settlement } from './backend.ts';
import { LOG_COLUMNS } from './engine/log-columns.ts';
import type { HoldOwner, LogRow, SlicePart } from './engine/operations.ts';

/** `slice`: of a call whose hold was inside the slice of its node (PostgreSQL). */
export type SpooledOperation = (({ kind: 'settle' } & Settlement) | ({ kind: 'release' } & ReleasedCall)) & {
  slice?: SlicePart | undefined;
};

export function encodeLine(operation: SpooledOperation): string {
  return JSON.stringify(operation);
}

/** A blank line, and one that a crash cut short, is no operation. Throws for a line of an unknown kind. */
export function decodeLines(text: string): SpooledOperation[] {
  return (text.match(/[^\n]+/g) ?? []).flatMap((line) => decodeLine(line) ?? []);
}

/** undefined: the line was cut short by a crash, so its call was never acknowledged. Throws for a line of an unknown kind. */
function decodeLine(line: string): SpooledOperation | undefined {
  const content = parsed(line);
  if (content === undefined) return undefined;
  if (Array.isArray(content)) return decodeOldLine(content);
  const { kind } = content as { kind?: unknown };
  if (kind === 'settle' || kind === 'release') return withSlice(content as NamedOtherwise);
  throw new Error(`a line of the spool has an unknown kind: ${line.slice(0, 200)}`);
}

/** The version before this one named the slice of a call in another way. */
type NamedOtherwise = SpooledOperation & {
  cover?: { allowanceId: string; amount: number };
  memoryOwner?: HoldOwner;
};

function withSlice({ cover, memoryOwner, ...line }: NamedOtherwise): SpooledOperation {
  if (cover !== undefined) line.slice = { id: cover.allowanceId, amount: cover.amount };
  else if (memoryOwner !== undefined) line.slice = { id: '', amount: 0 };
  return line;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const OLD_FIELDS = [
  'requestId',
  'at',
  'charge',
  'tokenDifference',
  'channelId',
  'modelName',
  'promptTokens',
  'completionTokens',
  'useTimeMs',
  'firstTokenMs',
  'errorCount',
] as const satisfies readonly (keyof Settlement)[];

type Values = readonly (string | number)[];
type OldSettle = readonly [...Values, log: Values | null];
type OldFailure = readonly [channelId: number, modelName: string, useTimeMs: number, log: Values | null];
type OldRelease = readonly [
  requestId: string,
  at: number,
  tokenDifference: number,
  failure: OldFailure | null,
];

function decodeOldLine([name, values]: readonly unknown[]): SpooledOperation {
  if (name === 'release') return oldRelease(values as OldRelease);
  if (name === 'settle') return oldSettle(values as OldSettle, undefined);
  if (name !== 'lateSettle') throw new Error(`a line of the spool has an unknown kind: ${String(name)}`);
  const [userId, tokenId, ...settlement] = values as readonly [number, number, ...OldSettle];
  return oldSettle(settlement, { userId, tokenId });
}

function oldSettle(values: OldSettle, owner: HoldOwner | undefined): SpooledOperation {
  const log = oldLog(values[OLD_FIELDS.length] as Values | null);
  return { kind: 'settle', ...named(OLD_FIELDS, values), log, owner } as SpooledOperation;
}

function oldRelease([requestId, at, tokenDifference, failed]: OldRelease): SpooledOperation {
  if (failed === null) return { kind: 'release', requestId, at, tokenDifference, failure: undefined };
  const [channelId, modelName, useTimeMs, log] = failed;
  const failure = { channelId, modelName, useTimeMs, log: oldLog(log) };
  return { kind: 'release', requestId, at, tokenDifference, failure };
}

const oldLog = (values: Values | null): LogRow | null =>
  values === null ? null : named(LOG_COLUMNS, values);

const named = (names: readonly string[], values: readonly unknown[]) =>
  Object.fromEntries(names.map((name, index) => [name, values[index]]));
