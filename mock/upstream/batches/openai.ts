// A mock of OpenAI's files and batches, also below Azure's paths: keeps uploads, runs batches on command, and counts what it
// answered.
import type { Server } from 'bun';
import { unixSeconds } from '#contract/time.ts';

export interface Served {
  requests: number;
  prompt: number;
  cached: number;
  completion: number;
}

export interface KeptFile {
  id: string;
  filename: string;
  purpose: string;
  text: string;
}

export interface RunBatch {
  id: string;
  status: string;
  endpoint: string;
  input_file_id: string;
  output_file_id: string | null;
  error_file_id: string | null;
  completion_window: string;
  created_at: number;
  cancelling_at: number | null;
  request_counts: { total: number; completed: number; failed: number };
  metadata: unknown;
  errors: unknown;
}

type End = 'completed' | 'expired' | 'cancelled';

export interface OpenAiBatchServer {
  url: string;
  key: string;
  readonly files: ReadonlyMap<string, KeptFile>;
  readonly batches: readonly RunBatch[];
  /** What the finished requests of all batches used. */
  readonly served: Served;
  /** How often a batch was asked for, and an output read. */
  readonly counts: { polls: number; contents: number };
  /** validating → in_progress → finalizing. */
  advance(): void;
  /** Ends a batch, the newest unless one is given; `answered` limits how many requests are answered. Requests named `bad…` fail. */
  end(status?: End, answered?: number, batch?: RunBatch): void;
  refuse(message: string): void;
  /** Answers instead of the next call to a path. */
  plan(path: RegExp, answer: (request: Request) => Response | Promise<Response>): void;
  stop(): Promise<void>;
}

const ORDER = ['validating', 'in_progress', 'finalizing'];

export function startOpenAiBatches(): OpenAiBatchServer {
  const key = 'sk-batch-upstream';
  const files = new Map<string, KeptFile>();
  const batches: RunBatch[] = [];
  const served: Served = { requests: 0, prompt: 0, cached: 0, completion: 0 };
  const counts = { polls: 0, contents: 0 };
  const plans: { path: RegExp; answer: (request: Request) => Response | Promise<Response> }[] = [];
  const keep = (filename: string, purpose: string, text: string): KeptFile => {
    const file = { id: `file-${crypto.randomUUID()}`, filename, purpose, text };
    files.set(file.id, file);
    return file;
  };
  const refused = (status: number, message: string): Response =>
    Response.json({ error: { message, type: 'invalid_request_error', code: null, param: null } }, { status });
  const shownFile = ({ id, filename, purpose, text }: KeptFile) => ({
    id,
    object: 'file',
    bytes: Buffer.byteLength(text),
    created_at: unixSeconds(),
    filename,
    purpose,
    status: 'processed',
  });
  const shownBatch = (batch: RunBatch) => ({ object: 'batch', ...batch });

  async function answer(request: Request, method: string, path: string): Promise<Response> {
    if (path === '/v1/files' && method === 'POST') {
      const form = (await request.formData()) as unknown as Map<string, unknown>;
      const file = form.get('file') as File;
      return Response.json(shownFile(keep(file.name, String(form.get('purpose')), await file.text())));
    }
    const [, fileId = '', isContent] = /^\/v1\/files\/([^/]+)(\/content)?$/.exec(path) ?? [];
    const file = files.get(fileId);
    if (fileId !== '') {
      if (file === undefined) return refused(404, `No such File object: ${fileId}`);
      if (isContent !== undefined) counts.contents += 1;
      if (isContent !== undefined) return new Response(file.text);
      if (method === 'DELETE') files.delete(fileId);
      return Response.json(
        method === 'DELETE' ? { id: fileId, object: 'file', deleted: true } : shownFile(file),
      );
    }
    if (path === '/v1/batches' && method === 'POST') return create((await request.json()) as RunBatch);
    const [, batchId = '', isCancel] = /^\/v1\/batches\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const batch = batches.find(({ id }) => id === batchId);
    if (batch === undefined) return refused(404, `No batch found with id '${batchId}'.`);
    if (isCancel === undefined) counts.polls += 1;
    else {
      if (!ORDER.includes(batch.status))
        return refused(409, `Cannot cancel a batch with status '${batch.status}'.`);
      Object.assign(batch, { status: 'cancelling', cancelling_at: unixSeconds() });
    }
    return Response.json(shownBatch(batch));
  }

  function create(asked: RunBatch): Response {
    const file = files.get(asked.input_file_id);
    if (file === undefined) return refused(400, `No such File object: ${asked.input_file_id}`);
    const lines = requestsOf(file);
    if (lines.some(({ url }) => url !== asked.endpoint)) return refused(400, 'The url of a line differs.');
    const batch: RunBatch = {
      id: `batch_${crypto.randomUUID()}`,
      status: 'validating',
      endpoint: asked.endpoint,
      input_file_id: file.id,
      output_file_id: null,
      error_file_id: null,
      completion_window: asked.completion_window,
      created_at: unixSeconds(),
      cancelling_at: null,
      request_counts: { total: lines.length, completed: 0, failed: 0 },
      metadata: asked.metadata ?? null,
      errors: null,
    };
    batches.push(batch);
    return Response.json(shownBatch(batch));
  }

  const newest = (): RunBatch => {
    const batch = batches.at(-1);
    if (batch === undefined) throw new Error('there is no batch');
    return batch;
  };

  function end(status: End = 'completed', answered = Infinity, batch = newest()): void {
    const file = files.get(batch.input_file_id) as KeptFile;
    const output: string[] = [];
    const errors: string[] = [];
    for (const [index, { custom_id, body }] of requestsOf(file).entries()) {
      const id = `batch_req_${index}`;
      const line = (code: number, answerBody: unknown) =>
        JSON.stringify({
          id,
          custom_id,
          response: { status_code: code, request_id: id, body: answerBody },
          error: null,
        });
      if (index >= answered) errors.push(line(408, { error: { message: `This request ${status}.` } }));
      else if (custom_id.startsWith('bad'))
        errors.push(line(400, { error: { message: 'see https://api.openai.com for org-abcdef' } }));
      else {
        const usage = { prompt: 100 + index, cached: 40, completion: 50 + index };
        served.requests += 1;
        served.prompt += usage.prompt;
        served.cached += usage.cached;
        served.completion += usage.completion;
        output.push(line(200, chatAnswer(String(body['model']), usage)));
      }
    }
    if (output.length > 0) batch.output_file_id = keep('output.jsonl', 'batch_output', jsonl(output)).id;
    if (errors.length > 0) batch.error_file_id = keep('error.jsonl', 'batch_output', jsonl(errors)).id;
    batch.request_counts = { ...batch.request_counts, completed: output.length, failed: errors.length };
    batch.status = status;
  }

  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const isAzure = pathname.startsWith('/openai/');
      const { headers, method } = request;
      const given = isAzure ? `Bearer ${headers.get('api-key')}` : headers.get('authorization');
      if (given !== `Bearer ${key}`) return refused(401, 'wrong key');
      if (isAzure && searchParams.get('api-version') === null) return refused(404, 'Resource not found');
      const path = isAzure ? pathname.replace('/openai/', '/v1/') : pathname;
      const planned = plans.findIndex((plan) => plan.path.test(`${method} ${path}`));
      if (planned >= 0) return await (plans.splice(planned, 1)[0] as (typeof plans)[number]).answer(request);
      return await answer(request, method, path);
    },
  });

  return {
    url: `http://127.0.0.1:${server.port}`,
    key,
    files,
    batches,
    served,
    counts,
    advance() {
      const batch = newest();
      batch.status = ORDER[ORDER.indexOf(batch.status) + 1] ?? batch.status;
    },
    end,
    refuse(message) {
      const errors = { object: 'list', data: [{ code: 'invalid', message, line: 1, param: null }] };
      Object.assign(newest(), { status: 'failed', errors });
    },
    plan: (path, planned) => void plans.push({ path, answer: planned }),
    stop: () => server.stop(true),
  };
}

const jsonl = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const requestsOf = ({ text }: KeptFile) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { custom_id: string; url: string; body: Record<string, unknown> });

const chatAnswer = (model: string, { prompt, cached, completion }: Omit<Served, 'requests'>) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: 'a gate' }, finish_reason: 'stop' }],
  usage: {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  },
});
