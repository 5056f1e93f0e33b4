// What models cost, by name of the model; part of the registry in contract/settings.ts.
import { priceRules } from './price-rules.ts';
import { decimal, json } from '#contract/setting-kinds.ts';
import { audioRatios, priceUnits, ratios, resolutionPrices, webAddress } from '#contract/setting-shapes.ts';
import { lines } from '#contract/setting-texts.ts';

export const PRICE_SETTINGS = {
  ModelPrice: json(ratios, {}, 'pricing', [
    '模型固定价格',
    'Fixed model prices',
    '每次调用固定收多少美元，不看用量；视频可以按秒（见固定价格的单位）；设置后模型倍率不起作用。',
    'A fixed price in dollars for each call, or each second of video (see the units); it replaces the ratios.',
  ]),
  PriceUnit: json(priceUnits, {}, 'pricing', [
    '固定价格的单位',
    'Units of fixed prices',
    '固定价格按次（call）还是按视频的秒数（second）收取，例如 {"kling-v2-1":"second"}；没有列出的模型与内置价格表相同。',
    'Whether a fixed price is per call or per second of video, for example {"kling-v2-1":"second"}; models left out follow the built-in list.',
  ]),
  ResolutionPrice: json(resolutionPrices, {}, 'pricing', [
    '按分辨率的价格',
    'Prices by resolution',
    '视频达到这个分辨率时代替固定价格的美元数，例如 {"kling-v2-1":{"1080p":0.2}}；没有列出的分辨率按固定价格收取。',
    'Dollars instead of the fixed price for videos of this resolution, for example {"kling-v2-1":{"1080p":0.2}}; other resolutions cost the fixed price.',
  ]),
  ModelRatio: json(ratios, {}, 'pricing', [
    '模型倍率',
    'Model ratios',
    '输入的价格；1 表示每百万 token 收 $2，0.5 表示 $1。',
    'The price of input; 1 is $2 per million tokens, 0.5 is $1.',
  ]),
  CompletionRatio: json(ratios, {}, 'pricing', [
    '模型补全倍率',
    'Completion ratios',
    '输出价格是输入的几倍，例如 4。',
    'The output price as a multiple of the input price, for example 4.',
  ]),
  CacheRatio: json(ratios, {}, 'pricing', [
    '缓存读取倍率',
    'Cache read ratios',
    '从缓存读取的输入按输入价格的几倍收费，例如 0.1。',
    'Input read from a cache costs this multiple of the input price, for example 0.1.',
  ]),
  CreateCacheRatio: json(ratios, {}, 'pricing', [
    '缓存写入倍率（5 分钟）',
    'Cache write ratios (5 minutes)',
    '写入缓存的输入按输入价格的几倍收费，例如 1.25。',
    'Input written to a cache costs this multiple of the input price, for example 1.25.',
  ]),
  CreateCache1hRatio: json(ratios, {}, 'pricing', [
    '缓存写入倍率（1 小时）',
    'Cache write ratios (1 hour)',
    '写入一小时缓存的输入按输入价格的几倍收费，例如 2。',
    'Input written to a cache for an hour costs this multiple of the input price, for example 2.',
  ]),
  ImageRatio: json(ratios, {}, 'pricing', [
    '图片输入倍率',
    'Image input ratios',
    '图片输入按输入价格的几倍收费。',
    'Images in the input cost this multiple of the input price.',
  ]),
  AudioRatio: {
    ...json(ratios, {}, 'pricing', [
      '音频输入倍率',
      'Audio input ratios',
      '音频输入按输入价格的几倍收费。',
      'Audio in the input costs this multiple of the input price.',
    ]),
    atSave: audioRatios,
  },
  AudioCompletionRatio: json(ratios, {}, 'pricing', [
    '音频输出倍率',
    'Audio output ratios',
    '音频输出按音频输入价格的几倍收费。',
    'Audio in the output costs this multiple of the audio input price.',
  ]),
  BatchRatio: decimal(
    0.5,
    'pricing',
    [
      '批处理倍率',
      'Batch ratio',
      '批处理（/v1/batches 与 /v1/messages/batches）按普通价格的几倍收费；上游一般打五折。',
      'A batch costs this multiple of the usual price; upstreams usually charge half.',
    ],
    { min: 0, max: 100 },
  ),
  ReasoningRatio: json(ratios, {}, 'pricing', [
    '推理输出倍率',
    'Reasoning output ratios',
    '推理输出按输入价格的几倍收费；不填则与普通输出相同。',
    'Reasoning costs this multiple of the input price; leave blank to charge it as other output.',
  ]),
  PriceListUrls: lines(
    [],
    'pricing',
    [
      '价格表地址，一行一个',
      'Price list addresses, one per line',
      '每天读取这些地址的价格（LiteLLM、models.dev 的格式或同类网关的 /api/pricing），与本站不同的价格进入审核队列，不会自动生效。',
      'Read once a day (in the format of LiteLLM or models.dev, or /api/pricing of a similar gateway); prices that differ wait for review, and none is applied automatically.',
    ],
    webAddress,
  ),
  PriceRules: json(priceRules, {}, 'pricing', [
    '价格规则',
    'Price rules',
    '按模型的附加规则：提示词长度、时段、请求类别（batch、flex、priority）、最低收费与附加费（同样乘以分组倍率）；* 用于其余所有模型，例如 {"*":{"minimum":0.0001}}。',
    'Rules by model: tiers by the length of the prompt, hours, request classes (batch, flex, priority), a minimum and fees (times the group ratio too); * is for all other models, for example {"*":{"minimum":0.0001}}.',
  ]),
};
