// A video in each of the answers that have it, what is known of it, and how its price is applied.
import { describe, expect, test } from 'bun:test';
import { factText } from '#contract/facts.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { failWords } from '#server/relay/tasks/fail-words.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { estimatedTokens, factsOf, factsText, mostTokens, videoUsage, type VideoFacts } from './facts.ts';
import { klingVideo } from './kling-answers.ts';
import { video } from './video.ts';
import { askedVideo, familyVideo, holdOf, openAiVideo, videoAddress, videoId, videoParts } from './view.ts';

const facts: VideoFacts = {
  seconds: 5,
  resolution: '1080p',
  size: '',
  askedSize: '1920x1080',
  pictureUrls: ['https://a.example/a.png'],
  mostSeconds: 8,
  tokens: 0,
  isDoubtful: false,
  file: '',
  imageUrl: 'https://a.example/cover.png',
  remixedFrom: '',
};
const HOLD = '01234567-89ab-cdef-0123-456789abcdef';
const ID = 'video_0123456789abcdef0123456789abcdef';
const taskOf = (more: Partial<Task> = {}, known: Partial<VideoFacts> = {}) =>
  ({
    hold_id: HOLD,
    model: 'clip',
    status: 'IN_PROGRESS',
    progress: '37%',
    prompt: 'a gate',
    fail_reason: '',
    submit_ms: 1999,
    start_ms: 2500,
    finish_ms: 3999,
    result_url: '',
    properties: factsText({ ...facts, ...known }),
    ...more,
  }) as Task;
const failed = { status: 'FAILURE', fail_reason: factText('videoFailed') };
const parts = {
  core: { settings: { current: { ServerAddress: 'https://gate.example/' } } },
  files: {
    addressOf: (_: Task, kind: string, index: number, url: string) => url && `${kind} ${index} ${url}`,
  },
} as unknown as TaskParts;

test('the id of a video is its hold’s, and nothing else is one', () => {
  expect([videoId({ hold_id: HOLD }), holdOf(ID)]).toEqual([ID, HOLD]);
  for (const id of [`${ID}0`, ID.slice(0, -1), `x${ID}`, ID.toUpperCase(), HOLD, ''])
    expect(holdOf(id)).toBeUndefined();
});

describe('in OpenAI’s API', () => {
  test('a video has its state, its times in seconds, and what it is made from', () => {
    const shown = {
      id: ID,
      object: 'video',
      model: 'clip',
      status: 'in_progress',
      progress: 37,
      created_at: 1,
      completed_at: null,
      expires_at: null,
      prompt: 'a gate',
      seconds: '5',
      size: '1920x1080',
      remixed_from_video_id: null,
      error: null,
    } as const;
    expect(openAiVideo(taskOf())).toEqual(shown);
    expect(openAiVideo(taskOf({ status: 'SUCCESS', progress: '100%' }, { remixedFrom: 'video_1' }))).toEqual({
      ...shown,
      status: 'completed',
      progress: 100,
      completed_at: 3,
      remixed_from_video_id: 'video_1',
    });
    expect(openAiVideo(taskOf(failed))).toEqual({
      ...shown,
      status: 'failed',
      error: { code: 'video_generation_failed', message: failWords(factText('videoFailed')) },
    });
    for (const status of ['NOT_START', 'SUBMITTED', 'QUEUED'])
      expect(openAiVideo(taskOf({ status, progress: '' }))).toMatchObject({ status: 'queued', progress: 0 });
  });

  test('a size is as it was asked for, or wide by its lines', () => {
    const size = (known: Partial<VideoFacts>) => openAiVideo(taskOf({}, known)).size;
    expect([size({ size: '720x1280' }), size({ resolution: '480p' }), size({ resolution: '' })]).toEqual([
      '720x1280',
      '854x480',
      '',
    ]);
  });
});

describe('where it can be read', () => {
  const done = { status: 'SUCCESS', result_url: 'https://a.example/v.mp4' };
  const own = `https://gate.example/v1/videos/${ID}/content`;

  test('is an address when it is finished: its own, or a path for the caller’s key', () => {
    expect(videoAddress(parts, taskOf(done))).toBe('video 0 https://a.example/v.mp4');
    expect(videoAddress(parts, taskOf({ status: 'SUCCESS' }))).toBe(own);
    expect(videoAddress(parts, taskOf({ ...done, status: 'IN_PROGRESS' }))).toBe('');
  });

  test('the family has it with its size and its length', () => {
    const shown = {
      task_id: ID,
      status: 'completed',
      progress: 37,
      url: own,
      format: 'mp4',
      metadata: { duration: 5, width: 1920, height: 1080 },
      error: null,
    } as const;
    expect(familyVideo(parts, taskOf({ status: 'SUCCESS' }))).toEqual(shown);
    expect(familyVideo(parts, taskOf({ status: 'QUEUED' }, { resolution: '' }))).toEqual({
      ...shown,
      status: 'queued',
      url: '',
      metadata: { duration: 5, width: 0, height: 0 },
    });
    expect(familyVideo(parts, taskOf({ ...failed, progress: '' }))).toMatchObject({
      status: 'failed',
      progress: 0,
      error: { code: 'video_generation_failed' },
    });
  });

  test('Kling’s own API has it in a list', () => {
    const shown = {
      code: 0,
      message: 'SUCCEED',
      request_id: HOLD,
      data: {
        task_id: ID,
        task_status: 'succeed',
        task_status_msg: '',
        created_at: 1999,
        updated_at: 3999,
        task_result: { videos: [{ id: ID, url: own, duration: '5' }] },
      },
    };
    expect(klingVideo(own, taskOf({ status: 'SUCCESS' }))).toEqual(shown);
    const state = (more: Partial<Task>) => {
      const { task_status, task_status_msg, updated_at, task_result } = klingVideo('', taskOf(more)).data;
      return [task_status, task_status_msg, updated_at, task_result.videos];
    };
    expect(state({ finish_ms: 0 })).toEqual(['processing', '', 2500, []]);
    expect(state({ status: 'QUEUED', finish_ms: 0, start_ms: 0 })).toEqual(['submitted', '', 1999, []]);
    expect(state(failed)).toEqual(['failed', failWords(factText('videoFailed')), 3999, []]);
  });

  test('the console has it when it is finished', () => {
    expect(videoParts(taskOf(done))).toEqual([
      {
        title: '',
        text: '',
        tags: '1080p',
        audio_url: '',
        video_url: 'https://a.example/v.mp4',
        image_url: 'https://a.example/cover.png',
        duration: 5,
      },
    ]);
    expect(videoParts(taskOf({ ...done, status: 'FAILURE' }))).toEqual([]);
  });

  test('the playground asks for it again, but not for a remix', () => {
    expect(askedVideo(taskOf())).toEqual({
      prompt: 'a gate',
      title: '',
      tags: '',
      size: '1920x1080',
      seconds: 5,
      image_urls: ['https://a.example/a.png'],
    });
    expect(askedVideo(taskOf({}, { remixedFrom: 'video_1' }))).toBeUndefined();
  });
});

describe('what is known', () => {
  test('of a row without some of it has usual values', () => {
    const nothing = {
      seconds: 0,
      resolution: '',
      size: '',
      askedSize: '',
      pictureUrls: [],
      mostSeconds: 60,
      tokens: 0,
      isDoubtful: false,
      file: '',
      imageUrl: '',
      remixedFrom: '',
    };
    expect([factsOf({ properties: '' }), factsOf({ properties: '{}' })]).toEqual([nothing, nothing]);
    expect(factsOf({ properties: factsText(facts) })).toEqual(facts);
    const early = factsOf({ properties: '{"seconds":90,"size":"1280x720"}' });
    expect(early).toEqual({
      ...nothing,
      seconds: 90,
      size: '1280x720',
      askedSize: '1280x720',
      mostSeconds: 90,
    });
  });

  test('decides the price: by second, by clip, by tokens that were reported or that its size has', () => {
    const price = (more: object) => ({ kind: 'fixed', unit: 'call', ...more }) as unknown as PriceSnapshot;
    const known = { ...facts, resolution: '720p' };
    expect(videoUsage(price({ unit: 'second' }), known)).toEqual(usageOf({ pieces: 5, resolution: '720p' }));
    expect(videoUsage(price({}), known)).toEqual(usageOf({ pieces: 1, resolution: '720p' }));
    // 1280 × 720 × 24 × 5 / 1024.
    expect(videoUsage(price({ kind: 'ratio' }), known)).toEqual(usageOf({ output: 108_000 }));
    expect(videoUsage(price({ kind: 'ratio' }), { ...known, tokens: 1 })).toEqual(usageOf({ output: 1 }));
    expect(estimatedTokens({ seconds: 1, resolution: '' })).toBe(21_600);
    expect(estimatedTokens({ seconds: 1, resolution: '100p' })).toBe(417);
    expect(mostTokens({ ...facts, mostSeconds: 8 })).toBe(2 * 1_555_200);
    const snapshot = JSON.stringify({ price: price({ unit: 'second' }) });
    expect(video.usageOf?.(taskOf({ status: 'SUCCESS', snapshot }))).toEqual(
      usageOf({ pieces: 5, resolution: '1080p' }),
    );
    expect(video.usageOf?.(taskOf({ status: 'FAILURE', snapshot }))).toBeUndefined();
  });

  test('is an estimate while its report is doubted', () => {
    const doubted = taskOf({}, { isDoubtful: true });
    expect([video.isEstimated?.(doubted), video.doubtsOf?.(doubted)]).toEqual([true, [{ count: 'report' }]]);
    expect([video.isEstimated?.(taskOf()), video.doubtsOf?.(taskOf())]).toEqual([false, []]);
  });
});

describe('a report', () => {
  const now = 1_770_000_000_000;
  const minutes = (count: number) => now - count * 60_000;
  const change = (report: object, more: Partial<Task> = {}) =>
    video.changeIn(
      taskOf({ submit_ms: minutes(5), start_ms: 0, finish_ms: 0, ...more }),
      report as never,
      now,
    );

  test('sets the times of the row once, and its progress forward', () => {
    expect(change({ status: 'QUEUED' }, { status: 'SUBMITTED' })).toMatchObject({
      ends: false,
      change: { status: 'QUEUED', start_ms: 0, finish_ms: 0, progress: '37%', fail_reason: '' },
    });
    expect(change({ status: 'IN_PROGRESS', progress: 38.9 })).toMatchObject({
      change: { start_ms: now, finish_ms: 0, progress: '38%' },
    });
    expect(change({ status: 'IN_PROGRESS', progress: 10 }, { start_ms: 7 })).toMatchObject({
      change: { start_ms: 7, progress: '37%' },
    });
    expect(change({ status: 'IN_PROGRESS', progress: 100 }).change.progress).toBe('99%');
    expect(change({ status: 'IN_PROGRESS' }, { progress: '' }).change.progress).toBe('0%');
    expect(change({ status: 'SUCCESS', url: 'https://a.example/v.mp4' })).toMatchObject({
      ends: true,
      change: {
        status: 'SUCCESS',
        progress: '100%',
        start_ms: now,
        finish_ms: now,
        result_url: 'https://a.example/v.mp4',
      },
    });
    expect(
      change({ status: 'SUCCESS', url: 'x' }, { result_url: 'kept', submit_ms: now + 5 }).change,
    ).toMatchObject({
      result_url: 'kept',
      finish_ms: now + 5,
    });
  });

  test('of a failure says why, in words without an upstream', () => {
    const reason = (failReason?: string) => change({ status: 'FAILURE', failReason }).change.fail_reason;
    expect([reason('Too dark'), reason('ask https://a.example'), reason('')]).toEqual([
      'Too dark',
      'ask ***',
      factText('videoFailed'),
    ]);
    expect(change({ status: 'SUCCESS', failReason: 'x' }).change.fail_reason).toBe('');
  });

  test('that the task is not known is believed after a quarter of an hour', () => {
    const lost = (submit_ms: number) =>
      change({ status: 'IN_PROGRESS', isLost: true }, { submit_ms, status: 'QUEUED' });
    expect(lost(minutes(15))).toMatchObject({ ends: false, change: { status: 'QUEUED' } });
    expect(lost(minutes(15) - 1)).toMatchObject({ ends: true, change: { status: 'FAILURE' } });
  });

  test('has a file of at most 2,000 characters, and a picture that replaces the known one', () => {
    const known = (report: object) =>
      factsOf({ properties: change({ status: 'IN_PROGRESS', ...report }).change.properties ?? '' });
    expect(known({ file: 'f'.repeat(2001) }).file).toHaveLength(2000);
    expect(known({ imageUrl: 'https://a.example/2.png' }).imageUrl).toBe('https://a.example/2.png');
    expect(known({ imageUrl: 'x' }).imageUrl).toBe('https://a.example/cover.png');
    const most = mostTokens(facts);
    expect([
      known({ tokens: most }).tokens,
      known({ tokens: most + 1 }).tokens,
      known({ tokens: 1.5 }).tokens,
    ]).toEqual([most, 0, 0]);
    expect([known({ resolution: '100p' }).resolution, known({ resolution: '4320p' }).resolution]).toEqual([
      '100p',
      '4320p',
    ]);
    for (const seconds of [0.4, -1, Number.NaN]) expect(known({ seconds }).seconds).toBe(5);
    expect([known({ seconds: 0.5 }).seconds, known({ seconds: 8.4 }).seconds]).toEqual([1, 8]);
  });
});
