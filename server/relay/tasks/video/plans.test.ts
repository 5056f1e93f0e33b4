// The plan of a video decides its price, so it must say what the request for the platform says.
import { expect, test } from 'bun:test';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import type { VideoPlatform } from './platform.ts';
import { readVideo, type Fields } from './request.ts';
import { pictureData } from './picture-data.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { doubao } from './doubao.ts';
import { factsOf } from './facts.ts';
import { video } from './video.ts';
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
  expect(json).toMatchObject(sent);
  expect([planned, notes]).toEqual(['1080p', ['size']]);
});

test.each([
  ['sora', sora],
  ['runway', runway],
  ['wan', wan],
])('%s: an upright video costs as much as a wide one of the same resolution (M21)', (_name, platform) => {
  for (const [wide, upright, resolution] of [
    ['1280x720', '720x1280', '720p'],
    ['1920x1080', '1080x1920', '1080p'],
  ] as const) {
    const planned = [wide, upright].map((size) => written(platform, { size }).planned);
    expect(planned).toEqual([resolution, resolution]);
  }
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

test('commands in the prompt of Seedance become parameters, so that they are priced before', () => {
  const prompt = 'a gate --dur 12 --resolution 1080p --seed 7 --fps 60 --rt 9:16';
  const video = { ...readVideo({ prompt }, undefined), model: 'm' };
  const notes: ConversionNote[] = [];
  expect(doubao.plan(video)).toEqual({ seconds: 12, resolution: '1080p' });
  expect(doubao.submission(video, notes).json).toMatchObject({
    content: [{ type: 'text', text: 'a gate --seed 7' }],
    duration: 12,
    resolution: '1080p',
    ratio: '9:16',
  });
  expect(notes.map(({ field }) => field)).toEqual(['--fps']);
  // A parameter of the request wins.
  const given = { ...readVideo({ prompt, seconds: 5, resolution: '480p' }, undefined), model: 'm' };
  expect(doubao.plan(given)).toEqual({ seconds: 5, resolution: '480p' });
});

test.each([
  [
    { seconds: 12, resolution: '1080p' },
    { seconds: 12, resolution: '1080p' },
  ],
  [
    { seconds: 5.04, resolution: '4320p' },
    { seconds: 5, resolution: '4320p' },
  ],
  [
    { seconds: -1, resolution: '99999p' },
    { seconds: 5, resolution: '720p' },
  ],
  [
    { seconds: 1e308, resolution: '10p' },
    { seconds: 5, resolution: '720p', isDoubtful: true },
  ],
  [
    { seconds: 16, resolution: '1080p' },
    { seconds: 5, resolution: '1080p', isDoubtful: true },
  ],
  [
    { seconds: 15, tokens: 700_000 },
    { seconds: 15, tokens: 700_000, isDoubtful: false },
  ],
  [
    { seconds: 5, tokens: 90_000_000 },
    { seconds: 5, tokens: 0, isDoubtful: true },
  ],
  [
    { seconds: Number.NaN, resolution: '1e3p' },
    { seconds: 5, resolution: '720p' },
  ],
])('a report of %p is charged only where it is plausible', (report, expected) => {
  const properties = JSON.stringify({ seconds: 5, mostSeconds: 15, resolution: '720p' });
  const task = { status: 'IN_PROGRESS', progress: '0%', result_url: '', properties } as Task;
  const { change } = video.changeIn(task, { status: 'SUCCESS', url: 'https://a.example/b', ...report }, 0);
  expect(factsOf(change as Task)).toMatchObject(expected);
});

test('of several pictures only those that are sent are downloaded', async () => {
  const read: string[] = [];
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const fetch = async (_kind: string, url: string) => {
    read.push(url);
    return new Response(png);
  };
  const images = ['https://a.example/0', 'https://a.example/1', 'https://a.example/2'];
  const given = readVideo({ prompt: 'x', images, last_frame_image: 'https://a.example/9' }, undefined);
  const loaded = await pictureData({ egress: { fetch } } as unknown as Core, given);
  expect(read).toEqual(['https://a.example/0', 'https://a.example/9']);
  expect(loaded.pictures).toMatchObject([{ type: 'image/png' }, { url: images[1] }, { url: images[2] }]);
});
