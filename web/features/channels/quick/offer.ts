/** Which models of an upstream a first channel offers; without React, for unit tests. */

/** Models that are no chat models and cannot be tested by a short question. */
const UNTESTABLE =
  /embed|image|dall-e|tts|whisper|audio|realtime|moderation|rerank|video|veo|sora|transcri|ocr/i;
const TESTED = 3;

export interface Offer {
  /** What the channel gets. */
  models: string[];
  /** What the upstream has besides. */
  left: number;
  /** Tried in this order until one answers. */
  tests: string[];
}

/**
 * The models that are known for this type of upstream, and so have a price; when the upstream has none of them, all it has. An
 * upstream that cannot be asked offers the known ones.
 */
export function offerOf(known: readonly string[], listed: readonly string[] | undefined): Offer {
  const all = listed ?? known;
  const familiar = all.filter((model) => known.includes(model));
  const models = familiar.length > 0 ? familiar : [...all];
  return {
    models,
    left: all.length - models.length,
    tests: models.filter((model) => !UNTESTABLE.test(model)).slice(0, TESTED),
  };
}
