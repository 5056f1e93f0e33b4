// What a report of a drawing changes in its row, each field for itself, and what a submission may say.
import { describe, expect, test } from 'bun:test';
import { factText } from '#contract/facts.ts';
import type { Settings } from '#contract/settings.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { submissionAt } from './actions.ts';
import { readReportAddress } from './addresses.ts';
import { upstreamBody, withoutSpeeds } from './body.ts';
import { midjourney } from './midjourney.ts';
import { changeIn, isReport, noProperties, propertiesOf, propertiesText } from './report.ts';

const now = 1_800_000_000_000;
const known = {
  description: 'known',
  state: 'state',
  buttons: [1],
  properties: { a: 1 },
  videoUrl: 'https://a.example/known.mp4',
  isForwarded: true,
};
const task = {
  status: 'SUBMITTED',
  progress: '10%',
  submit_ms: now - 5000,
  start_ms: 5,
  prompt: 'a gate',
  prompt_en: 'english',
  result_url: 'https://a.example/known.png',
  properties: propertiesText(known),
} as Task;

describe('a report', () => {
  test('replaces what it says, each field for itself', () => {
    const { change, ends } = changeIn(
      task,
      {
        id: '17',
        status: 'SUCCESS',
        progress: '55%',
        prompt: 'another',
        promptEn: 'more english',
        description: 'new',
        state: 'next',
        buttons: [2],
        properties: { b: 2 },
        imageUrl: 'https://a.example/new.png',
        videoUrl: 'https://a.example/new.mp4',
        startTime: now - 3000,
        finishTime: now - 1000,
        failReason: 'not used',
      },
      now,
    );
    expect(ends).toBe(true);
    expect({ ...change, properties: JSON.parse(String(change.properties)) as unknown }).toEqual({
      status: 'SUCCESS',
      progress: '100%',
      prompt: 'a gate',
      prompt_en: 'more english',
      result_url: 'https://a.example/new.png',
      fail_reason: '',
      start_ms: now - 3000,
      finish_ms: now - 1000,
      properties: {
        description: 'new',
        state: 'next',
        buttons: [2],
        properties: { b: 2 },
        videoUrl: 'https://a.example/new.mp4',
        isForwarded: true,
      },
    });
  });

  test('that says nothing leaves what is known', () => {
    const { change, ends } = changeIn({ ...task, prompt: '' }, { prompt: 'first said here' }, now);
    expect(ends).toBe(false);
    expect({ ...change, properties: JSON.parse(String(change.properties)) as unknown }).toEqual({
      status: 'SUBMITTED',
      progress: '10%',
      prompt: 'first said here',
      prompt_en: 'english',
      result_url: 'https://a.example/known.png',
      fail_reason: '',
      start_ms: 5,
      finish_ms: 0,
      properties: known,
    });
  });

  test('of a failure says why, and is over now where it has no time', () => {
    const failed = (failReason?: unknown) => changeIn(task, { status: 'FAILURE', failReason }, now);
    expect(failed('Too dark')).toMatchObject({
      ends: true,
      change: { status: 'FAILURE', fail_reason: 'Too dark', finish_ms: now, progress: '10%' },
    });
    expect(failed().change.fail_reason).toBe(factText('drawingFailed'));
    expect(changeIn(task, { status: 'CANCEL' }, now).change.status).toBe('FAILURE');
    expect(changeIn({ ...task, status: 'IN_PROGRESS' }, { status: 'SUBMITTED' }, now).change.status).toBe(
      'IN_PROGRESS',
    );
  });

  test('is an object with an id; a row without properties has those of no report', () => {
    expect([isReport({ id: '1' }), isReport({ id: 1 }), isReport({}), isReport('1'), isReport(null)]).toEqual(
      [true, false, false, false, false],
    );
    expect(propertiesOf({ properties: '' })).toEqual({
      description: '',
      state: '',
      buttons: [],
      properties: {},
      videoUrl: '',
      isForwarded: false,
    });
    expect(propertiesOf({ properties: '{"state":"x"}' })).toEqual({ ...noProperties, state: 'x' });
  });

  test('is shown as one picture with its video, if there is any', () => {
    const parts = (result_url: string, videoUrl: string) =>
      midjourney.partsOf?.({ ...task, result_url, properties: propertiesText({ videoUrl }) });
    const none = { title: '', text: '', tags: '', audio_url: '', duration: 0 };
    expect(parts('', '')).toEqual([]);
    expect(parts('a', '')).toEqual([{ ...none, image_url: 'a', video_url: '' }]);
    expect(parts('', 'b')).toEqual([{ ...none, image_url: '', video_url: 'b' }]);
  });
});

test('the address of a report has the task and 32 digits of proof', () => {
  const proof = '0123456789abcdef'.repeat(2);
  expect(readReportAddress(`12.${proof}`)).toEqual({ id: 12, proof });
  expect(readReportAddress(`${'1'.repeat(15)}.${proof}`)?.id).toBe(111_111_111_111_111);
  for (const text of [
    `${'1'.repeat(16)}.${proof}`,
    `x12.${proof}`,
    `12.${proof}0`,
    `12.${proof.slice(1)}`,
    `12.${proof.toUpperCase()}`,
    proof,
  ])
    expect(readReportAddress(text)).toBeUndefined();
});

describe('a submission', () => {
  const read = (path: string, body: object) => {
    try {
      return submissionAt(path)?.(body as Record<string, unknown>);
    } catch (error) {
      return error instanceof RelayError ? error.options.param : error;
    }
  };

  test('without an original needs what is drawn', () => {
    for (const [path, action] of [
      ['submit/imagine', 'IMAGINE'],
      ['submit/shorten', 'SHORTEN'],
    ] as const) {
      expect(read(path, { prompt: 'x' })).toEqual({ action, origin: undefined });
      for (const prompt of [' ', 7, undefined]) expect(read(path, { prompt })).toBe('prompt');
    }
    for (const body of [{ base64: 'x' }, { link: 'x' }])
      expect(read('submit/describe', body)).toEqual({ action: 'DESCRIBE', origin: undefined });
    expect(read('submit/describe', { base64: ' ', link: '' })).toBe('base64');
    const list = (count: number) => ({ base64Array: Array.from({ length: count }, () => 'x') });
    expect(read('submit/blend', list(2))).toEqual({ action: 'BLEND', origin: undefined });
    expect(read('submit/upload-discord-images', list(1))).toEqual({ action: 'UPLOAD', origin: undefined });
    expect([read('submit/blend', list(1)), read('submit/upload-discord-images', list(0))]).toEqual([
      'base64Array',
      'base64Array',
    ]);
    for (const base64Array of ['xx', ['x', ' '], ['x', 7]])
      expect(read('submit/blend', { base64Array })).toBe('base64Array');
    const faces = { sourceBase64: 'x', targetBase64: 'y' };
    expect(read('insight-face/swap', faces)).toEqual({ action: 'SWAP_FACE', origin: undefined });
    expect(read('insight-face/swap', { targetBase64: 'y' })).toBe('sourceBase64');
    expect(read('insight-face/swap', { sourceBase64: 'x' })).toBe('targetBase64');
  });

  test('of another drawing names it, and what becomes of it', () => {
    const taskId = 'a_b-1';
    for (const action of ['UPSCALE', 'VARIATION'] as const) {
      for (const index of [1, 4])
        expect(read('submit/change', { action, index, taskId })).toEqual({ action, origin: taskId });
      for (const index of [0, 5, '1', undefined])
        expect(read('submit/change', { action, index, taskId })).toBe('index');
    }
    expect(read('submit/change', { action: 'reroll', taskId: 17 })).toEqual({
      action: 'REROLL',
      origin: '17',
    });
    expect(read('submit/change', { action: 'SHRINK', taskId })).toBe('action');
    for (const id of ['x'.repeat(129), '', 'a b', ' a', 2 ** 53, 1.5, null])
      expect(read('submit/change', { action: 'REROLL', taskId: id })).toBe('taskId');
    expect(read('submit/change', { action: 'REROLL', taskId: 'x'.repeat(128) })).toMatchObject({
      origin: 'x'.repeat(128),
    });
    for (const [content, action] of [
      ['17 U1', 'UPSCALE'],
      [' 17  u4 ', 'UPSCALE'],
      ['17 V2', 'VARIATION'],
      ['17 r', 'REROLL'],
    ])
      expect(read('submit/simple-change', { content })).toEqual({ action, origin: '17' } as never);
    for (const content of ['17 U5', '17 U0', '17 R1', '17', 'a?b R', '17 U1 x', ''])
      expect(read('submit/simple-change', { content })).toBe('content');
    const customId = 'MJ::JOB::upsample::2::x';
    expect(read('submit/action', { customId, taskId })).toEqual({ action: 'UPSCALE', origin: taskId });
    for (const wrong of [
      'MJ::xcustomzoom::x',
      'MJ::customzoomx::x',
      'MJ::xpan_up::x',
      'MJ::xinpaint',
      'upsample',
    ])
      expect(read('submit/action', { customId: wrong, taskId })).toBe('customId');
    expect(read('submit/action', { customId: 'MJ::upsample', taskId })).toMatchObject({ action: 'UPSCALE' });
    expect(read('submit/modal', { taskId })).toEqual({
      action: 'MODAL',
      origin: taskId,
      isConfirmation: true,
    });
  });
});

describe('the body for the upstream', () => {
  const body = (
    fields: object,
    settings: Partial<Settings> = {},
    more: Partial<Parameters<typeof upstreamBody>[1]> = {},
  ) =>
    upstreamBody(fields as Record<string, unknown>, {
      settings: { MjAccountFilterEnabled: true, MjModeClearEnabled: false, ...settings },
      speed: undefined,
      reportTo: undefined,
      ...more,
    });

  test('has the speed of the path, then of the caller, then of the token', () => {
    const modes = (speed: string) => ({ accountFilter: { modes: [speed] } });
    expect(body({ prompt: 'x' })).toEqual({ prompt: 'x' });
    expect(body({}, {}, { usualSpeed: 'relax' })).toEqual(modes('RELAX'));
    expect(body({ prompt: 'x' }, {}, { speed: 'turbo', usualSpeed: 'relax' })).toEqual({
      prompt: 'x',
      ...modes('TURBO'),
    });
    expect(body({ prompt: 'x --fast' }, {}, { usualSpeed: 'relax' })).toEqual({ prompt: 'x --fast' });
    expect(body(modes('FAST'), {}, { usualSpeed: 'relax' })).toEqual(modes('FAST'));
    const empty = { accountFilter: { modes: [], remark: 'mine' } };
    expect(body(empty, {}, { usualSpeed: 'relax' })).toEqual({
      accountFilter: { modes: ['RELAX'], remark: 'mine' },
    });
    expect(body({ accountFilter: ['x'] }, {}, { speed: 'fast' })).toEqual(modes('FAST'));
    expect(body(modes('FAST'), { MjAccountFilterEnabled: false }, { usualSpeed: 'relax' })).toEqual(
      modes('RELAX'),
    );
  });

  test('has no words for a speed where the operator takes them out', () => {
    expect(body({ prompt: 'a --fast gate' }, { MjModeClearEnabled: true })).toEqual({ prompt: 'a gate' });
    expect(body({ prompt: 7 }, { MjModeClearEnabled: true })).toEqual({ prompt: 7 });
    expect(withoutSpeeds('  a   gate --RELAX ')).toBe('a gate');
  });
});
