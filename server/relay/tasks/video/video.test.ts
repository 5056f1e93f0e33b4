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
