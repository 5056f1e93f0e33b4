// The part of its calls that a channel keeps with a low score; applied in the order of channels (contract/relay/channel-order.ts).
import type { Settings } from '#contract/settings.ts';

export function weightFactor(
  settings: Pick<Settings, 'SupplierDownWeightBelow' | 'SupplierDownWeightFactor'>,
  score: number | null,
): number {
  if (score === null || score >= settings.SupplierDownWeightBelow) return 1;
  return settings.SupplierDownWeightFactor;
}
