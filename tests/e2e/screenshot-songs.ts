// Songs, lyrics and videos of every state for the screenshots, with files to look at and to hear.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { answerFile, pngFile, wavFile, type ServedFile } from '#mock/media-files.ts';

interface Made {
  action: 'MUSIC' | 'LYRICS';
  status: string;
  progress: string;
  prompt: string;
  fail_reason?: string;
  data?: unknown;
}

/**
 * An upstream with files in front of the other: a private address is asked for the files of its own channel only. It ends with the
 * process.
 */
export function startFiles(upstream: string, fileOf: (number: number, name: string) => ServedFile): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!/\.(?:wav|png|mp4)$/.test(pathname)) return fetch(upstream + pathname + search, request);
      return answerFile(request, fileOf(Number(/\d+/.exec(pathname)?.[0] ?? 0), pathname));
    },
  });
  server.unref();
  return `http://127.0.0.1:${server.port}`;
}

function made(url: string): Made[] {
  const clip = (number: number, title: string, isVideo = false) => ({
    title,
    ...(isVideo ? {} : { audio_url: `${url}/${number}.wav` }),
    video_url: `${url}/${number}.mp4`,
    image_url: `${url}/${number}.png`,
    metadata: { tags: 'folk, fiddle', prompt: '[Verse]\nThe gate goes up', duration: 124 + number * 17 },
  });
  const lyrics =
    '[Verse]\nThe gate goes up, the carts roll through\nFive bars of wood and one for you\n\n[Chorus]\nPay the toll';
  return [
    { action: 'MUSIC', status: 'IN_PROGRESS', progress: '45%', prompt: 'a fiddle tune about a toll road' },
    { action: 'MUSIC', status: 'SUBMITTED', progress: '0%', prompt: 'slow waltz for a rainy morning' },
    {
      action: 'MUSIC',
      status: 'SUCCESS',
      progress: '100%',
      prompt: 'a folk song of gates',
      data: [clip(1, 'Five Bars'), clip(2, 'Five Bars (slow)')],
    },
    {
      action: 'MUSIC',
      status: 'FAILURE',
      progress: '20%',
      prompt: 'a song in the voice of a famous singer',
      fail_reason: 'The prompt names an artist, which is not allowed. Describe the style instead.',
    },
    {
      action: 'LYRICS',
      status: 'SUCCESS',
      progress: '100%',
      prompt: 'of gates',
      data: { title: 'Toll', text: lyrics },
    },
    {
      action: 'MUSIC',
      status: 'SUCCESS',
      progress: '100%',
      prompt: 'the same song as a film',
      data: [clip(3, 'The Keeper of the Gate', true)],
    },
    {
      action: 'MUSIC',
      status: 'SUCCESS',
      progress: '100%',
      prompt: 'a march',
      data: [clip(4, 'A very long title of a march that does not fit into one line of the tile')],
    },
  ];
}

const ASKED = { title: '', tags: '', size: '', seconds: 0, image_urls: [] };

/** The channels offer the models to the playground. */
export async function sing(application: TestApplication, owner: Actor, upstream: string): Promise<void> {
  const groups = ['default', 'vip'];
  await addChannel(application.store, {
    name: 'pictures',
    base_url: upstream,
    models: ['gpt-image-1'],
    groups,
  });
  const song = wavFile(30);
  const files = startFiles(upstream, (number, name) => (name.endsWith('.png') ? pngFile(number, 480) : song));
  const band = await addChannel(application.store, {
    name: 'band',
    type: CHANNEL_TYPE.suno,
    base_url: files,
    models: ['suno_music', 'suno_lyrics'],
    groups,
  });
  const now = Date.now();
  for (const [index, { data, ...rest }] of made(files).entries()) {
    const isOver = rest.status === 'SUCCESS' || rest.status === 'FAILURE';
    const submit_ms = now - 95_000 * (index + 1);
    await application.store.db
      .insertInto('tasks')
      .values({
        ...rest,
        hold_id: crypto.randomUUID(),
        task_id: crypto.randomUUID(),
        money: isOver ? (rest.status === 'SUCCESS' ? 'settled' : 'released') : 'open',
        platform: 'suno',
        model: rest.action === 'MUSIC' ? 'suno_music' : 'suno_lyrics',
        user_id: owner.id,
        username: owner.username,
        channel_id: band,
        quota: rest.action === 'MUSIC' ? 50_000 : 5000,
        properties: JSON.stringify({ asked: { ...ASKED, prompt: rest.prompt }, data: data ?? null }),
        deadline_at: Math.floor(now / 1000) + 86_400,
        next_poll_at: Math.floor(now / 1000) + 86_400,
        submit_ms,
        finish_ms: isOver ? submit_ms + 74_000 : 0,
      })
      .execute();
  }
}
