import { expect, test } from 'bun:test';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { EgressError } from '#server/platform/egress/index.ts';
import { openContent } from './content.ts';
import { factsOf, factsText } from './facts.ts';

const task = {
  status: 'SUCCESS',
  result_url: 'https://api.example/a.mp4',
  properties: factsText(factsOf({ properties: '' })),
} as Task;

test('only what an upstream does is told as its failure; a fault of our own is not', async () => {
  const read = (error: Error): Promise<unknown> => {
    const core = {
      catalog: { current: { channel: () => undefined } },
      log: { warn: () => undefined },
      egress: { target: () => Promise.reject(error) },
    } as unknown as Core;
    return openContent(core, task, { variant: 'video', range: undefined }).catch((thrown: unknown) => thrown);
  };
  const own = new TypeError('a fault of our own');
  expect(await read(own)).toBe(own);
  expect(await read(new EgressError('unresolved', 'no address'))).toMatchObject({ code: 'upstream_failed' });
});
