// Reads one code.
import type { RequestContext } from '#server/features/context.ts';
import type { Input } from '#contract/endpoint.ts';
import type { redemptions, RedemptionView } from '#contract/redemptions.ts';
import type { KeyReadings } from '#server/features/key-readings.ts';
import { nowSeconds, type RedemptionDependencies } from './dependencies.ts';
import { oneCodeView } from './view.ts';

export function readCode(dependencies: RedemptionDependencies, readings: KeyReadings) {
  return async (
    { params }: Input<typeof redemptions.read>,
    context: RequestContext,
  ): Promise<RedemptionView> => {
    const view = await oneCodeView(dependencies.store, context, params.id);
    await readings.record(context, nowSeconds(dependencies));
    return view;
  };
}
