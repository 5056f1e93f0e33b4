/** The values of the editor, the body that is sent, and its declaration as code; without React, for unit tests. */
import type { VirtualModelFields, VirtualTarget } from '#contract/relay/virtual-models.ts';
import { FALLBACK_KINDS, type ConditionName, type FallbackKind } from '#contract/relay/virtual-reasons.ts';
import type { WhenDraft } from '#web/features/virtual-models/rule-words.ts';

export interface TargetDraft {
  /** Of the row in the editor: it stays when rows are moved. */
  key: number;
  model: string;
  when: WhenDraft;
  fall_back_on: FallbackKind[];
  /** Null: as the setting for all calls. */
  first_token_seconds: number | null;
}

export interface VirtualModelValues extends Omit<VirtualModelFields, 'targets'> {
  targets: TargetDraft[];
}

/** As the contract's; a test compares them. */
export const USUAL_FALLBACKS: readonly FallbackKind[] = FALLBACK_KINDS.filter(
  (kind) => kind !== 'content_filter',
);

export const nextKey = (targets: readonly TargetDraft[]): number =>
  Math.max(0, ...targets.map(({ key }) => key)) + 1;

export const blankTarget = (targets: readonly TargetDraft[]): TargetDraft => ({
  key: nextKey(targets),
  model: '',
  when: {},
  fall_back_on: [...USUAL_FALLBACKS],
  first_token_seconds: null,
});

export function formValues(fields: VirtualModelFields | undefined): VirtualModelValues {
  if (fields === undefined)
    return {
      name: '',
      description: '',
      enabled: true,
      price: 'answered',
      body_model: 'asked',
      replaces_model: false,
      hedge: false,
      targets: [blankTarget([])],
    };
  const { name, description, enabled, price, body_model, replaces_model, hedge, targets } = fields;
  return {
    name,
    description,
    enabled,
    price,
    body_model,
    replaces_model,
    hedge,
    targets: targets.map(({ model, when, fall_back_on, first_token_seconds }, index) => ({
      key: index + 1,
      model,
      when,
      fall_back_on,
      first_token_seconds: first_token_seconds ?? null,
    })),
  };
}

const targetOf = ({ model, when, fall_back_on, first_token_seconds }: TargetDraft): VirtualTarget => ({
  model,
  // A number that was cleared is sent as null: the server says what belongs there.
  when: when as VirtualTarget['when'],
  fall_back_on,
  ...(first_token_seconds === null ? {} : { first_token_seconds }),
});

export const bodyOf = (values: VirtualModelValues): VirtualModelFields => ({
  ...values,
  targets: values.targets.map(targetOf),
});

/** The row at `from` stands at `to` then. */
export function moved<Row>(rows: readonly Row[], from: number, to: number): Row[] {
  const next = [...rows];
  const [row] = next.splice(from, 1);
  if (row !== undefined) next.splice(to, 0, row);
  return next;
}

const sameKinds = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((kind) => right.includes(kind));

/** An entry of `virtual_models` in the configuration file, without what has its default. */
export function declarationOf(values: VirtualModelValues): Record<string, unknown> {
  const { name, description, enabled, price, body_model, replaces_model, hedge, targets } = values;
  return {
    name,
    ...(description === '' ? {} : { description }),
    ...(enabled ? {} : { enabled }),
    ...(price === 'answered' ? {} : { price }),
    ...(body_model === 'asked' ? {} : { body_model }),
    ...(replaces_model ? { replaces_model } : {}),
    ...(hedge ? { hedge } : {}),
    targets: targets.map((target) => {
      const { model, when, fall_back_on, first_token_seconds } = targetOf(target);
      return {
        model,
        ...(Object.keys(when).length === 0 ? {} : { when }),
        ...(sameKinds(fall_back_on, USUAL_FALLBACKS) ? {} : { fall_back_on }),
        ...(first_token_seconds === undefined ? {} : { first_token_seconds }),
      };
    }),
  };
}

/** What cannot be shown as a form; everything else is left to the server. */
export type CodeProblem = { kind: 'json'; detail: string } | { kind: 'shape'; place: string };

type Members = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isFlag: Check = (value) => typeof value === 'boolean';
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isAbsentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const hasMembers =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) &&
    Object.entries(members).every(([name, check]) => check(value[name])) &&
    Object.keys(value).every((name) => Object.hasOwn(members, name));
const isOneOf =
  (...all: readonly string[]): Check =>
  (value) =>
    all.some((each) => each === value);

const CONDITIONS: Readonly<Record<ConditionName, Check>> = {
  prompt_at_least: isNumber,
  prompt_at_most: isNumber,
  fits_context: (value) => value === true,
  pictures: isFlag,
  files: isFlag,
  tools: isFlag,
  structured_output: isFlag,
  reasoning_efforts: isListOf(isText),
  header: hasMembers({ name: isText, values: isAbsentOr(isListOf(isText)) }),
  tag: hasMembers({ key: isText, values: isAbsentOr(isListOf(isText)) }),
  groups: isListOf(isText),
  hours: hasMembers({ from: isText, to: isText, days: isAbsentOr(isListOf(isNumber)) }),
  share_percent: isNumber,
  budget_below: isNumber,
  max_cost: isNumber,
};

const TARGET: Readonly<Record<string, Check>> = {
  model: isText,
  when: isAbsentOr(isObject),
  fall_back_on: isAbsentOr(isListOf(isOneOf(...FALLBACK_KINDS))),
  first_token_seconds: isAbsentOr(isNumber),
};

const WHOLE: Readonly<Record<string, Check>> = {
  name: isText,
  description: isAbsentOr(isText),
  enabled: isAbsentOr(isFlag),
  price: isAbsentOr(isOneOf('answered', 'own')),
  body_model: isAbsentOr(isOneOf('asked', 'answered')),
  replaces_model: isAbsentOr(isFlag),
  hedge: isAbsentOr(isFlag),
  targets: isListOf(isObject),
};

/** The first place that is wrong; a member without a check is unknown. */
function wrongIn(value: Members, checks: Readonly<Record<string, Check>>): string | undefined {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(checks, name));
  return unknown ?? Object.keys(checks).find((name) => checks[name]?.(value[name]) === false);
}

/** Undefined members are those that have their default. */
const isGiven = (checks: Readonly<Record<string, Check>>): Readonly<Record<string, Check>> =>
  Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, isAbsentOr(check)]));

function wrongPlace(entry: Members): string | undefined {
  const wrong = wrongIn(entry, WHOLE);
  if (wrong !== undefined) return wrong;
  for (const [index, target] of (entry['targets'] as Members[]).entries()) {
    const inTarget = wrongIn(target, TARGET);
    if (inTarget !== undefined) return `targets.${index}.${inTarget}`;
    const inWhen = wrongIn((target['when'] ?? {}) as Members, isGiven(CONDITIONS));
    if (inWhen !== undefined) return `targets.${index}.when.${inWhen}`;
  }
  return undefined;
}

export function valuesOfCode(code: string): VirtualModelValues | CodeProblem {
  let entry: unknown;
  try {
    entry = JSON.parse(code);
  } catch (error) {
    return { kind: 'json', detail: error instanceof Error ? error.message : String(error) };
  }
  if (!isObject(entry)) return { kind: 'shape', place: 'JSON' };
  const place = wrongPlace(entry);
  if (place !== undefined) return { kind: 'shape', place };
  const given = entry as unknown as Partial<VirtualModelFields> & Pick<VirtualModelFields, 'name'>;
  const targets = (given.targets ?? []) as (Partial<VirtualTarget> & Pick<VirtualTarget, 'model'>)[];
  return {
    ...formValues(undefined),
    ...given,
    targets: targets.map(({ model, when, fall_back_on, first_token_seconds }, index) => ({
      key: index + 1,
      model,
      when: when ?? {},
      fall_back_on: fall_back_on ?? [...USUAL_FALLBACKS],
      first_token_seconds: first_token_seconds ?? null,
    })),
  };
}

export const isCodeProblem = (read: VirtualModelValues | CodeProblem): read is CodeProblem => 'kind' in read;
