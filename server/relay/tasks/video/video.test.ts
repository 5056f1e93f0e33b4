// What a report changes in the row of a video.
import { expect, test } from 'bun:test';
import type { Task } from '#server/relay/tasks/rows.ts';
import { factsOf, factsText } from './facts.ts';
import { video } from './video.ts';

const minute = 60_000;
const now = 1_770_000_000_000;

const taskOf = (change: Partial<Task> = {}) =>
  ({
    status: 'IN_PROGRESS',
    progress: '10%',
    submit_ms: now - 5 * minute,
    start_ms: now - 4 * minute,
    finish_ms: 0,
    result_url: '',
    properties: factsText({ ...factsOf({ properties: '' }), seconds: 5, resolution: '720p', mostSeconds: 8 }),
    ...change,
  }) as Task;

test('a video that its upstream does not know yet is not given up before a quarter of an hour (M21)', () => {
  const unknown = { status: 'IN_PROGRESS', isLost: true };
  expect(video.changeIn(taskOf(), unknown, now)).toMatchObject({
    ends: false,
    change: { status: 'IN_PROGRESS', fail_reason: '', finish_ms: 0 },
  });
  expect(video.changeIn(taskOf({ submit_ms: now - 16 * minute }), unknown, now)).toMatchObject({
    ends: true,
    change: { status: 'FAILURE', fail_reason: '{"fact":"videoLost"}', finish_ms: now },
  });
});

test('a report with possible numbers after one with impossible ones is no longer doubted (M21)', () => {
  const doubted = video.changeIn(taskOf(), { status: 'IN_PROGRESS', seconds: 900 }, now);
  expect(factsOf({ properties: doubted.change.properties ?? '' })).toMatchObject({
    isDoubtful: true,
    seconds: 5,
  });
  const task = taskOf({ properties: doubted.change.properties ?? '' });
  const made = video.changeIn(task, { status: 'SUCCESS', seconds: 6.04, resolution: '1080p' }, now);
  expect(factsOf({ properties: made.change.properties ?? '' })).toMatchObject({
    isDoubtful: false,
    seconds: 6,
    resolution: '1080p',
  });
});

test('numbers of a report that cannot be true are not used, and doubted each for itself', () => {
  const factsAfter = (report: object) => {
    const { change, doubt } = video.changeIn(
      taskOf(),
      { status: 'SUCCESS', url: 'https://x/v.mp4', ...report },
      now,
    );
    const { seconds, tokens, resolution, isDoubtful } = factsOf({ properties: change.properties ?? '' });
    return [seconds, tokens, resolution, isDoubtful, doubt !== undefined];
  };
  expect(factsAfter({ seconds: 8, tokens: 5000 })).toEqual([8, 5000, '720p', false, false]);
  expect(factsAfter({ seconds: 9 })).toEqual([5, 0, '720p', true, true]);
  expect(factsAfter({ seconds: 0 })).toEqual([5, 0, '720p', false, false]);
  expect(factsAfter({ tokens: 1e9 })).toEqual([5, 0, '720p', true, true]);
  expect(factsAfter({ tokens: -5 })).toEqual([5, 0, '720p', false, false]);
  for (const resolution of ['99p', '4321p', 'large', ''])
    expect(factsAfter({ resolution })).toEqual([5, 0, '720p', false, false]);
  expect(factsAfter({ resolution: '2160p' })).toEqual([5, 0, '2160p', false, false]);
});
