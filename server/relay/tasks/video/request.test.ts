import { describe, expect, test } from 'bun:test';
import { aspectOf, nearest } from './mapping.ts';
import { readVideo, type Fields } from './request.ts';

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
  expect(nearest(6, [4, 8])).toBe(8);
});

test('the nearest shape is noted', () => {
  const notes: Parameters<typeof aspectOf>[2] = [];
  expect(aspectOf(read({ size: '1792x1024' }), ['16:9', '9:16', '1:1'], notes)).toBe('16:9');
  expect(notes).toMatchObject([{ field: 'size', what: 'approximated' }]);
  expect(aspectOf(read({}), ['16:9'], notes)).toBeUndefined();
});
