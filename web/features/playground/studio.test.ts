import { describe, expect, test } from 'bun:test';
import { QUOTA_TYPE, type PricingEntry } from '#contract/money/pricing.ts';
import { resolutionOf, studioModels, studioPrice } from './studio-price.ts';
import { failureSentence, picturesIn, studioRequest, type StudioDraft } from './studio-request.ts';

const draft = (change: Partial<StudioDraft>): StudioDraft => ({
  kind: 'image',
  model: 'm',
  prompt: ' a gate ',
  title: '',
  tags: '',
  size: '',
  count: 1,
  seconds: 0,
  pictureUrls: '',
  reference: undefined,
  ...change,
});

const entry = (change: Partial<PricingEntry>): PricingEntry => ({
  model_name: 'm',
  quota_type: QUOTA_TYPE.call,
  model_ratio: 0,
  completion_ratio: 0,
  cache_ratio: 0,
  model_price: 0.1,
  price_unit: 'call',
  resolution_prices: {},
  enable_groups: ['default'],
  owner_by: '',
  kind: 'image',
  context: 0,
  endpoints: [],
  list_position: -1,
  ...change,
});

describe('models of a kind', () => {
  const list = [
    entry({ model_name: 'picture' }),
    entry({ model_name: 'suno_music', kind: 'task' }),
    entry({ model_name: 'suno_lyrics', kind: 'task', enable_groups: ['vip'] }),
    entry({ model_name: 'mj_imagine', kind: 'task' }),
    entry({ model_name: 'film', kind: 'video' }),
    entry({ model_name: 'chat', kind: 'chat' }),
  ];

  test('are those the group has a channel for', () => {
    expect(studioModels(list, 'image', 'default', undefined)).toEqual(['picture']);
    expect(studioModels(list, 'music', 'default', undefined)).toEqual(['suno_music']);
    expect(studioModels(list, 'music', 'vip', undefined)).toEqual(['suno_lyrics']);
    expect(studioModels(list, 'video', 'default', undefined)).toEqual(['film']);
  });

  test('are limited by the token', () => {
    const token = { model_limits_enabled: true, model_limits: 'chat,film' };
    expect(studioModels(list, 'image', 'default', token)).toEqual([]);
    expect(studioModels(list, 'video', 'default', token)).toEqual(['film']);
    expect(studioModels(list, 'image', 'default', { ...token, model_limits_enabled: false })).toEqual([
      'picture',
    ]);
  });
});

describe('the price before sending', () => {
  test('pictures cost by number and size, as the server counts pieces', () => {
    const price = studioPrice(entry({}), 0.5, draft({ count: 3, size: '1792x1024' }));
    expect(price).toEqual({ kind: 'whole', dollars: 0.3 });
  });

  test('a song has one price, a model by usage none before its end', () => {
    expect(studioPrice(entry({}), 2, draft({ kind: 'music', count: 4 }))).toEqual({
      kind: 'whole',
      dollars: 0.2,
    });
    const byUsage = entry({ quota_type: QUOTA_TYPE.usage, model_ratio: 2.5, completion_ratio: 8 });
    expect(studioPrice(byUsage, 1, draft({}))).toEqual({ kind: 'tokens', input: 5, output: 40 });
  });

  test('a video costs by second and resolution', () => {
    const film = entry({ price_unit: 'second', resolution_prices: { '1080p': 0.3 } });
    const video = (change: Partial<StudioDraft>) => draft({ kind: 'video', ...change });
    expect(studioPrice(film, 1, video({ seconds: 8 }))).toEqual({ kind: 'whole', dollars: 0.8 });
    expect(studioPrice(film, 1, video({ seconds: 8, size: '1080x1920' }))).toEqual({
      kind: 'whole',
      dollars: 2.4,
    });
    expect(studioPrice(film, 1, video({}))).toEqual({ kind: 'second', dollars: 0.1 });
    expect([resolutionOf('1280x720'), resolutionOf('')]).toEqual(['720p', '']);
  });
});

describe('the request', () => {
  test('leaves out what was not chosen', () => {
    expect(studioRequest(draft({ size: '512x512' }))).toEqual({
      path: '/v1/images/generations',
      body: { model: 'm', prompt: 'a gate', n: 1, size: '512x512' },
    });
    expect(studioRequest(draft({ kind: 'video' })).body).toEqual({ model: 'm', prompt: 'a gate' });
    expect(studioRequest(draft({ kind: 'video', seconds: 8 })).body).toMatchObject({ seconds: '8' });
  });

  test('of a song describes it, or brings its text when it has a title', () => {
    expect(studioRequest(draft({ kind: 'music', model: 'suno_music' }))).toEqual({
      path: '/suno/submit/music',
      body: { gpt_description_prompt: 'a gate' },
    });
    expect(studioRequest(draft({ kind: 'music', model: 'suno_music', title: 'Gates' })).body).toEqual({
      prompt: 'a gate',
      title: 'Gates',
    });
    expect(studioRequest(draft({ kind: 'music', model: 'suno_lyrics' })).path).toBe('/suno/submit/lyrics');
  });

  test('with a reference picture is a form', () => {
    const reference = new File(['x'], 'gate.png', { type: 'image/png' });
    const edit = studioRequest(draft({ reference }));
    expect(edit.path).toBe('/v1/images/edits');
    expect([...(edit.body as FormData).keys()]).toEqual(['model', 'prompt', 'n', 'image']);
    const film = studioRequest(draft({ kind: 'video', reference })).body as FormData;
    expect(film.get('input_reference')).toBeInstanceOf(File);
    const pictureUrls = ' https://a.example/1  https://a.example/2 ';
    expect(studioRequest(draft({ kind: 'video', pictureUrls })).body).toMatchObject({
      images: ['https://a.example/1', 'https://a.example/2'],
    });
  });

  test('answers and errors of each format are read', () => {
    expect(picturesIn([{ url: 'https://a.example/1' }, { b64_json: 'AA' }, {}])).toEqual([
      'https://a.example/1',
      'data:image/png;base64,AA',
    ]);
    expect(failureSentence('{"error":{"message":"no quota"}}', 403)).toBe('no quota');
    expect(failureSentence('{"code":"x","message":"wrong key"}', 401)).toBe('wrong key');
    expect(failureSentence('<html>', 502)).toBe('HTTP 502');
  });
});
