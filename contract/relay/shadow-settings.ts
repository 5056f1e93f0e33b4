// What holds for all comparisons of shadow calls (ADR 124); part of the registry in contract/settings.ts.
import { integer, toggle } from '#contract/setting-kinds.ts';

export const SHADOW_SETTINGS = {
  ShadowCallsForEveryone: toggle(false, 'general', [
    '复制未表态用户的调用',
    'Copy calls of users who said nothing',
    '开启后，对比也会复制没有表态的用户的调用，并保存其提示词与回答，因此必须先告知用户；关闭时只复制明确允许的用户的调用。',
    'On: comparisons also copy calls of users who said nothing and keep their prompts and answers, so users must be informed before; off: only calls of users who allowed it are copied.',
  ]),
  ShadowKeepDays: integer(
    14,
    'general',
    [
      '影子调用样本保留天数',
      'Days to keep samples of shadow calls',
      '更早的提示词与回答会被删除。',
      'Older prompts and answers are deleted.',
    ],
    { min: 1, max: 365 },
  ),
  ShadowCallsAtOnce: integer(
    2,
    'general',
    [
      '每个节点同时进行的影子调用',
      'Shadow calls at once on each node',
      '超出的最多等待 16 个，再多则放弃；0 表示不进行影子调用。',
      'At most 16 more wait, and others are dropped; 0 means no shadow calls.',
    ],
    { min: 0, max: 20 },
  ),
};
