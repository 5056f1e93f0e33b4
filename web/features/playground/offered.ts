/** What the side panel offers: every parameter that at least one model of the panes takes. */
import type { ModelParameters } from '#contract/admin/playground.ts';
import { acceptedParameters, type CallParameters } from './call.ts';
import { EXTRA_NAMES, type ExtraName, type PlaygroundSettings } from './settings.ts';

type Facts = ModelParameters | undefined;

export interface Offered {
  hasTemperature: boolean;
  /** No model takes more than 1. */
  isNarrow: boolean;
  extras: readonly ExtraName[];
  efforts: readonly string[];
  hasVerbosity: boolean;
  hasStop: boolean;
  /** The highest limit that is known; 0 when it is not. */
  maxOutput: number;
}

const takes = (facts: Facts, name: ExtraName): boolean => {
  if (facts === undefined) return true;
  if (name === 'top_p') return facts.sampling !== 'never';
  return name === 'seed' ? facts.has_seed : facts.has_penalties;
};

export function offeredParameters(all: readonly Facts[]): Offered {
  const some = (test: (facts: ModelParameters) => boolean) =>
    all.some((facts) => facts === undefined || test(facts));
  return {
    hasTemperature: some((facts) => facts.sampling !== 'never'),
    isNarrow: all.length > 0 && all.every((facts) => facts !== undefined && facts.highest_temperature <= 1),
    extras: EXTRA_NAMES.filter((name) => all.some((facts) => takes(facts, name))),
    efforts: [...new Set(all.flatMap((facts) => facts?.efforts ?? []))],
    hasVerbosity: all.some((facts) => facts?.has_verbosity === true),
    hasStop: some((facts) => facts.has_stop),
    maxOutput: Math.max(0, ...all.map((facts) => facts?.max_output ?? 0)),
  };
}

/** The models that a parameter is not sent to, though it is set. */
export function leftOut(
  name: keyof CallParameters,
  settings: PlaygroundSettings,
  all: readonly Facts[],
): string[] {
  return [
    ...new Set(
      all.flatMap((facts) =>
        facts !== undefined && acceptedParameters(settings, facts)[name] === undefined ? [facts.model] : [],
      ),
    ),
  ];
}
