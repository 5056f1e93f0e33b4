// Effects of the options for the checks of suppliers. Each needs suppliers with traffic, so their own test shows it.
import type { Effects } from './effects-stage.ts';

const file = 'tests/integration/suppliers/suppliers.test.ts';

export const supplierEffects: Effects = {
  SupplierChecksEnabled: { effect: 'Answers are sampled and channels get scores', file },
  SupplierAlertBelow: { effect: 'Operators are notified when a score falls below this', file },
  SupplierDownWeightBelow: { effect: 'Channels with a lower score get less traffic', file },
  SupplierDownWeightFactor: { effect: 'What the weight of such a channel is multiplied by', file },
  SupplierProbeBudget: { effect: 'Probe questions are asked while their cost is below it', file },
};
