/** Of a call of a virtual model: the name that was asked for, each model that did not answer with the reason, and the one that did. */
import {
  FALLBACK_KINDS,
  SKIP_REASONS,
  type FallbackKind,
  type SkipReason,
} from '#contract/relay/virtual-reasons.ts';

/** `hold`: what is held did not pay for it. */
export type StepReason = FallbackKind | SkipReason | 'hold';

const REASONS: ReadonlySet<string> = new Set<StepReason>([...FALLBACK_KINDS, ...SKIP_REASONS, 'hold']);
export const isStepReason = (why: string): why is StepReason => REASONS.has(why);

export interface VirtualRoute {
  asked: string;
  answered: string;
  /** For operators only. */
  steps: { model: string; why: string }[];
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `other` of a log row; undefined for a call of a plain model. */
export function routeOf(other: Members): VirtualRoute | undefined {
  const asked = text(other['asked_model']);
  if (asked === '') return undefined;
  const info: Members = isObject(other['admin_info']) ? other['admin_info'] : {};
  const steps = Array.isArray(info['route']) ? info['route'].filter(isObject) : [];
  return {
    asked,
    answered: text(other['answered_model']),
    steps: steps.map(({ model, why }) => ({ model: text(model), why: text(why) })),
  };
}

/** The models after the name that was asked for, in order, each that did not answer with the reason. */
export function routeModels({ answered, steps }: VirtualRoute): { model: string; why: string }[] {
  // The last one of a call that failed stands among them already.
  const isAmong = steps.at(-1)?.model === answered;
  return [...steps, ...(isAmong ? [] : [{ model: answered, why: '' }])];
}
