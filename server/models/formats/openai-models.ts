// What OpenAI's models accept, by the generation in their name. One table for every place that asks. A generation that is
// newer than the table behaves like its newest row: `gpt-6-sol`, `gpt-7` and `o5` are known the day they come out. Names of
// other vendors are not known, and nothing is assumed of them.
import { effortOfBudget, EFFORTS as effortScale } from './effort.ts';

export interface OpenAiModel {
  /** Accepts the newer fields of the API; compatible upstreams may refuse them. */
  readonly isOpenAi: boolean;
  /** Takes `max_completion_tokens` and refuses `max_tokens`. */
  readonly hasNewLimit: boolean;
  readonly isReasoning: boolean;
  /** False: refuses every effort. */
  readonly canThink: boolean;
  /** The efforts it accepts; undefined when that is not known. */
  readonly efforts: readonly string[] | undefined;
  /** The effort of a request without one; sampling parameters are accepted with `none` only. */
  readonly usualEffort: string;
  /** Available through Responses only. */
  readonly isResponsesOnly: boolean;
  /** Instructions are a developer's. */
  readonly hasDeveloper: boolean;
}

type Generation = Pick<OpenAiModel, 'efforts' | 'usualEffort'> & { from: readonly [number, number] };

const THREE_EFFORTS = ['low', 'medium', 'high'];
const FOUR_EFFORTS = [...THREE_EFFORTS, 'xhigh'];

/** The numbered GPT models that reason, oldest first. */
const GENERATIONS: readonly Generation[] = [
  { from: [5, 0], efforts: ['minimal', ...THREE_EFFORTS], usualEffort: 'medium' },
  { from: [5, 1], efforts: ['none', ...THREE_EFFORTS], usualEffort: 'none' },
  { from: [5, 2], efforts: ['none', ...FOUR_EFFORTS], usualEffort: 'none' },
  { from: [5, 5], efforts: ['none', ...FOUR_EFFORTS], usualEffort: 'medium' },
];

const GPT_NAME = /(?:^|\/)gpt-(\d+)(?:\.(\d+))?(?!\d)(.*)$/;
const O_NAME = /(?:^|\/)o\d+(?:$|-(.*)$)/;
const OTHER_NAME = /(?:^|\/)(?:chatgpt|codex|computer-use)/;
const OTHERS_REASON = /(?:^|\/)(?:codex|computer-use)/;
/** Variants that Chat does not serve. */
const RESPONSES_VARIANT = /(?:^|-)(?:pro|codex|deep-research)(?:-|$)/;
/** Variants that answer at once. */
const CHATTING_VARIANT = /-chat(?:-|$)/;

const UNKNOWN: OpenAiModel = {
  isOpenAi: false,
  hasNewLimit: false,
  isReasoning: false,
  canThink: true,
  efforts: undefined,
  usualEffort: 'none',
  isResponsesOnly: false,
  hasDeveloper: false,
};
const PLAIN: OpenAiModel = { ...UNKNOWN, isOpenAi: true, canThink: false, efforts: [] };
const THINKING: OpenAiModel = {
  ...PLAIN,
  hasNewLimit: true,
  isReasoning: true,
  canThink: true,
  efforts: THREE_EFFORTS,
  usualEffort: 'medium',
};

const known = new Map<string, OpenAiModel>();

export function openAiModel(name: string): OpenAiModel {
  let found = known.get(name);
  if (found === undefined) {
    // Callers choose the names.
    if (known.size >= 10_000) known.clear();
    known.set(name, (found = read(name)));
  }
  return found;
}

function read(name: string): OpenAiModel {
  const gpt = GPT_NAME.exec(name);
  if (gpt !== null) return readGpt(Number(gpt[1]), Number(gpt[2] ?? 0), gpt[3] ?? '');
  const numbered = O_NAME.exec(name);
  if (numbered !== null) return readO(numbered[1] ?? '', name);
  if (!OTHER_NAME.test(name)) return UNKNOWN;
  return OTHERS_REASON.test(name) ? { ...THINKING, isResponsesOnly: true } : PLAIN;
}

function readGpt(major: number, minor: number, variant: string): OpenAiModel {
  // Azure's spelling of 3.5 is 35.
  const version = major >= 30 ? [Math.floor(major / 10), major % 10] : [major, minor];
  const generation = GENERATIONS.findLast(({ from }) => compare(version, from) >= 0);
  if (generation === undefined) return PLAIN;
  if (CHATTING_VARIANT.test(variant)) return { ...PLAIN, hasNewLimit: true };
  const { efforts, usualEffort } = { ...generation, ...variantEfforts(variant, version) };
  return { ...THINKING, efforts, usualEffort, isResponsesOnly: RESPONSES_VARIANT.test(variant) };
}

/** The coding and the strongest variants reason always. */
function variantEfforts(variant: string, version: readonly number[]): Partial<Generation> {
  const isFirst = compare(version, [5, 1]) < 0;
  if (/-pro(?:-|$)/.test(variant))
    return { efforts: isFirst ? ['high'] : ['medium', 'high', 'xhigh'], usualEffort: 'high' };
  if (!/-codex(?:-|$)/.test(variant)) return {};
  const isLong = variant.includes('-max') || compare(version, [5, 2]) >= 0;
  return { efforts: isLong ? FOUR_EFFORTS : THREE_EFFORTS, usualEffort: 'medium' };
}

function readO(variant: string, name: string): OpenAiModel {
  // The first two of them take neither.
  const isFirst = /(?:^|\/)o1-(?:mini|preview)/.test(name);
  return {
    ...THINKING,
    hasDeveloper: !isFirst,
    ...(isFirst ? { canThink: false, efforts: [] } : {}),
    isResponsesOnly: RESPONSES_VARIANT.test(variant),
  };
}

function compare([major = 0, minor = 0]: readonly number[], other: readonly [number, number]): number {
  return major === other[0] ? minor - other[1] : major - other[0];
}

/** The accepted effort that is nearest to the wanted one; undefined when none is accepted. */
export function nearestEffort(wanted: string, accepted: readonly string[] | undefined): string | undefined {
  if (accepted === undefined || accepted.includes(wanted)) return wanted;
  // Who wants some thought is not answered without any.
  const others = wanted === 'none' ? accepted : accepted.filter((effort) => effort !== 'none');
  const place = effortScale.indexOf(wanted);
  if (place < 0) return others.includes('medium') ? 'medium' : others[0];
  const distance = (effort: string): number => Math.abs(effortScale.indexOf(effort) - place);
  return others.toSorted((left, right) => distance(left) - distance(right))[0];
}

const LEAST_BUDGET_TOKENS = 1024;

/** The effort of a budget that the model accepts; undefined when it accepts none. */
export function effortForBudget(tokens: number, model: string): string | undefined {
  const { efforts: accepted } = openAiModel(model);
  if (tokens > 0 && tokens <= LEAST_BUDGET_TOKENS && accepted?.includes('minimal') === true) return 'minimal';
  return nearestEffort(effortOfBudget(tokens), accepted);
}
