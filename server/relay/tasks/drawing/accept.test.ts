// What each answer of a Midjourney proxy to a submission becomes: the row, the hold, and what the caller is answered.
import { describe, expect, test } from 'bun:test';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Task, TaskChange } from '#server/relay/tasks/rows.ts';
import type { Running } from '#server/relay/tasks/submit.ts';
import { ACCEPTED, acceptSubmission, refusedBy } from './accept.ts';
import { midjourney } from './midjourney.ts';
import type { SubmitAnswer } from './upstream.ts';

test('the codes that accept a submission', () => {
  expect([...ACCEPTED]).toEqual([1, 21, 22]);
});

test.each([
  [23, 429, false],
  [30, 429, false],
  [3, 503, true],
  [24, 400, false],
  [4, 400, false],
])('a refusal with code %d is an error %d', (code, status, isAccountFault) => {
  expect(refusedBy({ code, description: 'Too dark', result: '', properties: {} })).toEqual({
    kind: 'http',
    status,
    rawStatus: 200,
    error: { message: 'Too dark' },
    retryAfterSeconds: 0,
    isAccountFault,
  });
});

function world(known: readonly Partial<Task>[] = []) {
  const steps: unknown[][] = [];
  const parts = {
    pollSeconds: 30,
    core: {
      ledger: { release: async (hold: string) => void steps.push(['release', hold]) },
      log: { warn: () => {} },
    },
    rows: {
      named: async (...asked: unknown[]) => {
        steps.push(['named', ...asked]);
        return known;
      },
      remove: async (id: number) => void steps.push(['remove', id]),
      change: async (id: number, { task_id, code, status, channel_id }: TaskChange) => {
        steps.push(['change', id, task_id, code, status, channel_id]);
        return true;
      },
      end: async (id: number, { status, channel_id }: TaskChange) => {
        steps.push(['end', id, status, channel_id]);
        return true;
      },
      // Its hold has ended.
      find: async () => ({ id: 5, money: 'released' }),
      noteMoney: async () => {},
    },
    changes: {
      apply: async (platform: unknown, task: Task, report: unknown) => {
        expect(platform).toBe(midjourney);
        steps.push(['apply', task.task_id, report]);
        return true;
      },
    },
  } as unknown as TaskParts;
  const accept = async (answer: Partial<SubmitAnswer>, action = 'IMAGINE') => {
    const task = { id: 5, hold_id: 'hold-1', snapshot: '{"price":{}}' };
    const incoming = { requestId: 'request-1', request: new Request('http://x/') } as unknown as Incoming;
    const record = { channelId: 31, attempts: [] };
    const running = { incoming, action, task, record, platform: midjourney, caller: { userId: 7 } };
    const given = { code: 1, description: '', result: '', properties: {}, ...answer };
    const response = await acceptSubmission(parts, running as unknown as Running, given);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { accept, steps };
}

const receipt = (result: unknown, code = 1, description = 'Submitted') => ({
  status: 200,
  body: { code, description, result, properties: {} },
});
const asked = ['named', 'midjourney', ['17'], { userId: 7 }];

describe('an accepted submission', () => {
  test.each([
    ['a text', 'a_b-1', 'a_b-1'],
    ['a number', 17, '17'],
    ['128 characters', 'x'.repeat(128), 'x'.repeat(128)],
  ])('is a task by its id: %s', async (_what, result, id) => {
    const { accept, steps } = world();
    expect(await accept({ result, description: 'In the queue', code: 22 })).toEqual(
      receipt(id, 1, 'In the queue'),
    );
    expect(steps).toEqual([['change', 5, id, 22, 'SUBMITTED', 31]]);
  });

  test.each([['x'.repeat(129)], [''], ['a b'], [' a'], [2 ** 53], [1.5], [null], [{}]])(
    'without an id that can be asked for fails, and is not sent again: %p',
    async (result) => {
      const { accept, steps } = world();
      const { status, body } = await accept({ result });
      expect([status >= 400, body['code'], body['result']]).toEqual([true, 4, '']);
      expect(steps[0]).toEqual(['end', 5, 'FAILURE', 31]);
      expect(steps.map(([step]) => step)).not.toContain('change');
    },
  );

  test('of an upload is finished at once, under the id of its hold; its addresses are the answer', async () => {
    const { accept, steps } = world();
    const urls = ['https://a.example/1.png'];
    expect(await accept({ result: urls, code: 1 }, 'UPLOAD')).toEqual(receipt(urls));
    expect(steps).toEqual([
      ['change', 5, 'hold-1', 1, 'SUBMITTED', 31],
      ['apply', 'hold-1', { status: 'SUCCESS' }],
    ]);
  });
});

describe('a drawing that is there already', () => {
  const properties = { status: 'SUCCESS', imageUrl: 'https://a.example/1.png' };

  test('is new to a caller who has not asked for it, and paid', async () => {
    const { accept, steps } = world();
    expect(await accept({ code: 21, result: '17', properties })).toEqual(receipt('17'));
    expect(steps).toEqual([asked, ['change', 5, '17', 21, 'SUBMITTED', 31], ['apply', '17', properties]]);
  });

  test('is the one that its caller pays for: the new hold goes, then the row', async () => {
    const { accept, steps } = world([{ status: 'FAILURE' }, { status: 'SUCCESS' }]);
    expect(await accept({ code: 21, result: '17', properties })).toEqual(receipt('17'));
    expect(steps).toEqual([asked, ['release', 'hold-1'], ['remove', 5]]);
  });

  test('is paid when every earlier request for it failed', async () => {
    const { accept, steps } = world([{ status: 'FAILURE' }, { status: 'FAILURE' }]);
    await accept({ code: 21, result: '17', properties });
    expect(steps.map(([step]) => step)).toEqual(['named', 'change', 'apply']);
  });

  test.each(['INPAINT', 'CUSTOM_ZOOM'])('opens the dialog of %s by its code', async (action) => {
    expect(await world().accept({ code: 21, result: '17' }, action)).toEqual(receipt('17', 21));
    expect(await world().accept({ code: 22, result: '17' }, action)).toEqual(receipt('17', 1));
  });

  test('is looked for only when the upstream says so', async () => {
    const { accept, steps } = world([{ status: 'SUCCESS' }]);
    await accept({ code: 22, result: '17' });
    expect(steps.map(([step]) => step)).toEqual(['change']);
  });
});
