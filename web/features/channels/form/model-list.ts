/** The list of models in the form: adding by hand, and what differs from the upstream's own list. */

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

/** A model the channel renames counts by the name the upstream hears. */
export function modelDifference(
  models: readonly string[],
  upstream: readonly string[],
  renamed: Readonly<Record<string, string>> = {},
): ModelDifference {
  const heard = new Set(models.map((model) => renamed[model] ?? model));
  return {
    missing: upstream.filter((model) => !models.includes(model) && !heard.has(model)),
    gone: models.filter((model) => !upstream.includes(renamed[model] ?? model)),
  };
}
