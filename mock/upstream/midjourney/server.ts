// A mock Midjourney proxy: accepts submissions, draws on command, sends callbacks, serves images, and keeps books of what it
// drew.
import type { Server } from 'bun';

export interface DrawnTask {
  id: string;
  path: string;
  secret: string;
  body: Record<string, unknown>;
  status: string;
  progress: string;
  imageUrl: string;
  failReason: string;
  startTime: number;
  finishTime: number;
  buttons: unknown[];
}

/** The answer to the next submission instead of accepting it. */
export interface PlannedAnswer {
  status?: number;
  body?: Record<string, unknown>;
  /** The task is created, but the answer is late. */
  delayMilliseconds?: number;
  /** The answer to an accepted submission. */
  code?: number;
}

export interface MidjourneyServer {
  url: string;
  /** The accepted key. */
  secret: string;
  tasks: Map<string, DrawnTask>;
  /** Accepted submissions, in order. */
  readonly submissions: readonly DrawnTask[];
  /** The ids of each list request. */
  readonly questions: readonly (readonly string[])[];
  plan(answer: PlannedAnswer): void;
  /** Draws; sends a callback when the submission has a URL for it. */
  finish(id: string): Promise<Response | undefined>;
  fail(id: string, reason: string): Promise<Response | undefined>;
  go(id: string, progress: string): Promise<Response | undefined>;
  /** While true, every answer is 503. */
  isDown: boolean;
  stop(): Promise<void>;
}

/** The smallest PNG there is. */
export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export interface MidjourneyOptions {
  /** The bytes of a drawing, by the path of its address; default: one pixel. */
  draw?: (path: string) => Uint8Array;
}

export function startMidjourney({ draw }: MidjourneyOptions = {}): MidjourneyServer {
  const tasks = new Map<string, DrawnTask>();
  const submissions: DrawnTask[] = [];
  const questions: string[][] = [];
  const planned: PlannedAnswer[] = [];
  const secret = 'mj-secret-of-tests';
  const state = { isDown: false };
  let count = 0;

  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/picture/')) return showPicture(pathname);
      if (state.isDown) return Response.json({ description: 'down' }, { status: 503 });
      if (request.headers.get('mj-api-secret') !== secret)
        return Response.json({ description: 'api secret is wrong' }, { status: 401 });
      if (request.method === 'GET') return read(pathname);
      const body = (await request.json()) as Record<string, unknown>;
      if (pathname === '/mj/task/list-by-condition') return list(body);
      if (!/^\/mj\/(submit|insight-face)\//.test(pathname)) return new Response(null, { status: 404 });
      return await submit(pathname, body);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;

  function showPicture(path: string): Response {
    if (path === '/picture/moved.png') return Response.redirect(`${url}/picture/there.png`, 302);
    if (path === '/picture/page.html')
      return new Response('<script>alert(1)</script>', { headers: { 'Content-Type': 'text/html' } });
    const bytes = draw === undefined ? picture : Buffer.from(draw(path));
    return new Response(bytes, { headers: { 'Content-Type': 'image/png' } });
  }

  function read(path: string): Response {
    const [, id = '', verb] = /^\/mj\/task\/([^/]+)\/(fetch|image-seed)$/.exec(path) ?? [];
    const task = tasks.get(id);
    if (task === undefined) return new Response(null, { status: 404 });
    return Response.json(
      verb === 'image-seed' ? { code: 1, description: 'ok', result: '1234567' } : viewOf(task),
    );
  }

  function list({ ids }: Record<string, unknown>): Response {
    const wanted = ids as string[];
    questions.push(wanted);
    return Response.json(wanted.flatMap((id) => tasks.get(id) ?? []).map(viewOf));
  }

  async function submit(path: string, body: Record<string, unknown>): Promise<Response> {
    const plan = planned.shift() ?? {};
    if (plan.body !== undefined || plan.status !== undefined) {
      return Response.json(plan.body ?? { description: 'refused' }, { status: plan.status ?? 200 });
    }
    if (path.endsWith('/upload-discord-images'))
      return Response.json({ code: 1, description: 'ok', result: [`${url}/picture/uploaded.png`] });
    count += 1;
    const confirmed = path.endsWith('/modal') ? String(body['taskId']) : undefined;
    const id = confirmed ?? `17000000000${String(count).padStart(5, '0')}`;
    const task: DrawnTask = {
      id,
      path,
      secret,
      body,
      status: 'SUBMITTED',
      progress: '0%',
      imageUrl: '',
      failReason: '',
      startTime: Date.now(),
      finishTime: 0,
      buttons: [],
    };
    tasks.set(id, task);
    submissions.push(task);
    if (plan.delayMilliseconds !== undefined) await Bun.sleep(plan.delayMilliseconds);
    return Response.json({
      code: plan.code ?? 1,
      description: 'Submit success',
      result: id,
      properties: { discordInstanceId: 'internal' },
    });
  }

  async function change(id: string, values: Partial<DrawnTask>): Promise<Response | undefined> {
    const task = tasks.get(id);
    if (task === undefined) throw new Error(`no drawing ${id}`);
    Object.assign(task, values);
    const hook = task.body['notifyHook'];
    if (typeof hook !== 'string') return undefined;
    return await fetch(hook, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(viewOf(task)),
    });
  }

  return {
    url,
    secret,
    tasks,
    submissions,
    questions,
    plan: (answer) => void planned.push(answer),
    finish: (id) =>
      change(id, {
        status: 'SUCCESS',
        progress: '100%',
        imageUrl: `${url}/picture/${id}.png`,
        finishTime: Date.now(),
        buttons: [{ customId: `MJ::JOB::upsample::1::${id}`, label: 'U1' }],
      }),
    fail: (id, reason) => change(id, { status: 'FAILURE', failReason: reason, finishTime: Date.now() }),
    go: (id, progress) =>
      change(id, { status: 'IN_PROGRESS', progress, imageUrl: `${url}/picture/${id}-preview.png` }),
    get isDown() {
      return state.isDown;
    },
    set isDown(value) {
      state.isDown = value;
    },
    stop: () => server.stop(true),
  };
}

/** In a proxy's format. */
function viewOf(task: DrawnTask): Record<string, unknown> {
  return {
    id: task.id,
    action: 'IMAGINE',
    prompt: task.body['prompt'] ?? '',
    promptEn: task.body['prompt'] ?? '',
    description: 'Submit success',
    state: task.body['state'] ?? '',
    submitTime: task.startTime,
    startTime: task.startTime,
    finishTime: task.finishTime,
    imageUrl: task.imageUrl,
    status: task.status,
    progress: task.progress,
    failReason: task.failReason,
    buttons: task.buttons,
    properties: { finalPrompt: task.body['prompt'] ?? '' },
  };
}
