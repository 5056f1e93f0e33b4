// What a report of a song changes in its row, and the parts of a song as they are shown.
import { describe, expect, test } from 'bun:test';
import { factText } from '#contract/facts.ts';
import type { TaskFiles } from '#server/relay/tasks/files.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { clipIds, musicParts, shownData } from './parts.ts';
import { suno } from './suno.ts';

const now = 1_800_000_000_000;
const asked = { prompt: 'a gate', title: '', tags: '', size: '', seconds: 0, image_urls: [] };
const clip = { id: 'c-1', audio_url: 'https://a.example/1.mp3' };
const taskOf = (data: unknown = null, more: Partial<Task> = {}) =>
  ({
    status: 'SUBMITTED',
    progress: '10%',
    submit_ms: now - 5000,
    start_ms: 0,
    result_url: '',
    properties: JSON.stringify({ asked, data }),
    ...more,
  }) as Task;

describe('a report of a song', () => {
  const change = (report: object, task = taskOf()) => suno.changeIn(task, report as never, now);

  test('has its times in seconds, its clips, and the address of the first that can be heard', () => {
    const { change: changed, ends } = change({
      status: 'SUCCESS',
      progress: '55%',
      start_time: now / 1000 - 4,
      finish_time: now / 1000 - 2,
      fail_reason: 'not used',
      data: [{ audio_url: 'x' }, clip, { audio_url: 'https://a.example/2.mp3' }],
    });
    expect(ends).toBe(true);
    expect({ ...changed, properties: JSON.parse(String(changed.properties)) as unknown }).toEqual({
      status: 'SUCCESS',
      progress: '100%',
      fail_reason: '',
      result_url: 'https://a.example/1.mp3',
      start_ms: now - 4000,
      finish_ms: now - 2000,
      properties: { asked, data: [{ audio_url: 'x' }, clip, { audio_url: 'https://a.example/2.mp3' }] },
    });
  });

  test('that says nothing leaves what is known', () => {
    const task = taskOf([clip], { start_ms: 7, result_url: 'https://a.example/known.mp3' });
    const { change: changed, ends } = change({ status: 'QUEUED' }, task);
    expect(ends).toBe(false);
    expect({ ...changed, properties: JSON.parse(String(changed.properties)) as unknown }).toEqual({
      status: 'QUEUED',
      progress: '10%',
      fail_reason: '',
      result_url: 'https://a.example/1.mp3',
      start_ms: 7,
      finish_ms: 0,
      properties: { asked, data: [clip] },
    });
    expect(change({ status: 'QUEUED' }, { ...task, properties: '' }).change.result_url).toBe(
      'https://a.example/known.mp3',
    );
    expect(change({ status: 'dancing', progress: '20%' }).change).toMatchObject({
      status: 'SUBMITTED',
      progress: '20%',
    });
    expect(change({ status: 'SUBMITTED' }, taskOf(null, { status: 'IN_PROGRESS' })).change.status).toBe(
      'IN_PROGRESS',
    );
  });

  test('of a failure says why, and is over now where it has no time', () => {
    expect(change({ status: 'FAILURE', fail_reason: 'Too loud' })).toMatchObject({
      ends: true,
      change: { status: 'FAILURE', fail_reason: 'Too loud', finish_ms: now, progress: '10%' },
    });
    expect(change({ status: 'FAILURE' }).change.fail_reason).toBe(factText('musicFailed'));
    const early = { status: 'FAILURE', finish_time: (now - 60_000) / 1000 };
    expect(change(early).change.finish_ms).toBe(now - 5000);
  });

  test('keeps what was asked for', () => {
    expect(suno.askedOf?.(taskOf())).toEqual(asked);
    expect(suno.askedOf?.({ properties: '' } as Task)).toBeUndefined();
  });
});

describe('the parts of a song', () => {
  const urls = {
    audio_url: 'https://a.example/1.mp3',
    video_url: 'https://a.example/1.mp4',
    image_url: 'https://a.example/1.png',
  };

  test('are its clips, or the text of lyrics, at most ten', () => {
    const whole = {
      title: 't'.repeat(201),
      text: 'text',
      prompt: 'prompt',
      tags: 'tags',
      ...urls,
      duration: 12.5,
    };
    expect(musicParts(taskOf([whole, 'no clip']))).toEqual([
      { title: 't'.repeat(200), text: 'text', tags: 'tags', ...urls, duration: 12.5 },
    ]);
    expect(musicParts(taskOf({ title: 'lyrics', text: 'la' }))).toMatchObject([
      { title: 'lyrics', text: 'la' },
    ]);
    expect(musicParts(taskOf(Array.from({ length: 11 }, () => clip)))).toHaveLength(10);
    expect(musicParts(taskOf())).toEqual([]);
    expect(musicParts(taskOf([clip], { status: 'FAILURE' }))).toEqual([]);
  });

  test('have what is in their metadata where they have none themselves', () => {
    const metadata = { prompt: 'inside', tags: 'x'.repeat(501), duration: '7' };
    const none = { title: '', audio_url: '', video_url: '', image_url: '' };
    expect(musicParts(taskOf([{ metadata }]))).toEqual([
      { ...none, text: 'inside', tags: 'x'.repeat(500), duration: 7 },
    ]);
    expect(musicParts(taskOf([{ prompt: 'own', tags: 'own', duration: 3, metadata }]))).toEqual([
      { ...none, text: 'own', tags: 'own', duration: 3 },
    ]);
    for (const duration of [-1, 0, 'x', null])
      expect(musicParts(taskOf([{ duration }]))[0]?.duration).toBe(0);
  });

  test('have ids under both names', () => {
    expect(clipIds(taskOf([clip, { clip_id: 'c-2' }, { id: 7 }, 'c-3']))).toEqual(['c-1', 'c-2']);
    expect(clipIds(taskOf())).toEqual([]);
  });

  test('are shown with our addresses, each file with its place', () => {
    const files = {
      addressOf: (_: Task, kind: string, index: number, address: string) => `${kind}-${index} of ${address}`,
    } as unknown as TaskFiles;
    const large = { ...urls, image_large_url: 'https://a.example/large.png', model: 'v3' };
    expect(shownData(files, taskOf([clip, 'text', large]))).toEqual([
      { id: 'c-1', audio_url: 'audio-0 of https://a.example/1.mp3' },
      'text',
      {
        audio_url: 'audio-1 of https://a.example/1.mp3',
        video_url: 'video-1 of https://a.example/1.mp4',
        image_url: 'image-1 of https://a.example/1.png',
        image_large_url: 'image-1 of https://a.example/large.png',
        model: 'v3',
      },
    ]);
    expect(shownData(files, taskOf({ text: 'la' }))).toEqual({ text: 'la' });
    expect(shownData(files, taskOf([clip], { status: 'FAILURE' }))).toBeNull();
    const eleven = shownData(files, taskOf(Array.from({ length: 11 }, () => ({ ...clip })))) as {
      audio_url: string;
    }[];
    expect([eleven[9]?.audio_url, eleven[10]?.audio_url]).toEqual([
      'audio-9 of https://a.example/1.mp3',
      'https://a.example/1.mp3',
    ]);
  });
});
