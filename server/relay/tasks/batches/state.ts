// What the row of a batch keeps besides its columns, in `properties`.
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import { isObject, objects, type Json } from '#server/models/formats/json.ts';
import { neutralText } from '#server/relay/errors/relay-error.ts';
import { textOf } from '#server/relay/tasks/report-fields.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import type { BatchInput } from './requests.ts';

export interface BatchState {
  /** The upstream's id; the caller knows ours, the column `task_id`. */
  readonly upstream: string;
  /** The upstream's last words about it. */
  readonly batch: Json;
  readonly input: BatchInput;
  /** Ids of files as the caller knows them. */
  readonly inputFile?: string;
  readonly outputFile?: string;
  readonly errorFile?: string;
  /** Set when the output has been read; then the batch is charged. */
  readonly usage?: Usage;
  readonly estimated?: boolean;
  readonly answered?: number;
  readonly doubts?: readonly UsageDoubt[];
}

export function stateOf({ properties }: Pick<Task, 'properties'>): BatchState {
  return JSON.parse(properties) as BatchState;
}

const MOST_ERRORS = 20;
const LONGEST_FIELD = 20_000;

/** Known fields of a batch as an upstream describes it, each bounded; error messages without names of upstreams. */
export function batchFields(value: unknown, names: readonly string[]): Json {
  const batch = isObject(value) ? value : {};
  return Object.fromEntries(
    names.flatMap((name) => {
      const kept = name === 'errors' ? errorsOf(batch[name]) : batch[name];
      return kept === undefined || JSON.stringify(kept).length > LONGEST_FIELD ? [] : [[name, kept]];
    }),
  );
}

function errorsOf(value: unknown): unknown {
  const { data } = isObject(value) ? value : {};
  if (!Array.isArray(data)) return undefined;
  const errors = objects(data)
    .slice(0, MOST_ERRORS)
    .map(({ code, line, message, param }) => ({
      code: textOf(code, 100),
      line: typeof line === 'number' ? line : null,
      message: neutralText(message) ?? '',
      param: textOf(param, 100) || null,
    }));
  return { object: 'list', data: errors };
}
