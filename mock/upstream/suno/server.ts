// A mock Suno proxy: accepts songs and lyrics, finishes them on command, and keeps books of what it made.
import type { Server } from 'bun';
import { unixSeconds } from '#contract/time.ts';
import { answerFile, type ServedFile } from '#mock/media-files.ts';

export interface MadeTask {
  task_id: string;
  action: 'MUSIC' | 'LYRICS';
  body: Record<string, unknown>;
  status: string;
  progress: string;
  fail_reason: string;
  submit_time: number;
  start_time: number;
  finish_time: number;
  data: unknown;
}

export interface SunoServer {
  url: string;
  /** The accepted key. */
  key: string;
  /** Accepted submissions, in order. */
  readonly submissions: readonly MadeTask[];
  /** The ids of each fetch. */
  readonly questions: readonly (readonly string[])[];
  /** Files of results, by path such as `/<id>-1.mp3`; without the key, as real ones. */
  readonly files: Map<string, ServedFile | Response>;
  /** Requests for files, in order. */
  readonly reads: readonly string[];
  /** The answer to the next submission instead of accepting it. */
  refuse(status: number, body: Record<string, unknown>): void;
  change(id: string, values: Partial<MadeTask>): void;
  finish(id: string): void;
  /** The proxy no longer knows the task. */
  lose(id: string): void;
  stop(): Promise<void>;
}

export function startSuno(): SunoServer {
  const key = 'suno-key-of-tests';
  const tasks = new Map<string, MadeTask>();
  const submissions: MadeTask[] = [];
  const questions: string[][] = [];
  const refusals: Response[] = [];
  const files = new Map<string, ServedFile | Response>();
  const reads: string[] = [];

  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === 'GET' && !pathname.startsWith('/suno/')) return read(request, pathname);
      if (request.headers.get('authorization') !== `Bearer ${key}`)
        return Response.json({ code: 'unauthorized', message: 'wrong key' }, { status: 401 });
      if (request.method !== 'POST') return new Response(null, { status: 404 });
      const body = (await request.json()) as Record<string, unknown>;
      if (pathname === '/suno/fetch') return fetchMany(body);
      const [, action] = /^\/suno\/submit\/(music|lyrics)$/.exec(pathname) ?? [];
      if (action === undefined) return new Response(null, { status: 404 });
      return refusals.shift() ?? submit(action === 'music' ? 'MUSIC' : 'LYRICS', body);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;

  function read(request: Request, path: string): Response {
    reads.push(path);
    const file = files.get(path);
    if (file === undefined) return new Response(null, { status: 404 });
    return file instanceof Response ? (file.clone() as Response) : answerFile(request, file);
  }

  function submit(action: MadeTask['action'], body: Record<string, unknown>): Response {
    const task: MadeTask = {
      task_id: crypto.randomUUID(),
      action,
      body,
      status: 'SUBMITTED',
      progress: '0%',
      fail_reason: '',
      submit_time: unixSeconds(),
      start_time: 0,
      finish_time: 0,
      data: null,
    };
    tasks.set(task.task_id, task);
    submissions.push(task);
    return Response.json({ code: 'success', message: '', data: task.task_id });
  }

  function fetchMany({ ids }: Record<string, unknown>): Response {
    const wanted = ids as string[];
    questions.push(wanted);
    const found = wanted.flatMap((id) => tasks.get(id) ?? []);
    const data = found.map((task) => ({ ...task, body: undefined }));
    return Response.json({ code: 'success', message: '', data });
  }

  function change(id: string, values: Partial<MadeTask>): void {
    const task = tasks.get(id);
    if (task === undefined) throw new Error(`no task ${id}`);
    Object.assign(task, values);
  }

  const result = ({ action, body, task_id }: MadeTask): unknown =>
    action === 'LYRICS'
      ? { id: task_id, title: 'Five bars', status: 'complete', text: '[Verse]\nThe gate goes up' }
      : [1, 2].map((number) => ({
          id: `${task_id}-${number}`,
          title: `${typeof body['title'] === 'string' ? body['title'] : 'Song'} ${number}`,
          audio_url: `${url}/${task_id}-${number}.mp3`,
          video_url: `${url}/${task_id}-${number}.mp4`,
          image_url: `${url}/${task_id}-${number}.png`,
          metadata: { tags: 'folk', prompt: '[Verse]\nThe gate goes up', duration: 120.5 },
        }));

  return {
    url,
    key,
    submissions,
    questions,
    files,
    reads,
    refuse: (status, body) => void refusals.push(Response.json(body, { status })),
    change,
    finish(id) {
      const task = tasks.get(id);
      if (task === undefined) throw new Error(`no task ${id}`);
      const now = unixSeconds();
      change(id, {
        status: 'SUCCESS',
        progress: '100%',
        start_time: now,
        finish_time: now,
        data: result(task),
      });
    },
    lose: (id) => void tasks.delete(id),
    stop: () => server.stop(true),
  };
}
