// Reads one token of the caller.
import { callerOf, type RequestContext } from '#server/features/context.ts';
import type { Input } from '#contract/endpoint.ts';
import type { tokens, TokenView } from '#contract/tokens.ts';
import { nowSeconds, type TokenDependencies } from './dependencies.ts';
import type { KeyReadings } from '#server/features/key-readings.ts';
import { ownToken } from './own-token.ts';
import { oneTokenView } from './view.ts';

export function readToken(dependencies: TokenDependencies, readings: KeyReadings) {
  return async ({ params }: Input<typeof tokens.read>, context: RequestContext): Promise<TokenView> => {
    const caller = callerOf(context);
    const row = await ownToken(dependencies.store.db, caller, params.id);
    await readings.record(context, nowSeconds(dependencies));
    return oneTokenView(dependencies, context, row);
  };
}
