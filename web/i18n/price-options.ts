/** The names of the options that make prices, for the price book and the audit trail. */
import type { Messages } from './rows.ts';

export const PRICE_OPTION_WORDS = {
  ModelPrice: ['Fixed price', '固定价格'],
  PriceUnit: ['Unit of the fixed price', '固定价格的单位'],
  ResolutionPrice: ['Price by resolution', '按分辨率的价格'],
  ModelRatio: ['Model ratio', '模型倍率'],
  CompletionRatio: ['Completion ratio', '补全倍率'],
  GroupRatio: ['Group ratio', '分组倍率'],
  PriceRules: ['Rules', '规则'],
  CacheRatio: ['Cache read ratio', '缓存读取倍率'],
  CreateCacheRatio: ['Cache write ratio (5 min)', '缓存写入倍率（5 分钟）'],
  CreateCache1hRatio: ['Cache write ratio (1 h)', '缓存写入倍率（1 小时）'],
  ImageRatio: ['Image ratio', '图片倍率'],
  AudioRatio: ['Audio ratio', '音频倍率'],
  AudioCompletionRatio: ['Audio output ratio', '音频输出倍率'],
  ReasoningRatio: ['Reasoning ratio', '推理倍率'],
  BatchRatio: ['Batch ratio', '批处理倍率'],
} satisfies Messages;
