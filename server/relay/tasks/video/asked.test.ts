// What an upstream's answer to a question about a video says: a report, that it does not know the video, or nothing.
import { expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { video } from './video.ts';

/** The reports of these videos; `answers` by their id, a number is a status without words. */
async function asked(answers: Record<string, Response | number | Error>, type: number = CHANNEL_TYPE.sora) {
  const warned: unknown[] = [];
  let questions = 0;
  const core = {
    egress: {
      fetch: async (_: string, url: string) => {
        questions += 1;
        const answer = answers[/[^/=]+$/.exec(url)?.[0] ?? ''] ?? 404;
        if (answer instanceof Error) throw answer;
        return typeof answer === 'number' ? new Response('', { status: answer }) : answer;
      },
    },
    log: { warn: (_: string, values: { videos: number }) => void warned.push(values.videos) },
  } as unknown as Core;
  const channel = {
    id: 31,
    type,
    headers: {},
    setting: { proxy: '' },
    statusMapping: new Map(),
    provider: { url: (_: Channel, { path }: { path: string }) => `https://up.example${path}` },
  } as unknown as Channel;
  const ids = Object.keys(answers);
  const reports = await video.reportsOf(core, channel, ids, new AbortController().signal);
  const found = ids.map((id) => {
    const { status, isLost = false } = (reports?.get(id) ?? {}) as { status?: string; isLost?: boolean };
    return status === undefined ? undefined : [status, isLost];
  });
  return { found, warned, questions };
}

const moderated = () => Response.json({ status: 'failed', error: { message: 'no' } }, { status: 400 });
const queued = () => Response.json({ status: 'queued' });

test('only an upstream that does not know a video has lost it; one that cannot answer says nothing', async () => {
  const { found, warned } = await asked({
    runs: queued(),
    unknown: 404,
    broken: 500,
    limited: 429,
    refused: 401,
    moderated: moderated(),
    odd: Response.json({ status: 'queued' }, { status: 503 }),
  });
  expect(found).toEqual([
    ['QUEUED', false],
    ['IN_PROGRESS', true],
    undefined,
    undefined,
    undefined,
    ['FAILURE', false],
    undefined,
  ]);
  expect(warned).toEqual([4]);
});

test('a channel that answers no question is not asked about all of its videos', async () => {
  const away = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`v${index}`, 500]));
  const { found, questions } = await asked(away);
  expect(found.every((report) => report === undefined)).toBe(true);
  expect(questions).toBeLessThan(40);
  const one = await asked({ ...away, good: queued() });
  expect(one.questions).toBeLessThanOrEqual(41);
});

test('a video that was made, and that nobody can be shown, failed', async () => {
  const made = (url: string) => Response.json({ state: 'success', creations: [{ url }] });
  const { found } = await asked({ creations: made('javascript:alert(1)') }, CHANNEL_TYPE.vidu);
  expect(found).toEqual([['FAILURE', false]]);
  expect((await asked({ creations: made('https://x/v.mp4') }, CHANNEL_TYPE.vidu)).found).toEqual([
    ['SUCCESS', false],
  ]);
});
