// Videos and a batch of every state for the screenshots, the models that make them, and the log row of a video.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { pngFile } from '#mock/media-files.ts';
import { startFiles } from './screenshot-songs.ts';
import { callDetails, writeLogs } from './logs-support.ts';

type Made = Pick<NewRow<'tasks'>, 'platform' | 'action' | 'model' | 'status' | 'progress' | 'prompt'> &
  Partial<NewRow<'tasks'>>;

function made(url: string): Made[] {
  const film = { platform: 'video', action: 'TEXT_TO_VIDEO', model: 'sora-2' };
  const facts = { seconds: 8, resolution: '720p', size: '1280x720' };
  const input = { requests: 1200, path: '/v1/chat/completions', model: 'gpt-4o-mini' };
  const request_counts = { total: 1200, completed: 640, failed: 3 };
  return [
    {
      ...film,
      status: 'IN_PROGRESS',
      progress: '62%',
      prompt: 'a toll gate in morning mist, the camera rises slowly above the road',
      properties: JSON.stringify(facts),
    },
    {
      ...film,
      status: 'SUCCESS',
      progress: '100%',
      prompt: 'a lantern-lit gate at night, rain, slow pan to the left',
      result_url: `${url}/film.mp4`,
      quota: 400_000,
      properties: JSON.stringify({ ...facts, imageUrl: `${url}/7.png` }),
    },
    {
      ...film,
      action: 'IMAGE_TO_VIDEO',
      model: 'sora-2-pro',
      status: 'FAILURE',
      progress: '0%',
      prompt: 'a famous singer opens the gate',
      fail_reason: 'The picture shows a real person, which the moderation does not allow.',
      properties: JSON.stringify(facts),
    },
    {
      platform: 'openai-batch',
      action: 'BATCH',
      model: 'gpt-4o-mini',
      status: 'IN_PROGRESS',
      progress: '53%',
      prompt: 'questions.jsonl (1200 × /v1/chat/completions)',
      properties: JSON.stringify({ upstream: 'b', batch: { status: 'in_progress', request_counts }, input }),
    },
  ];
}

const VIDEO_CALL = {
  type: 2,
  token_name: 'prod-web',
  model_name: 'sora-2-pro',
  channel_id: 1,
  channel_name: 'films',
  group: 'default',
  quota: 2_000_000,
  use_time: 96,
  request_id: 'req_video',
  other: callDetails({
    model_ratio: 0,
    frt: undefined,
    model_price: 0.3,
    group_ratio: 1,
    price_unit: 'second',
    pieces: 8,
    resolution: '1024p',
    resolution_price: 0.5,
    path: '/v1/videos',
    task_id: 'video_0a4f61c2b7d94e08a1c35f7e9d204b66',
    action: 'TEXT_TO_VIDEO',
    usage: {},
    admin_info: { use_channel: ['1'], attempts: [{ channel: 1, status: 200, milliseconds: 640 }] },
  }),
};

export async function film(application: TestApplication, owner: Actor, upstream: string): Promise<void> {
  const files = startFiles(upstream, (number) => pngFile(number, 480));
  const films = await addChannel(application.store, {
    name: 'films',
    type: CHANNEL_TYPE.sora,
    base_url: files,
    models: ['sora-2', 'sora-2-pro'],
    groups: ['default', 'vip'],
  });
  const now = Date.now();
  for (const [index, task] of made(files).entries()) {
    const isOver = task.status === 'SUCCESS' || task.status === 'FAILURE';
    const submit_ms = now - 60_000 * (index + 1);
    await application.store.db
      .insertInto('tasks')
      .values({
        hold_id: crypto.randomUUID(),
        task_id: crypto.randomUUID(),
        money: isOver ? (task.status === 'SUCCESS' ? 'settled' : 'released') : 'open',
        user_id: owner.id,
        username: owner.username,
        channel_id: films,
        quota: 400_000,
        ...task,
        deadline_at: Math.floor(now / 1000) + 86_400,
        next_poll_at: Math.floor(now / 1000) + 86_400,
        submit_ms,
        finish_ms: isOver ? submit_ms + 48_000 : 0,
      })
      .execute();
  }
  await writeLogs(application, owner, [VIDEO_CALL]);
}
