import { describe, expect, test } from 'bun:test';
import { TASK_STATUSES, type TaskView } from '#contract/relay/tasks.ts';
import { actionOf, againOf, durationOf, platformOf, statusOf, taskRange } from './state.ts';

const task = (change: Partial<TaskView>) => change as TaskView;

describe('a task', () => {
  test('REL-9.18 the range starts at midnight of today', () => {
    const noon = new Date(2027, 0, 15, 12).getTime() / 1000;
    expect(taskRange({}, noon)).toEqual({ from: noon - 12 * 3600, to: noon + 3600 });
    expect(taskRange({ from: 5, to: 9 }, noon)).toEqual({ from: 5, to: 9 });
    expect(taskRange({ range: 'week' }, noon).from).toBe(noon - 7 * 86_400);
  });

  test('REL-4.47 REL-4.48 REL-4.49 REL-4.50 REL-4.51 REL-4.52 REL-4.53 every status has its name', () => {
    expect(TASK_STATUSES.map((status) => statusOf({ status }).name)).toEqual([...TASK_STATUSES]);
    expect(statusOf({ status: 'PAUSED' }).name).toBe('UNKNOWN');
  });

  test('REL-4.54 a blank status is shown as submitting', () => {
    expect(statusOf({ status: '' }).name).toBe('SUBMITTING');
  });

  test('REL-4.71 REL-4.72 REL-4.73 music, lyrics and Suno have names, anything else is unknown', () => {
    expect(['MUSIC', 'LYRICS', 'VIDEO'].map((action) => actionOf({ action }))).toEqual([
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
