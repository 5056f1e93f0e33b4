// The log row of a call: whose it was, what it used and by which price, so that its charge can be computed again.
import { describe, expect, test } from 'bun:test';
import { noPrices, resolvePrice, type PriceSnapshot } from '#server/money/prices/price.ts';
import { usageOf, type Usage } from '#server/money/prices/usage.ts';
import { baseRow, consumeRow, errorRow, type CallRecord, type Consumption } from './log-row.ts';

const settings = { ...noPrices, priceVersion: 12, GroupRatio: { vip: 2 }, ModelRatio: { m: 3 } };
const price = resolvePrice(settings, () => undefined, 'm', 'vip') as PriceSnapshot;

const record = (more: Partial<CallRecord> = {}): CallRecord =>
  ({
    caller: {
      userId: 7,
      username: 'ann',
      tokenId: 8,
      tokenName: 'key',
      group: 'vip',
      organization: { id: 7, memberId: 20, projectId: 21, serviceAccountId: 22 },
    },
    model: 'm',
    upstreamModel: 'theirs',
    channelId: 9,
    channelName: 'nine',
    address: '10.0.0.1',
    path: '/v1/chat/completions',
    isStream: true,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: [],
    tags: '{"team":"a"}',
    ...more,
  }) as unknown as CallRecord;

const consumption = (usage: Partial<Usage>, more: Partial<Consumption> = {}): Consumption => ({
  usage: usageOf(usage),
  price,
  estimated: false,
  useTimeMilliseconds: 1499,
  firstTokenMilliseconds: undefined,
  ending: '',
  ...more,
});

const otherOf = (usage: Partial<Usage>, more: Partial<Consumption> = {}, own: Partial<CallRecord> = {}) =>
  JSON.parse(consumeRow(record(own), consumption(usage, more)).other ?? '{}') as Record<string, unknown>;

test('a row says whose call it was, also within an organization', () => {
  expect(baseRow(record())).toEqual({
    type: 2,
    user_id: 7,
    username: 'ann',
    token_id: 8,
    token_name: 'key',
    model_name: 'm',
    upstream_model: 'theirs',
    channel_id: 9,
    channel_name: 'nine',
    group: 'vip',
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: 1,
    estimated: 0,
    ip: '10.0.0.1',
    content: '',
    other: '',
    member_id: 20,
    project_id: 21,
    service_account_id: 22,
    tags: '{"team":"a"}',
  });
  const personal = baseRow(record({ caller: { userId: 7 } as CallRecord['caller'], isStream: false }));
  expect(personal).toMatchObject({ member_id: 0, project_id: 0, service_account_id: 0, is_stream: 0 });
});

describe('a charged call', () => {
  test('has its tokens, its time, and whether they were counted here', () => {
    const used = { input: 10, cacheRead: 5, output: 4, reasoning: 3 };
    const row = consumeRow(record(), consumption(used, { estimated: true, firstTokenMilliseconds: 120.6 }));
    expect(row).toMatchObject({ prompt_tokens: 15, completion_tokens: 7, use_time: 1, estimated: 1 });
    expect(JSON.parse(row.other ?? '{}')).toMatchObject({
      frt: 121,
      use_ms: 1499,
      usage: { input: 10, cacheRead: 5, output: 4, reasoning: 3 },
      path: '/v1/chat/completions',
    });
    expect(consumeRow(record(), consumption(used)).estimated).toBe(0);
    expect(otherOf(used)['frt']).toBe(-1000);
  });

  test('has every factor of its price, and none that it has not', () => {
    expect(otherOf({})).toMatchObject({
      model_ratio: 3,
      model_price: -1,
      group_ratio: 2,
      quota_per_unit: 500_000,
      price_source: 'operator',
      price_version: 12,
    });
    for (const name of [
      'batch_ratio',
      'class_ratio',
      'hour_ratio',
      'minimum_price',
      'began_at',
      'tier',
      'ws',
    ])
      expect(otherOf({})).not.toHaveProperty(name);
    const ruled = { ...price, batchRatio: 0.5, classRatio: 2, hourRatio: 0.25, minimum: 0.01 };
    expect(otherOf({}, { price: ruled })).toMatchObject({
      batch_ratio: 0.5,
      class_ratio: 2,
      hour_ratio: 0.25,
      minimum_price: 0.01,
    });
    const { priceVersion: _, ...unknown } = price;
    expect(otherOf({}, { price: unknown as PriceSnapshot })).not.toHaveProperty('price_version');
  });

  test('has each ratio of its price in its own field', () => {
    const ratios = {
      modelRatio: 2,
      completionRatio: 3,
      cacheRatio: 5,
      cacheWriteRatio: 7,
      cacheWrite1hRatio: 11,
      imageRatio: 13,
      audioRatio: 17,
      audioCompletionRatio: 19,
      reasoningRatio: 23,
      groupRatio: 29,
    };
    expect(otherOf({}, { price: { ...price, ...ratios } as PriceSnapshot })).toMatchObject({
      model_ratio: 2,
      completion_ratio: 3,
      cache_ratio: 5,
      cache_creation_ratio: 7,
      cache_creation_1h_ratio: 11,
      image_ratio: 13,
      audio_ratio: 17,
      audio_completion_ratio: 19,
      reasoning_ratio: 23,
      group_ratio: 29,
    });
    // One token of sound is sound.
    expect(otherOf({ audioInput: 1 })).toMatchObject({ audio: true, audio_input: 1 });
    expect(otherOf({ audioOutput: 1 })).toMatchObject({ audio: true, audio_output: 1 });
    expect(otherOf({ cacheRead: 1 })['usage']).toEqual({ cacheRead: 1 });
  });

  test('of one price by two paths names its own', () => {
    expect(['/a', '/b', '/a'].map((path) => otherOf({}, {}, { path })['path'])).toEqual(['/a', '/b', '/a']);
  });

  test('has the moment and the class that chose the price, where they matter', () => {
    const began = { at: 1_800_000_000_999, requestClass: 'flex' } as const;
    expect(otherOf({}, {}, { began })).toMatchObject({ request_class: 'flex' });
    expect(otherOf({}, {}, { began })).not.toHaveProperty('began_at');
    const hourly = { price: { ...price, hourRatio: 0.5 } };
    expect(otherOf({}, hourly, { began })).toMatchObject({ began_at: 1_800_000_000 });
    expect(otherOf({}, {}, { began: { at: 0, requestClass: 'batch' } })).not.toHaveProperty('request_class');
    expect(otherOf({}, {}, { began: { at: 0 } })).not.toHaveProperty('request_class');
  });

  test('has the tier of its prompt', () => {
    const tiers = [
      { above: 100, input: 2 },
      { above: 200, input: 3 },
    ];
    expect(otherOf({ input: 150 }, { price: { ...price, tiers } })['tier']).toEqual(tiers[0]);
    expect(otherOf({ input: 100 }, { price: { ...price, tiers } })).not.toHaveProperty('tier');
  });

  test('has speech beside text, pieces that are not one, surcharges, and what was not believed', () => {
    expect(otherOf({ input: 10, audioInput: 5, output: 4, reasoning: 3, audioOutput: 2 })).toMatchObject({
      audio: true,
      audio_input: 5,
      audio_output: 2,
      text_input: 10,
      text_output: 7,
    });
    const plain = otherOf({ input: 10 });
    for (const name of ['audio', 'pieces', 'surcharges', 'doubts', 'ending', 'output_limit', 'conversion'])
      expect(plain).not.toHaveProperty(name);
    const surcharges = [{ name: 'web_search', count: 2, dollarsEach: 0.01 }];
    expect(otherOf({ pieces: 0.5, surcharges })).toMatchObject({ pieces: 0.5, surcharges });
    expect(otherOf({ pieces: 0 })).toMatchObject({ pieces: 0 });
    const doubts = [{ count: 'input', reported: 9, charged: 5 }] as const;
    const own = { outputLimit: 300, isWebSocket: true, reasoningEffort: 'low', conversion: '{"a":1}' };
    expect(otherOf({}, { doubts, ending: 'client_left' }, own)).toMatchObject({
      doubts,
      ending: 'client_left',
      output_limit: 300,
      ws: true,
      reasoning_effort: 'low',
      conversion: { a: 1 },
    });
  });

  test('of a fixed price has the unit and the price of its resolution', () => {
    const fixed = {
      ...price,
      kind: 'price',
      modelPrice: 0.1,
      unit: 'second',
      resolutionPrices: { '1080p': 0.4 },
    } as unknown as PriceSnapshot;
    const shown = otherOf({ pieces: 5, resolution: '1080p' }, { price: fixed });
    expect(shown).toMatchObject({
      model_ratio: 0,
      model_price: 0.1,
      pieces: 5,
      price_unit: 'second',
      resolution: '1080p',
      resolution_price: 0.4,
    });
    expect(otherOf({ pieces: 5, resolution: '720p' }, { price: fixed })).not.toHaveProperty(
      'resolution_price',
    );
    expect(otherOf({ resolution: '720p' })).not.toHaveProperty('resolution');
  });
});

test('a failed call has why, how long it took, and its attempts', () => {
  const attempts = [
    { channel: 4, status: 500, milliseconds: 30, error: 'broken "pipe"' },
    { channel: 9, status: 0, milliseconds: 7 },
  ];
  const row = errorRow(record({ attempts }), 'no answer', 2600);
  expect(row).toMatchObject({ type: 5, content: 'no answer', use_time: 3, channel_id: 9, member_id: 20 });
  expect(JSON.parse(row.other ?? '{}')).toEqual({
    path: '/v1/chat/completions',
    admin_info: { use_channel: ['4', '9'], attempts },
  });
});
