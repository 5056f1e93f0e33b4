// The plan of a video decides its price, so it must say what the request for the platform says.
import { expect, test } from 'bun:test';
import type { ConversionNote } from '#server/formats/canonical.ts';
import type { VideoPlatform } from './platform.ts';
import { readVideo, type Fields } from './request.ts';
import { runway } from './runway.ts';
import { sora } from './sora.ts';
import { wan } from './wan.ts';

function written(platform: VideoPlatform, fields: Fields) {
  const video = { ...readVideo({ prompt: 'x', ...fields }, undefined), model: 'm' };
  const notes: ConversionNote[] = [];
  const { json } = platform.submission(video, notes);
  return { planned: platform.plan(video).resolution, json, notes: notes.map(({ field }) => field) };
}

const contradiction = { size: '1920x1080', resolution: '480p' };

test.each([
  [sora, { size: '1920x1080' }],
  [runway, { ratio: '1920:1080' }],
  [wan, { parameters: expect.objectContaining({ size: '1920*1080' }) }],
] as const)('a resolution beside a larger size does not make it cheaper', (platform, sent) => {
  const { planned, json, notes } = written(platform, contradiction);
  expect(json).toMatchObject(sent as Record<string, unknown>);
  expect([planned, notes]).toEqual(['1080p', ['size']]);
});

test('a resolution that cannot be sent is not charged, and is noted', () => {
  for (const resolution of ['480p', '4K']) {
    expect(written(sora, { resolution })).toMatchObject({ planned: '720p', notes: ['size'] });
    expect(written(runway, { resolution })).toMatchObject({
      planned: '720p',
      json: { ratio: '1280:720' },
      notes: ['size'],
    });
  }
  expect(written(runway, { aspect_ratio: '1:1' })).toMatchObject({
    planned: '960p',
    json: { ratio: '960:960' },
  });
});

test('Wan takes the resolution of a video from a picture, the size of one from words', () => {
  const picture = { image: 'https://a.example/b.png' };
  expect(written(wan, { ...contradiction, ...picture })).toMatchObject({
    planned: '480p',
    json: { parameters: { resolution: '480P' } },
  });
  expect(written(wan, { resolution: '1080p' })).toMatchObject({
    planned: '1080p',
    json: { parameters: { size: '1920*1080' } },
  });
});
