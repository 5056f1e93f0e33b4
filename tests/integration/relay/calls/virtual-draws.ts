// What the random tests of virtual models draw: lists of targets, calls, and what the upstream does with each attempt. A draw depends
// on the seed and on what it is for, not on the order in which calls happen to arrive.
import type { TargetConditions } from '#contract/relay/virtual-models.ts';
import { FALLBACK_KINDS, type FallbackKind } from '#contract/relay/virtual-reasons.ts';
import type { Store } from '#server/platform/store/store.ts';
import { behaviourKey, type Behaviour } from '#mock/upstream/index.ts';
import { diceOf, type Dice } from '#tests/chaos/seeded.ts';

/** Quota units for a token of the prompt; a token of an answer costs four times as much. */
const RATIOS: Readonly<Record<string, number>> = { r0: 1, r1: 2, r2: 3, r3: 5, r4: 12, r5: 20 };
export const MODELS = Object.keys(RATIOS);
const OWN_RATIO = 7;
export const OUTPUT_FACTOR = 4;

export interface DrawnVirtual {
  name: string;
  isOwn: boolean;
  targets: {
    model: string;
    when: TargetConditions;
    fall_back_on: FallbackKind[];
    first_token_seconds?: number;
  }[];
}

export interface DrawnCall {
  number: number;
  virtual: DrawnVirtual;
  isStream: boolean;
  maxTokens: number;
  isGold: boolean;
  words: number;
  /** The caller hangs up after so long. */
  leavesAfter: number | undefined;
}

export const diceFor = (seed: number, ...what: (string | number)[]): Dice =>
  diceOf(Number(Bun.hash.wyhash([seed, ...what].join(' ')) & 0xffffffffn));

const VIRTUALS = 8;

export const ratioOf = (priced: string): number => RATIOS[priced] ?? OWN_RATIO;

/** What an answer costs, by its log row or by the upstream's own count. */
export const costOf = (priced: string, input: number, output: number): number =>
  Math.round((input + output * OUTPUT_FACTOR) * ratioOf(priced));

const names = [...MODELS, ...Array.from({ length: VIRTUALS }, (_, at) => `v${at}`)];
export const SETTINGS = {
  RetryTimes: '1',
  ModelRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, ratioOf(name)]))),
  CompletionRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, OUTPUT_FACTOR]))),
  SiteTimeZone: 'UTC',
};

/** Every model has two channels, of which each is recognized by its key. */
export const CHANNELS = MODELS.flatMap((model) =>
  [1, 2].map((at) => ({ models: [model], key: behaviourKey(`sk-${model}-${at}`, {}) })),
);

const CONDITIONS: readonly TargetConditions[] = [
  { prompt_at_least: 60 },
  { prompt_at_most: 60 },
  { header: { name: 'x-tier', values: ['gold'] } },
  { max_cost: 0.02 },
  { budget_below: 0.1 },
  { share_percent: 40 },
  { tools: false },
];

/** Distinct models, so that the order of attempts can be told from their names. */
function drawVirtual(seed: number, at: number): DrawnVirtual {
  const dice = diceFor(seed, 'virtual', at);
  const left = [...MODELS];
  const targets = Array.from({ length: dice.between(2, 4) }, (): DrawnVirtual['targets'][number] => {
    const [model = ''] = left.splice(dice.between(0, left.length - 1), 1);
    const fall_back_on = FALLBACK_KINDS.filter(() => dice.next() < 0.85);
    const target = { model, when: dice.next() < 0.3 ? dice.pick(CONDITIONS) : {}, fall_back_on };
    return dice.next() < 0.5 ? { ...target, first_token_seconds: 1 } : target;
  });
  return { name: `v${at}`, isOwn: dice.next() < 0.3, targets };
}

export const drawVirtuals = (seed: number): DrawnVirtual[] =>
  Array.from({ length: VIRTUALS }, (_, at) => drawVirtual(seed, at));

export async function saveVirtuals({ db, changes }: Store, virtuals: readonly DrawnVirtual[]): Promise<void> {
  for (const { name, isOwn, targets } of virtuals)
    await db
      .insertInto('virtual_models')
      .values({
        name,
        price: isOwn ? 'own' : 'answered',
        targets: JSON.stringify(targets),
        created_at: 1,
        updated_at: 1,
      })
      .execute();
  await changes.announce('virtual_models');
}

export function drawCall(seed: number, number: number, virtuals: readonly DrawnVirtual[]): DrawnCall {
  const dice = diceFor(seed, 'call', number);
  return {
    number,
    virtual: dice.pick(virtuals),
    isStream: dice.next() < 0.5,
    maxTokens: dice.pick([30, 300, 2000]),
    isGold: dice.next() < 0.5,
    words: dice.pick([3, 200]),
    leavesAfter: dice.next() < 0.08 ? dice.between(0, 60) : undefined,
  };
}

const REFUSED: readonly Behaviour[] = [
  { status: 429 },
  { status: 429, headers: { 'retry-after': '1' } },
  { status: 500 },
  { status: 503 },
  { status: 400, errorCode: 'content_filter', errorMessage: 'filtered' },
  { status: 400, errorCode: 'context_length_exceeded', errorMessage: 'too long' },
  { status: 400, errorCode: 'unsupported_parameter', errorMessage: 'no such thing' },
  { errorInside200: true },
  { resetAtByte: 0 },
];
const SLOW: readonly Behaviour[] = [
  { firstTokenDelayMilliseconds: 1400 },
  { headersDelayMilliseconds: 1400 },
];

/** Of one attempt: most answer, the others fail in one of the ways that a target can name, or after the first bytes. */
export function drawBehaviour(
  seed: number,
  { number, isStream }: DrawnCall,
  model: string,
  key: string,
): Behaviour {
  const dice = diceFor(seed, 'attempt', number, model, key);
  const way = dice.next();
  const outputTokens = dice.between(1, 250);
  if (way < 0.45) return dice.pick(REFUSED);
  if (way < 0.48) return { ...dice.pick(SLOW), outputTokens };
  if (way < 0.54) return { outputTokens, cutAfterEvents: dice.between(1, 40) };
  if (way < 0.59) return { outputTokens, resetAfterEvents: dice.between(1, 40) };
  if (way < 0.63) return { outputTokens, errorAfterEvents: dice.between(1, 40) };
  if (way < 0.67) return { outputTokens, usageReport: 'missing' };
  // A stream shows what it writes; a whole answer may be all thoughts.
  if (way < 0.75 && !isStream) return { fillsLimit: true };
  return { outputTokens };
}

/** Slow enough that a kill finds some calls at their first model, some at a later one, and streams with checkpoints. */
export function drawSlowBehaviour(
  seed: number,
  { number }: DrawnCall,
  model: string,
  key: string,
): Behaviour {
  const dice = diceFor(seed, 'slow attempt', number, model, key);
  const way = dice.next();
  if (way < 0.2) return { status: 429 };
  if (way < 0.45) return { status: 500, headersDelayMilliseconds: dice.between(100, 900) };
  const firstTokenDelayMilliseconds = dice.between(0, 700);
  return { outputTokens: 250, chunkDelayMilliseconds: dice.between(10, 40), firstTokenDelayMilliseconds };
}

/**
 * The words of the call, in which the upstream finds its number. Short ones, of which our estimate is not below the count of the mock,
 * which is by letters: an estimate that is too low is another matter (hold-excess.test.ts).
 */
export const textOf = ({ number, words }: DrawnCall): string => `call ${number}; ${'to a '.repeat(words)}`;

export const numberIn = (text: string): number => Number(/call (\d+);/.exec(text)?.[1] ?? -1);

export const bodyOf = (call: DrawnCall) => ({
  model: call.virtual.name,
  messages: [{ role: 'user', content: textOf(call) }],
  max_tokens: call.maxTokens,
  ...(call.isStream ? { stream: true } : {}),
});

/** The call's own address, by which its log rows are found even if its caller read no answer. */
export const addressOf = (number: number): string => `10.1.${Math.floor(number / 250)}.${number % 250}`;
