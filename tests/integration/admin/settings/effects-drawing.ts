// Effects of the drawing options, observed at the upstream and by the caller.
import { ask, imagine } from '#tests/integration/relay/drawing/support.ts';
import { status, type Effects, type Stage } from './effects-stage.ts';

/** The upstream's request for a drawing with these fields. */
async function sent(stage: Stage, fields: object): Promise<Record<string, unknown>> {
  const { app, midjourney } = stage;
  const caller = await stage.key();
  const { body } = await ask(app.url, caller.key, '/mj/submit/imagine', { prompt: 'a gate', ...fields });
  return midjourney.tasks.get(String(body['result']))?.body ?? {};
}

async function pictureAddress(stage: Stage): Promise<string> {
  const { app, midjourney } = stage;
  const caller = await stage.key();
  const id = await imagine(app.url, caller.key);
  const result_url = `${midjourney.url}/picture/${id}.png`;
  await app.store.db.updateTable('tasks').set({ result_url }).where('task_id', '=', id).execute();
  const { body } = await ask(app.url, caller.key, `/mj/task/${id}/fetch`);
  return String(body['imageUrl']);
}

export const drawingEffects: Effects = {
  DrawingEnabled: {
    effect: 'The menu has the drawing page',
    text: 'false',
    observe: status('enable_drawing'),
    before: true,
    after: false,
  },
  MjNotifyEnabled: {
    effect: 'Upstreams report to us when a drawing changes, and callers who gave an address are notified',
    text: 'true',
    observe: async (stage) => {
      const { notifyHook } = await sent(stage, { notifyHook: 'https://caller.example/hook' });
      const isOurs = typeof notifyHook === 'string' && notifyHook.startsWith(`${stage.app.url}/mj/notify/`);
      return [await status('mj_notify_enabled')(stage), notifyHook === undefined ? 'none' : isOurs];
    },
    before: [false, 'none'],
    after: [true, true],
  },
  MjAccountFilterEnabled: {
    effect: 'The accountFilter parameter is passed on',
    text: 'true',
    observe: async (stage) => (await sent(stage, { accountFilter: { remark: 'mine' } }))['accountFilter'],
    before: undefined,
    after: { remark: 'mine' },
  },
  MjForwardUrlEnabled: {
    effect: "Images are shown from this site's address",
    text: 'false',
    observe: async (stage) => (await pictureAddress(stage)).startsWith(`${stage.app.url}/mj/image/`),
    before: true,
    after: false,
  },
  MjModeClearEnabled: {
    effect: 'Speed flags are taken out of prompts',
    text: 'true',
    observe: async (stage) =>
      (await sent(stage, { prompt: 'a --fast gate --ar 16:9 --turbo --relaxed' }))['prompt'],
    before: 'a --fast gate --ar 16:9 --turbo --relaxed',
    after: 'a gate --ar 16:9 --relaxed',
  },
  MjActionCheckSuccessEnabled: {
    effect: 'Follow-ups wait for a finished drawing',
    text: 'false',
    observe: async (stage) => {
      const { app } = stage;
      const caller = await stage.key();
      const taskId = await imagine(app.url, caller.key);
      const reply = await ask(app.url, caller.key, '/mj/submit/change', { taskId, action: 'REROLL' });
      return [reply.status, reply.body['type']];
    },
    before: [400, 'task_unfinished'],
    after: [200, undefined],
  },
};
