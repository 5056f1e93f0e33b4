// When answers are kept for equal requests (ADR 123); part of the registry in contract/settings.ts.
import { choice, decimal, integer, toggle } from '#contract/setting-kinds.ts';
import { DAY_SECONDS } from '#contract/time.ts';

/** `opt_in`: of the keys and organizations that ask for it. */
export const ANSWER_CACHE_MODES = ['off', 'opt_in', 'on'] as const;

const MOST_SECONDS = 30 * DAY_SECONDS;

export const ANSWER_CACHE_SETTINGS = {
  AnswerCache: choice(
    ANSWER_CACHE_MODES,
    'off',
    'general',
    [
      '缓存回答',
      'Cache answers',
      'opt_in 表示只为选择缓存的令牌和组织保存回答，on 表示为没有拒绝的所有令牌保存；完全相同的请求由保存的回答答复，不再调用上游。',
      'With opt_in, answers are kept for API keys and organizations that ask for it; with on, for every key that does not refuse. An equal request is then answered without its upstream.',
    ],
    'public',
  ),
  AnswerCacheSeconds: integer(
    3600,
    'general',
    [
      '回答缓存多久（秒）',
      'Time to keep an answer (seconds)',
      '令牌和请求没有另外指定时使用；例如 3600 表示一小时。',
      'Used where neither the API key nor the request says otherwise; 3600 is an hour.',
    ],
    { min: 1, max: MOST_SECONDS },
  ),
  AnswerCacheMostSeconds: integer(
    DAY_SECONDS,
    'general',
    [
      '回答最多缓存多久（秒）',
      'Longest time to keep an answer (seconds)',
      '令牌和请求指定的时间更长时按这个数计算。',
      'A longer time that an API key or a request asks for is cut to this.',
    ],
    { min: 1, max: MOST_SECONDS },
  ),
  AnswerCachePricePercent: decimal(
    10,
    'general',
    [
      '缓存回答的价格（%）',
      'Price of a cached answer (percent)',
      '占同一回答当前价格的百分比，收费的模型至少收取 1 个额度单位；0 表示免费。',
      'The part of what the same answer costs now, at least one unit of quota for a model that is not free; 0 makes it free.',
    ],
    { min: 0, max: 100 },
  ),
  AnswerCacheShared: toggle(false, 'general', [
    '不同账户共用缓存的回答',
    'Share cached answers among accounts',
    '开启后，没有个人信息（用户、会话、标签）的相同请求在同一分组内共用回答；别人是否问过同样的问题可以由此看出。',
    'On: equal requests without a user, session or tag share answers within a group. Whoever sends a request can then tell whether somebody else has sent it before.',
  ]),
  AnswerCacheMegabytes: integer(
    64,
    'general',
    [
      '缓存回答最多占用的内存（MB）',
      'Memory for cached answers (MB)',
      '每个节点的上限，超过时先删除最久没有用到的回答；一个账户最多占四分之一。',
      'On each node; beyond it the answers that were not used for longest go first. One account has at most a quarter.',
    ],
    { min: 1, max: 65_536 },
  ),
  AnswerCacheEntries: integer(
    10_000,
    'general',
    [
      '最多缓存多少个回答',
      'Most cached answers',
      '每个节点的上限，超过时先删除最久没有用到的回答。',
      'On each node; beyond it the answers that were not used for longest go first.',
    ],
    { min: 1, max: 1_000_000 },
  ),
  AnswerCacheEntryKilobytes: integer(
    256,
    'general',
    [
      '单个缓存回答最大（KB）',
      'Largest cached answer (KB)',
      '更长的回答不缓存。',
      'A longer answer is not kept.',
    ],
    { min: 1, max: 65_536 },
  ),
} as const;
