// Whether a list of models allows one.
import { readSuffix } from '#server/models/reasoning-suffix.ts';

/** A reasoning suffix makes no other model: a token that lists `o3-mini` may call `o3-mini-high`. */
export function listAllows(models: ReadonlySet<string>, model: string): boolean {
  if (models.has(model)) return true;
  const bare = readSuffix(model)?.model;
  return bare !== undefined && models.has(bare);
}
