// The settings of the checks of suppliers; part of the registry in contract/settings.ts.
import { decimal, integer, toggle } from '#contract/setting-kinds.ts';

export const SUPPLIER_SETTINGS = {
  SupplierChecksEnabled: toggle(true, 'monitoring', [
    '启用供应商抽查',
    'Spot-check suppliers',
    '开启后抽样核对上游报告的 token、模型名、缓存和被截断的流，并给每个渠道评分。',
    'On: sampled answers are checked for token counts, model names, caches and cut streams, and each channel gets a score.',
  ]),
  SupplierAlertBelow: integer(
    60,
    'monitoring',
    [
      '评分低于此值时通知运营者（0 为不通知）',
      'Notify operators when a score falls below (0 = never)',
      '满分 100；评分跌破此值时发送一次通知，回升后再次跌破会再通知。',
      'Out of 100; one notification when a score falls below this, and another only after it has recovered.',
    ],
    { min: 0, max: 100 },
  ),
  SupplierDownWeightBelow: integer(
    0,
    'monitoring',
    [
      '评分低于此值时降低权重（0 为不降低）',
      'Lower the weight when a score falls below (0 = never)',
      '低于此值的渠道在同一优先级内按下面的系数减少流量；只有它可用时仍然使用。',
      'Such a channel gets less traffic within its priority, by the factor below; it is still used when no other channel can answer.',
    ],
    { min: 0, max: 100 },
  ),
  SupplierDownWeightFactor: decimal(
    0.1,
    'monitoring',
    [
      '降低后的权重系数',
      'Lowered weight factor',
      '渠道权重乘以这个数；0.1 表示只保留十分之一的流量。',
      "The channel's weight is multiplied by it; 0.1 leaves a tenth of the traffic.",
    ],
    { min: 0.01, max: 1 },
  ),
  SupplierProbeBudget: decimal(
    0,
    'monitoring',
    [
      '每天用于提问检测的金额（美元，0 为关闭）',
      'Probe questions budget per day (USD, 0 = off)',
      '用内置的小问题检测模型是否被替换，按官方价格计算花费；费用由站点承担，不向用户收取。',
      'Small built-in questions show whether a model was replaced; the site pays for them at list price, not its users.',
    ],
    { min: 0, max: 10_000 },
  ),
} as const;
