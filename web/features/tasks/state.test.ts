import { describe, expect, test } from 'bun:test';
import { DRAWING_STATUSES, SUBMIT_CODE, type DrawingView } from '#contract/relay/drawing.ts';
import { TASK_STATUSES, type TaskView } from '#contract/relay/tasks.ts';
import {
  actionOf,
  againOf,
  codeName,
  drawingRow,
  durationOf,
  platformOf,
  statusOf,
  taskRange,
} from './state.ts';

const task = (change: Partial<TaskView>) => change as TaskView;

describe('a task', () => {
  test('REL-9.18 the range starts at midnight of today', () => {
    const noon = new Date(2027, 0, 15, 12).getTime() / 1000;
    expect(taskRange({}, 'tasks', noon)).toEqual({ from: noon - 12 * 3600, to: noon + 3600 });
    expect(taskRange({ from: 5, to: 9 }, 'tasks', noon)).toEqual({ from: 5, to: 9 });
    expect(taskRange({ range: 'week' }, 'tasks', noon).from).toBe(noon - 7 * 86_400);
  });

  test('REL-4.47 REL-4.48 REL-4.49 REL-4.50 REL-4.51 REL-4.52 REL-4.53 every status has its name', () => {
    expect(TASK_STATUSES.map((status) => statusOf({ platform: 'suno', status }).name)).toEqual([
      ...TASK_STATUSES,
    ]);
    expect(statusOf({ platform: 'suno', status: 'PAUSED' }).name).toBe('UNKNOWN');
  });

  test('REL-4.54 a blank status is shown as submitting', () => {
    expect(statusOf({ platform: 'suno', status: '' }).name).toBe('SUBMITTING');
  });

  test('REL-4.71 REL-4.72 REL-4.73 music, lyrics and Suno have names, anything else is unknown', () => {
    expect(['MUSIC', 'LYRICS', 'VIDEO'].map((action) => actionOf({ platform: 'suno', action }))).toEqual([
      'MUSIC',
      'LYRICS',
      'UNKNOWN',
    ]);
    expect([platformOf({ platform: 'suno' }), platformOf({ platform: 'x' })]).toEqual(['suno', 'UNKNOWN']);
  });

  test('it takes no time while it runs', () => {
    expect(durationOf(task({ submit_time: 10, finish_time: 70 }))).toBe(60);
    expect(durationOf(task({ submit_time: 10, finish_time: 0 }))).toBeUndefined();
  });

  test('run again takes the whole request into the playground, and is not offered where that is impossible', () => {
    const blank = { title: '', tags: '', size: '', seconds: 0 };
    const song = { ...blank, prompt: 'gates', title: 'Five Bars', tags: 'folk', image_urls: [] };
    expect(againOf(task({ platform: 'suno', model: 'suno_music', asked: song }))).toEqual({
      ...blank,
      kind: 'music',
      model: 'suno_music',
      prompt: 'gates',
      title: 'Five Bars',
      tags: 'folk',
      pictureUrls: '',
    });
    const image_urls = ['https://a.example/1', 'https://a.example/2'];
    const film = { ...blank, prompt: 'a gate', size: '1920x1080', seconds: 8, image_urls };
    expect(againOf(task({ platform: 'video', model: 'sora-2', asked: film }))).toMatchObject({
      kind: 'video',
      size: '1920x1080',
      seconds: 8,
      pictureUrls: 'https://a.example/1 https://a.example/2',
    });
    expect(againOf(task({ platform: 'openai-batch', asked: null }))).toBeUndefined();
  });
});

const drawing = (change: Partial<DrawingView>) => drawingRow(change as DrawingView);

describe('a drawing', () => {
  test('REL-9.17 the range is the past 30 days up to one hour ahead', () => {
    const now = 1_800_000_000;
    expect(taskRange({}, 'drawing', now)).toEqual({ from: now - 30 * 86_400, to: now + 3600 });
    expect(taskRange({ from: 5, to: 9 }, 'drawing', now)).toEqual({ from: 5, to: 9 });
  });

  test('its milliseconds become seconds without an error, and it takes no time while it runs', () => {
    const submit_time = 1_800_000_000_123;
    expect(durationOf(drawing({ submit_time, finish_time: submit_time + 60_000 }))).toBe(60);
    expect(durationOf(drawing({ submit_time, finish_time: submit_time + 60_001 }))).toBe(60.001);
    expect(durationOf(drawing({ submit_time, finish_time: 0 }))).toBeUndefined();
  });

  test('every state has its icon, and an unknown one is not taken for another', () => {
    const kinds = DRAWING_STATUSES.map((status) => statusOf(drawing({ status })).kind);
    expect(new Set(kinds).size).toBe(DRAWING_STATUSES.length);
    expect(['PAUSED', 'QUEUED', ''].map((status) => statusOf(drawing({ status })).name)).toEqual([
      'UNKNOWN',
      'UNKNOWN',
      'UNKNOWN',
    ]);
  });

  test('codes of a submission have names, others are refusals', () => {
    expect(Object.values(SUBMIT_CODE).map(codeName)).toEqual(['none', 'submitted', 'waiting', 'duplicate']);
    expect(codeName(24)).toBe('refused');
  });
});
