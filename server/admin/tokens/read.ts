// Reads one token of the caller.
import type { Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { tokens } from '#contract/admin/tokens.ts';
import type { TokenDependencies } from './dependencies.ts';
import type { KeyReadings } from '#server/admin/key-readings.ts';
import { ownToken } from './own-token.ts';
import { reachOf } from './reach.ts';
import { oneTokenView } from './view.ts';

export function readToken(
  dependencies: TokenDependencies,
  readings: KeyReadings,
): Handler<typeof tokens.read> {
  return async ({ params }, context) => {
    const row = await ownToken(dependencies.store.db, reachOf(context), params.id);
    await readings.record(context, nowSeconds(dependencies));
    return oneTokenView(dependencies, context, row);
  };
}
