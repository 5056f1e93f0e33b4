// Redemption codes, one file per verb. Administrators manage them; every user may redeem one.
import type { RequestContext } from '#server/admin/context.ts';
import type { Handlers } from '#contract/endpoint.ts';
import type { redemptions } from '#contract/money/redemptions.ts';
import { createKeyReadings } from '#server/admin/key-readings.ts';
import { batchCodes } from './batch.ts';
import { changeCode } from './change.ts';
import { createCodes } from './create.ts';
import type { RedemptionDependencies } from './dependencies.ts';
import { listCodes } from './list.ts';
import { codesOverview } from './overview.ts';
import { readCode } from './read.ts';
import { redeemCode } from './redeem.ts';
import { removeCode } from './remove.ts';

export function createRedemptionHandlers(
  dependencies: RedemptionDependencies,
): Handlers<typeof redemptions, RequestContext> {
  const readings = createKeyReadings('redemption.read_keys');
  return {
    list: listCodes(dependencies, readings),
    search: listCodes(dependencies, readings),
    overview: codesOverview(dependencies),
    read: readCode(dependencies, readings),
    create: createCodes(dependencies),
    change: changeCode(dependencies),
    batch: batchCodes(dependencies),
    remove: removeCode(dependencies),
    redeem: redeemCode(dependencies),
  };
}
