/** The list of models in the form: adding by hand, and the difference to the upstream's list. */

import type { ChannelType } from '#contract/relay/channel-fields.ts';

export interface AddedModels {
  models: string[];
  /** Names that were there already. */
  existing: string[];
}

/** A comma-separated entry is several models. */
export function addModels(models: readonly string[], entry: string): AddedModels {
  const names = [
    ...new Set(
      entry
        .split(/[,，\n]/)
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ];
  const existing = names.filter((name) => models.includes(name));
  return { models: [...models, ...names.filter((name) => !models.includes(name))], existing };
}

export interface ModelDifference {
  /** The upstream has them, the channel does not. */
  missing: string[];
  /** The channel has them, the upstream does not. */
  gone: string[];
}

/** A mapped model is compared by the name sent to the upstream. */
export function modelDifference(
  models: readonly string[],
  upstream: readonly string[],
  renamed: Readonly<Record<string, string>> = {},
): ModelDifference {
  const upstreamNames = new Set(models.map((model) => renamed[model] ?? model));
  return {
    missing: upstream.filter((model) => !models.includes(model) && !upstreamNames.has(model)),
    gone: models.filter((model) => !upstream.includes(renamed[model] ?? model)),
  };
}

type Preset = Pick<ChannelType, 'presets_models' | 'models'>;

/** Models that came with the type before leave with it; those of the next type come if it presets its models. */
export function modelsForType(
  models: readonly string[],
  before: Preset | undefined,
  next: Preset,
): readonly string[] {
  if (next.presets_models) return next.models;
  return before?.presets_models ? models.filter((model) => !before.models.includes(model)) : models;
}
