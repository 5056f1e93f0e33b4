// Reads one code.
import type { RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import type { redemptions, RedemptionView } from '#contract/money/redemptions.ts';
import type { KeyReadings } from '#server/admin/key-readings.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RedemptionDependencies } from './dependencies.ts';
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
