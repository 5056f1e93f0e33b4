// The demo's upstreams, all on loopback: models in OpenAI's (Chat, Responses, embeddings, images), Anthropic's and Gemini's
// formats, a drawing proxy, a music proxy, and a payment page. They are the mocks of the tests with answers worth reading.
import { wavFile } from '#mock/media-files.ts';
import { behaviourKey } from '#mock/upstream/behaviours.ts';
import { startMockUpstream, type Behaviour } from '#mock/upstream/index.ts';
import { startMidjourney } from '#mock/upstream/midjourney/server.ts';
import { startSuno } from '#mock/upstream/suno/server.ts';
import { startEpayServer } from '#mock/payments/epay.ts';
import type { DemoChannel } from './users.ts';
import { landscape } from './pictures.ts';

const STEP_MS = 1000;
const DRAWS_AFTER_MS = 3000;
const ENDS_AFTER_MS = 9000;
const SONG_SECONDS = 20;
const SONG = wavFile(SONG_SECONDS);

export interface DemoProvider {
  /** Where a channel sends its calls, and its key. */
  connectionOf(channel: DemoChannel): { base_url: string; key: string };
  payment: { address: string; id: string; key: string };
  stop(): Promise<void>;
}

export function startProvider(): DemoProvider {
  const models = startMockUpstream({ keepRequests: 0 });
  models.behave({
    behaviour: ({ lastUserText, offersTools, path }) => answerOf(lastUserText, offersTools, path),
  });
  const drawings = startMidjourney({ draw: landscape });
  const songs = startSuno();
  const payments = startEpayServer();
  const timer = setInterval(() => {
    for (const { id, status, startTime } of drawings.submissions) {
      const age = Date.now() - startTime;
      if (status !== 'SUCCESS' && age > ENDS_AFTER_MS) void drawings.finish(id);
      else if (status === 'SUBMITTED' && age > DRAWS_AFTER_MS) void drawings.go(id, '45%');
    }
    for (const { task_id, status, submit_time } of songs.submissions) {
      if (status === 'SUCCESS' || Date.now() - submit_time * 1000 < ENDS_AFTER_MS) continue;
      for (const number of [1, 2]) {
        songs.files.set(`/${task_id}-${number}.mp3`, SONG);
        songs.files.set(`/${task_id}-${number}.png`, coverOf(`${task_id} ${number}`));
      }
      songs.finish(task_id);
    }
  }, STEP_MS);
  timer.unref();
  const places = {
    models: { base_url: models.url, key: 'sk-demo' },
    drawings: { base_url: drawings.url, key: drawings.secret },
    songs: { base_url: songs.url, key: songs.key },
  };
  return {
    connectionOf({ at, hasBadKey }) {
      const { base_url, key } = places[at];
      return { base_url, key: hasBadKey ? behaviourKey(key, '401') : key };
    },
    payment: { address: payments.url, id: payments.pid, key: payments.key },
    async stop() {
      clearInterval(timer);
      payments.close();
      await Promise.all([models.stop(), drawings.stop(), songs.stop()]);
    },
  };
}

const coverOf = (text: string) => ({ bytes: landscape(text, 480), type: 'image/png' });

const LEAP_YEAR = [
  'A year is a leap year when it can be divided by 4, except centuries that cannot be divided by 400.',
  '',
  '```python',
  'def is_leap(year: int) -> bool:',
  '    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)',
  '```',
  '',
  '| year | leap |',
  '|---|---|',
  '| 1900 | no |',
  '| 2000 | yes |',
].join('\n');

const CHINESE = /[\u4e00-\u9fff]/;

function answerOf(prompt: string, offersTools: boolean, path: string): Behaviour {
  const pace = { firstTokenDelayMilliseconds: 180 + (prompt.length % 7) * 60, chunkDelayMilliseconds: 14 };
  if (path.includes('/images/')) return { ...pace, image: Buffer.from(landscape(prompt)).toString('base64') };
  // Without a text the mock calls one of the offered tools.
  return offersTools ? pace : { ...pace, text: textFor(prompt) };
}

function textFor(prompt: string): string {
  if (/leap|闰年/i.test(prompt)) return LEAP_YEAR;
  const asked = prompt.replaceAll(/\s+/g, ' ').trim();
  const quote = asked.length > 120 ? `${asked.slice(0, 120)}…` : asked;
  if (CHINESE.test(prompt))
    return [
      '这是演示环境自带的模拟上游的回答，没有调用真实的模型。',
      '',
      `你的问题是：**${quote}**`,
      '',
      '- 这次调用走的是真实的流程：选渠道、预扣、流式转发、结算。',
      '- 打开“日志”可以看到它的费用算式，打开“渠道”可以看到是哪个渠道回答的。',
    ].join('\n');
  return [
    'This answer comes from the mock provider of the demo; no real model was called.',
    '',
    `You asked: **${quote}**`,
    '',
    '- The call itself is real: a channel was chosen, money was held, the answer was streamed, the charge was settled.',
    '- The log shows its charge as an equation, and the channels page shows who answered.',
  ].join('\n');
}
