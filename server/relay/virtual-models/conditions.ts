// The conditions of targets: each one is compiled to a test of the facts of a call, named as its field.
import { coversHour } from '#contract/money/price-rules.ts';
import type { TargetConditions } from '#contract/relay/virtual-models.ts';
import type { Traits } from '#server/relay/request/traits.ts';
import type { Tags } from '#server/relay/request/tags.ts';

export type ConditionName = keyof TargetConditions;

/** What conditions ask of a call. What costs something to find out is a function. */
export interface CallFacts {
  readonly headers: Pick<Headers, 'get'>;
  readonly group: string;
  /** Empty: the call asks for none. */
  readonly reasoningEffort: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the site. */
  readonly timeZone: string;
  tags(): Tags;
  traits(): Traits;
  /** From 0 to below 100, the same for all calls of a conversation. */
  draw(): number;
  /** Dollars; undefined: no condition asks. */
  readonly spendable: number | undefined;
}

/** And of a target. */
export interface TargetFacts {
  readonly call: CallFacts;
  readonly promptTokens: number;
  /** Of the model; undefined: not known. */
  readonly contextTokens: number | undefined;
  /** Dollars that the call can cost at most. */
  mostCost(): number;
}

export interface Condition {
  readonly name: ConditionName;
  holds(facts: TargetFacts): boolean;
}

type Compile<Name extends ConditionName> = (
  wanted: NonNullable<TargetConditions[Name]>,
  shareFrom: number,
) => Condition['holds'];

const oneOf = (values: readonly string[] | undefined, given: string | null | undefined): boolean =>
  given !== null && given !== undefined && (values === undefined || values.includes(given));

const COMPILERS: { readonly [Name in ConditionName]-?: Compile<Name> } = {
  prompt_at_least:
    (least) =>
    ({ promptTokens }) =>
      promptTokens >= least,
  prompt_at_most:
    (most) =>
    ({ promptTokens }) =>
      promptTokens <= most,
  fits_context:
    () =>
    ({ promptTokens, contextTokens }) =>
      contextTokens === undefined || promptTokens <= contextTokens,
  pictures:
    (wanted) =>
    ({ call }) =>
      call.traits().pictures === wanted,
  files:
    (wanted) =>
    ({ call }) =>
      call.traits().files === wanted,
  tools:
    (wanted) =>
    ({ call }) =>
      call.traits().tools === wanted,
  structured_output:
    (wanted) =>
    ({ call }) =>
      call.traits().structuredOutput === wanted,
  reasoning_efforts:
    (efforts) =>
    ({ call }) =>
      efforts.includes(call.reasoningEffort === '' ? 'none' : call.reasoningEffort),
  header:
    ({ name, values }) =>
    ({ call }) =>
      oneOf(values, call.headers.get(name)),
  tag:
    ({ key, values }) =>
    ({ call }) => {
      const tags = call.tags();
      return oneOf(values, Object.hasOwn(tags, key) ? tags[key] : undefined);
    },
  groups:
    (groups) =>
    ({ call }) =>
      groups.includes(call.group),
  hours:
    (hours) =>
    ({ call }) =>
      coversHour({ ...hours, timeZone: call.timeZone }, call.at),
  share_percent:
    (share, from) =>
    ({ call }) => {
      const draw = call.draw();
      return draw >= from && draw < from + share;
    },
  budget_below:
    (dollars) =>
    ({ call }) =>
      call.spendable !== undefined && call.spendable < dollars,
  max_cost: (dollars) => (facts) => facts.mostCost() <= dollars,
};

/** `shareFrom`: the shares of the targets before this one together. */
export function compileConditions(when: TargetConditions, shareFrom: number): Condition[] {
  return (Object.keys(COMPILERS) as ConditionName[]).flatMap((name) => {
    const wanted = when[name];
    if (wanted === undefined) return [];
    const compiler = COMPILERS[name] as Compile<ConditionName>;
    return [{ name, holds: compiler(wanted, shareFrom) }];
  });
}
