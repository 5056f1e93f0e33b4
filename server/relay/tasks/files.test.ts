import { expect, test } from 'bun:test';
import type { Core } from '#server/relay/pipeline/core.ts';
import { taskFiles } from './files.ts';
import type { Platform } from './platform.ts';
import type { Task } from './rows.ts';

const core = (isForwarded: boolean) =>
  ({
    settings: { current: { MediaForwardEnabled: isForwarded, ServerAddress: 'https://gate.example/' } },
    store: { vault: { digest: (purpose: string, value: string) => `${purpose}:${value}` } },
    catalog: {
      current: {
        channel: () => ({
          baseUrl: 'https://upstream.example/v1',
          provider: { speaks: ['suno'] },
          setting: { proxy: 'http://proxy.example' },
        }),
      },
    },
  }) as unknown as Core;

const none = { title: '', text: '', tags: '', audio_url: '', video_url: '', image_url: '', duration: 0 };
const source = {
  url: 'https://api.example/content',
  home: 'https://api.example',
  headers: { Authorization: 'Bearer key' },
};

const platform = (address: string): Platform =>
  ({
    name: 'film',
    format: 'suno',
    partsOf: () => [{ ...none, video_url: address, image_url: 'https://cdn.example/1.png' }],
    ...(address === '' ? { hiddenVideo: () => async () => source } : {}),
  }) as unknown as Platform;

const task = { id: 7, hold_id: 'h', platform: 'film', channel_id: 1, status: 'SUCCESS' } as Task;

test('files with a public address are forwarded as the setting says, through the proxy of the channel', () => {
  const files = taskFiles(core(true), [platform('https://cdn.example/1.mp4')]);
  expect(files.of(task)).toMatchObject([
    { name: 'image-0', kind: 'image', isForwarded: true, isFinal: true },
    {
      name: 'video-0',
      source: {
        url: 'https://cdn.example/1.mp4',
        home: 'https://upstream.example',
        proxy: 'http://proxy.example',
      },
    },
  ]);
  expect(files.partsOf(task)[0]?.video_url).toBe('https://gate.example/media/7/video-0?key=media:h:video-0');
  const plain = taskFiles(core(false), [platform('https://cdn.example/1.mp4')]);
  expect(plain.partsOf(task)[0]?.video_url).toBe('https://cdn.example/1.mp4');
  expect(files.of({ ...task, platform: 'unknown' })).toEqual([]);
});

test('a video that needs the key of the channel has our address whatever the setting says', async () => {
  const files = taskFiles(core(false), [platform('')]);
  const [part] = files.partsOf(task);
  expect(part?.video_url).toStartWith('https://gate.example/media/7/video-0?key=');
  expect(part?.image_url).toBe('https://cdn.example/1.png');
  const video = files.of(task).find(({ name }) => name === 'video-0');
  expect(video).toMatchObject({ kind: 'video', isForwarded: true });
  expect(typeof video?.source === 'function' && (await video.source())).toEqual(source);
});
