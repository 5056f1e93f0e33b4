// Reading submissions, and the body sent to the upstream, without a server.
import { describe, expect, test } from 'bun:test';
import { DRAWING_ACTIONS, drawingModel } from '#contract/relay/drawing.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { actionOfButton, submissionAt } from './actions.ts';
import { upstreamBody, withoutSpeeds } from './body.ts';
import { withSecret } from './caller.ts';
import { changeIn } from './report.ts';
import { splitPath } from './routes.ts';

describe('actions', () => {
  test('every action is a model with a built-in price', () => {
    const prices = DRAWING_ACTIONS.map((action) => builtInPrice(drawingModel(action))?.perCall);
    expect(prices.every((price) => price !== undefined)).toBe(true);
    expect([drawingModel('CUSTOM_ZOOM'), drawingModel('SWAP_FACE')]).toEqual(['mj_custom_zoom', 'swap_face']);
  });

  test.each([
    ['MJ::JOB::upsample::2::3dbbd469', 'UPSCALE'],
    ['MJ::JOB::upsample_v6_2x_subtle::1::x::SOLO', 'UPSCALE'],
    ['MJ::JOB::variation::4::x', 'VARIATION'],
    ['MJ::JOB::high_variation::1::x::SOLO', 'HIGH_VARIATION'],
    ['MJ::JOB::low_variation::1::x::SOLO', 'LOW_VARIATION'],
    ['MJ::JOB::reroll::0::x::SOLO', 'REROLL'],
    ['MJ::JOB::pan_up::1::x::SOLO', 'PAN'],
    ['MJ::Outpaint::75::1::x::SOLO', 'ZOOM'],
    ['MJ::CustomZoom::x', 'CUSTOM_ZOOM'],
    ['MJ::Inpaint::1::x::SOLO', 'INPAINT'],
    ['MJ::Job::PicReader::1', 'IMAGINE'],
    ['MJ::Job::PromptAnalyzer::3', 'IMAGINE'],
  ] as const)('the button %s is %s', (customId, action) => {
    expect(actionOfButton(customId)).toBe(action);
  });

  test('an unknown button and a name of the prototype are refused', () => {
    expect(() => actionOfButton('MJ::BOOKMARK::x')).toThrow(RelayError);
    expect(submissionAt('constructor')).toBeUndefined();
    expect(submissionAt('submit/imagine')).toBeDefined();
  });
});

describe('the body sent to the upstream', () => {
  const settings = { MjAccountFilterEnabled: false, MjModeClearEnabled: false };

  test('it never contains the caller’s callback URL', () => {
    const body = { prompt: 'x', notifyHook: 'https://caller.example', accountFilter: { modes: ['FAST'] } };
    expect(upstreamBody(body, { settings, speed: undefined, reportTo: undefined })).toEqual({ prompt: 'x' });
    expect(upstreamBody(body, { settings, speed: undefined, reportTo: 'https://ours' })).toEqual({
      prompt: 'x',
      notifyHook: 'https://ours',
    });
  });

  test('a speed of the path wins over one in the filter and keeps the rest of it', () => {
    const on = { ...settings, MjAccountFilterEnabled: true };
    const body = { accountFilter: { modes: ['FAST'], remark: 'mine' } };
    expect(upstreamBody(body, { settings: on, speed: 'relax', reportTo: undefined })).toEqual({
      accountFilter: { modes: ['RELAX'], remark: 'mine' },
    });
  });

  test('only whole flags of speed are taken out of a prompt', () => {
    expect(withoutSpeeds('--fast a gate --turbo, --relax --fastest x--fast')).toBe(
      'a gate --turbo, --fastest x--fast',
    );
  });
});

describe('requests and reports', () => {
  test.each([
    ['/mj/submit/imagine', undefined, 'submit/imagine'],
    ['/mj-fast/submit/imagine', 'fast', 'submit/imagine'],
    ['/mj-turbo/mj/submit/imagine/', 'turbo', 'submit/imagine'],
    ['/relax/mj/task/1/fetch', 'relax', 'task/1/fetch'],
    ['/mj/mj/image/1', undefined, 'mj/image/1'],
  ] as const)('%s', (path, speed, subPath) => {
    expect(splitPath(path)).toEqual({ speed, subPath });
  });

  test('the header mj-api-secret is the key if no other header has one', () => {
    const shown = (headers: Record<string, string>) =>
      withSecret(new Request('http://here/mj', { headers })).headers.get('authorization');
    expect(shown({ 'mj-api-secret': 'sk-a' })).toBe('sk-a');
    expect(shown({ 'mj-api-secret': 'sk-a', authorization: 'midjourney-proxy' })).toBe('sk-a');
    expect(shown({ 'mj-api-secret': 'sk-a', authorization: 'Bearer sk-b' })).toBe('Bearer sk-b');
    expect(shown({ authorization: 'Bearer sk-b' })).toBe('Bearer sk-b');
  });

  test('invalid fields of a report are ignored', () => {
    const now = 1_800_000_000_000;
    const task = { status: 'SUBMITTED', progress: '10%', submit_ms: now - 5000, properties: '' } as Task;
    const strange = changeIn(
      { ...task, prompt: '', prompt_en: '', result_url: '', start_ms: 0 },
      {
        status: 'DANCING',
        progress: 'NaN%',
        imageUrl: 'javascript:alert(1)',
        finishTime: -1,
        failReason: 7,
        buttons: 'x'.repeat(60_000),
      },
      now,
    );
    expect(strange.ends).toBe(false);
    expect(strange.change).toMatchObject({
      status: 'SUBMITTED',
      progress: '10%',
      result_url: '',
      finish_ms: 0,
      fail_reason: '',
    });
    const cancelled = changeIn(task, { status: 'CANCEL', finishTime: now - 60_000 }, now);
    expect(cancelled.ends).toBe(true);
    // The finish time of an upstream with a slow clock is not before the submission.
    expect(cancelled.change).toMatchObject({ status: 'FAILURE', finish_ms: now - 5000 });
  });
});
