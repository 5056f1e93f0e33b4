import { describe, expect, test } from 'bun:test';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { aspectOf, dropLastFrame, idText, nearest, noteResolution, noteSeconds } from './mapping.ts';
import { askedSize, pictureType, readVideo, resolutionIn, type Fields } from './request.ts';

const read = (fields: Fields) => readVideo({ prompt: 'x', ...fields }, undefined);

describe('a request', () => {
  test.each([
    [{ seconds: '8' }, 8],
    [{ duration: 5 }, 5],
    [{ durationSeconds: 6 }, 6],
    [{ seconds: null }, undefined],
    [{ metadata: { duration: 10 } }, 10],
  ])('seconds of %p', (fields, seconds) => {
    expect(read(fields).seconds).toBe(seconds);
  });

  test.each([
    [{ size: '1792x1024' }, ['1024p', '7:4', '1792x1024']],
    [{ width: 720, height: 1280 }, ['720p', '9:16', '720x1280']],
    [{ ratio: '1280:720' }, ['720p', '16:9', '1280x720']],
    [{ resolution: '4K', aspect_ratio: '16:9' }, ['2160p', '16:9', undefined]],
    [{ resolution: '1080P' }, ['1080p', undefined, undefined]],
    [{ resolution: 768, size: '1280x720' }, ['768p', '16:9', '1280x720']],
  ])('shape of %p', (fields, expected) => {
    const { resolution, aspect, size } = read(fields);
    expect([resolution, aspect, size && `${size.width}x${size.height}`]).toEqual(expected);
  });

  test('fields of a platform are kept, also a ratio in words', () => {
    expect(read({ ratio: 'adaptive', seed: 1, metadata: { mode: 'pro', seed: 2 } }).extras).toEqual({
      ratio: 'adaptive',
      seed: 1,
      mode: 'pro',
    });
    expect(read({ aspect_ratio: '16:9', seconds: 5, image_tail: 'https://a.example/b.png' }).extras).toEqual(
      {},
    );
  });

  test('pictures: addresses, data and plain base64; anything else is refused', () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(64)]);
    const data = { type: 'image/png', bytes: png };
    expect(read({ image: 'https://a.example/b.png' }).pictures).toEqual([{ url: 'https://a.example/b.png' }]);
    expect(read({ image: `data:image/png;base64,${png.toString('base64')}` }).pictures).toEqual([data]);
    expect(read({ image: png.toString('base64') }).pictures).toEqual([data]);
    expect(read({ input_reference: { image_url: 'https://a.example/b.png' } }).pictures).toHaveLength(1);
    for (const image of ['javascript:alert(1)', 'gopher://a.example', 'short', 7])
      expect(() => read({ image })).toThrow();
  });
});

test('the nearest allowed value; of two equally near the larger one', () => {
  expect([4, 7, 8, 60].map((wish) => nearest(wish, [5, 10]))).toEqual([5, 5, 10, 10]);
  for (const allowed of [
    [4, 8],
    [8, 4],
  ])
    expect(nearest(6, allowed)).toBe(8);
});

test('the nearest shape is noted', () => {
  const notes: Parameters<typeof aspectOf>[2] = [];
  expect(aspectOf(read({ size: '1792x1024' }), ['16:9', '9:16', '1:1'], notes)).toBe('16:9');
  expect(notes).toMatchObject([{ field: 'size', what: 'approximated' }]);
  expect(aspectOf(read({}), ['16:9'], notes)).toBeUndefined();
});

test('only what differs from the wish is noted', () => {
  const noted = (does: (notes: Parameters<typeof aspectOf>[2]) => void) => {
    const notes: Parameters<typeof aspectOf>[2] = [];
    does(notes);
    return notes;
  };
  for (const seconds of [undefined, 5])
    expect(noted((notes) => noteSeconds(read({ seconds }), 5, notes))).toEqual([]);
  for (const resolution of [undefined, '720p'])
    expect(noted((notes) => noteResolution(read({ resolution }), '720p', notes))).toEqual([]);
  expect(noted((notes) => noteSeconds(read({ seconds: 4 }), 5, notes))).toEqual([
    { field: 'seconds', what: 'approximated', detail: 'the video has 5 seconds' },
  ]);
  expect(noted((notes) => dropLastFrame(read({}), notes))).toEqual([]);
  expect(
    noted((notes) => dropLastFrame(read({ last_frame_image: 'https://a.example/b.png' }), notes)),
  ).toEqual([
    {
      field: 'last_frame_image',
      what: 'dropped',
      detail: 'the platform takes no last frame',
      isAttachment: true,
    },
  ]);
});

test('a shape that is only written differently is not noted', () => {
  const notes: Parameters<typeof aspectOf>[2] = [];
  const allowed = ['16:9', '9:16', '21:9'];
  expect(aspectOf(read({ aspect_ratio: '21:9' }), allowed, notes)).toBe('21:9');
  expect(aspectOf(read({ size: '2560x1440' }), allowed, notes)).toBe('16:9');
  expect(notes).toEqual([]);
  expect(aspectOf(read({ aspect_ratio: '1:2' }), allowed, notes)).toBe('9:16');
  expect(notes).toEqual([{ field: 'size', what: 'approximated', detail: 'the video has 9:16' }]);
});

test('an id of an upstream is a word of at most 500 characters', () => {
  expect([idText(17), idText('models/veo-3.0:x@y_z'), idText('a'.repeat(500))]).toEqual([
    '17',
    'models/veo-3.0:x@y_z',
    'a'.repeat(500),
  ]);
  for (const id of ['a'.repeat(501), '', ' a', 'a ', 'a?b', undefined, { id: 1 }])
    expect(idText(id)).toBe('');
});

/** The field that is refused; undefined when it is taken. */
function refused(fields: Fields): unknown {
  try {
    read(fields);
    return undefined;
  } catch (error) {
    if (error instanceof RelayError) return [error.code, error.status, error.options.param];
    throw error;
  }
}

const refusal = (field: string) => ['invalid_field', 400, field];

test('a whole request, under the names of each API', () => {
  expect(
    readVideo(
      { model_name: 'm', prompt: 'x', callback_url: 'https://a.example', webhook_url: 'https://a.example' },
      undefined,
    ),
  ).toStrictEqual({
    model: 'm',
    prompt: 'x',
    seconds: undefined,
    size: undefined,
    resolution: undefined,
    aspect: undefined,
    pictures: [],
    lastFrame: undefined,
    extras: {},
    callbackUrl: undefined,
  });
  const A = { url: 'https://a.example/a.png' };
  const B = { url: 'https://a.example/b.png' };
  const every = {
    model: 'm',
    model_name: 'n',
    seconds: 4,
    duration: 5,
    durationSeconds: 6,
    size: '1280x720',
    width: 1,
    height: 1,
    resolution: '480p',
    input_reference: A.url,
    image: B.url,
    image_url: B.url,
    images: [B.url],
    first_frame_image: B.url,
    image_tail: B.url,
    last_frame_image: A.url,
    metadata: {},
    aspectRatio: '9:16',
  };
  expect(read(every)).toStrictEqual({
    model: 'm',
    prompt: 'x',
    seconds: 4,
    size: { width: 1280, height: 720 },
    resolution: '480p',
    aspect: '9:16',
    pictures: [A],
    lastFrame: B,
    extras: {},
    callbackUrl: undefined,
  });
  expect(read({ metadata: 'text' }).extras).toEqual({});
  expect(readVideo({ prompt: ' ' }, A).pictures).toEqual([A]);
  expect(readVideo({ image: B.url }, A).pictures).toEqual([A]);
  for (const name of ['input_reference', 'image', 'image_url', 'first_frame_image'])
    expect(read({ [name]: A.url, images: [B.url] }).pictures).toEqual([A]);
  expect(read({ images: [A.url, { url: B.url }] }).pictures).toEqual([A, B]);
  expect([
    read({ images: null }).pictures,
    read({ image: null }).pictures,
    read({ image: '' }).pictures,
  ]).toEqual([[], [], []]);
  expect(read({ image_tail: '', last_frame_image: A.url }).lastFrame).toEqual(A);
  expect(read({ metadata: { prompt: 'other', seed: 1 }, seed: 2 })).toMatchObject({
    prompt: 'x',
    extras: { seed: 2 },
  });
});

test('bounds: the last value that is taken, and the first that is refused', () => {
  expect(read({ seconds: 1 }).seconds).toBe(1);
  expect(read({ seconds: 3600 }).seconds).toBe(3600);
  for (const name of ['seconds', 'duration', 'durationSeconds'])
    for (const value of [0, 3601, -1, 1.5, 'soon', true])
      expect(refused({ [name]: value })).toEqual(refusal(name));
  expect(refused({ seconds: '' })).toBeUndefined();
  expect(read({ size: '16x16384' }).size).toEqual({ width: 16, height: 16_384 });
  for (const size of ['15x16', '16x15', '16385x16', '16x16385', '123456x16', '0x16', 'a16x16', '16x16a', 7])
    expect(refused({ size })).toEqual(refusal('size'));
  expect(read({ size: '1280*720' }).size).toEqual(read({ size: '1280 X 720' }).size);
  expect(refused({ width: 15, height: 16 })).toEqual(refusal('width'));
  expect(refused({ width: 16.5, height: 16 })).toEqual(refusal('width'));
  expect(read({ width: 1280 }).size).toBeUndefined();
  expect(read({ height: 1280 }).size).toBeUndefined();
  // Runway's ratio is a size from a hundred pixels on.
  expect(read({ ratio: '100:200' }).size).toEqual({ width: 100, height: 200 });
  expect(read({ ratio: '200:100' }).size).toEqual({ width: 200, height: 100 });
  expect(read({ ratio: '99:200' })).toMatchObject({ size: undefined, aspect: '99:200' });
  const urls = Array.from({ length: 11 }, (_, index) => `https://a.example/${index}`);
  expect(read({ images: urls.slice(1) }).pictures).toHaveLength(10);
  expect(refused({ images: urls })).toEqual(refusal('images'));
  expect(refused({ images: 'https://a.example/1' })).toEqual(refusal('images'));
  expect(refused({ images: ['no address'] })).toEqual(refusal('images'));
  expect(refused({ last_frame_image: 7 })).toEqual(refusal('last_frame_image'));
  expect(refused({ image_tail: 7 })).toEqual(refusal('image_tail'));
  expect(refused({ prompt: ' ' })).toEqual(refusal('prompt'));
  expect(refused({ resolution: 'good' })).toEqual(refusal('resolution'));
  expect(read({ prompt: 'a'.repeat(100_000) }).prompt).toHaveLength(100_000);
  expect(read({ model: 'a'.repeat(256) }).model).toHaveLength(255);
});

test('a resolution in each of its spellings', () => {
  for (const [value, expected] of [
    ['4K', '2160p'],
    ['2k', '1440p'],
    [' 1080P ', '1080p'],
    [720, '720p'],
    ['24', '24p'],
    ['12345p', '12345p'],
    ['1280x720', '720p'],
    ['720x1280', '720p'],
    ['', undefined],
    [null, undefined],
  ])
    expect(resolutionIn(value)).toBe(expected as string);
  for (const value of ['8', '123456', 'x720p', '720px', true, {}])
    expect(() => resolutionIn(value)).toThrow();
});

test('the size that was asked for, in words or in numbers, with even sides', () => {
  for (const [fields, size] of [
    [{}, ''],
    [{ size: '1281x721' }, '1281x721'],
    [{ resolution: '480p' }, '854x480'],
    [{ aspect_ratio: '9:16' }, '720x1280'],
    [{ aspect_ratio: '1:1' }, '720x720'],
    [{ resolution: '1080p', aspect_ratio: '4:3' }, '1440x1080'],
    [{ resolution: '480p', aspect_ratio: '9:16' }, '480x854'],
  ] as const)
    expect(askedSize(read(fields))).toBe(size);
});

test('the first bytes say what a picture is', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  expect(pictureType(bytes('\u00ff\u00d8\u00ff123'))).toBe('image/jpeg');
  expect(pictureType(bytes('\u0089PNG123'))).toBe('image/png');
  expect(pictureType(bytes('RIFF1234WEBPVP8'))).toBe('image/webp');
  for (const text of ['RIFF1234WAVE', 'WEBP', 'xRIFF123WEBP', 'PNG', 'GIF89a', ''])
    expect(pictureType(bytes(text))).toBeUndefined();
});

test('data of a picture, with its type or without', () => {
  const jpeg = Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(45)]);
  const text = jpeg.toString('base64');
  expect(text).toHaveLength(64);
  expect(read({ image: text }).pictures).toEqual([{ type: 'image/jpeg', bytes: jpeg }]);
  expect(refused({ image: jpeg.subarray(0, 45).toString('base64') })).toEqual(refusal('image'));
  expect(refused({ image: Buffer.alloc(48).toString('base64') })).toEqual(refusal('image'));
  expect(refused({ image: `${text}?` })).toEqual(refusal('image'));
  expect(refused({ image: `?${text}` })).toEqual(refusal('image'));
  const data = (type: string, rest = '') => refused({ image: `data:${type};base64,${text}${rest}` });
  expect(data(`image/${'a'.repeat(40)}`)).toBeUndefined();
  expect(data(`image/${'a'.repeat(41)}`)).toEqual(refusal('image'));
  expect(refused({ image: `x data:image/png;base64,${text}` })).toEqual(refusal('image'));
  expect(data('text/html')).toEqual(refusal('image'));
  expect(data('image/png', '?')).toEqual(refusal('image'));
});
