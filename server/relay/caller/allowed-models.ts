// Which models a token may call.
import { readSuffix } from '#server/models/reasoning-suffix.ts';
import type { Caller } from './authenticate.ts';

/** A reasoning suffix makes no other model: a token that lists `o3-mini` may call `o3-mini-high`. */
export function modelAllowed({ models }: Pick<Caller, 'models'>, model: string): boolean {
  if (models === undefined || models.has(model)) return true;
  const bare = readSuffix(model)?.model;
  return bare !== undefined && models.has(bare);
}
