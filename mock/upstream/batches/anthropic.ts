// A mock of Anthropic's message batches: ends them on command and counts what it answered.
import type { Server } from 'bun';

export interface MessageBatch {
  id: string;
  processing_status: 'in_progress' | 'canceling' | 'ended';
  request_counts: Record<'processing' | 'succeeded' | 'errored' | 'canceled' | 'expired', number>;
  created_at: string;
  expires_at: string;
  ended_at: string | null;
  cancel_initiated_at: string | null;
  archived_at: string | null;
  results_url: string | null;
}

interface Kept {
  batch: MessageBatch;
  requests: { custom_id: string; params: Record<string, unknown> }[];
  results: string;
  headers: Headers;
}

export interface AnthropicBatchServer {
  url: string;
  key: string;
  readonly kept: readonly Kept[];
  readonly served: { requests: number; input: number; cacheRead: number; output: number };
  /** Ends the newest batch; requests beyond `answered` are cancelled or expired, those named `bad…` fail. */
  end(answered?: number, rest?: 'canceled' | 'expired'): void;
  plan(path: RegExp, answer: () => Response): void;
  stop(): Promise<void>;
}

const DAY = 86_400_000;

export function startAnthropicBatches(): AnthropicBatchServer {
  const key = 'sk-ant-batch-upstream';
  const kept: Kept[] = [];
  const served = { requests: 0, input: 0, cacheRead: 0, output: 0 };
  const plans: { path: RegExp; answer: () => Response }[] = [];
  const refused = (status: number, message: string): Response =>
    Response.json({ type: 'error', error: { type: 'invalid_request_error', message } }, { status });
  const shown = (batch: MessageBatch) => ({ type: 'message_batch', ...batch });

  async function answer(request: Request, method: string, path: string): Promise<Response> {
    if (path === '/v1/messages/batches' && method === 'POST') {
      const { requests } = (await request.json()) as Pick<Kept, 'requests'>;
      const now = Date.now();
      const batch: MessageBatch = {
        id: `msgbatch_${crypto.randomUUID().replaceAll('-', '')}`,
        processing_status: 'in_progress',
        request_counts: { processing: requests.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
        created_at: new Date(now).toISOString(),
        expires_at: new Date(now + DAY).toISOString(),
        ended_at: null,
        cancel_initiated_at: null,
        archived_at: null,
        results_url: null,
      };
      kept.push({ batch, requests, results: '', headers: request.headers });
      return Response.json(shown(batch));
    }
    const [, id = '', end] = /^\/v1\/messages\/batches\/([^/]+)(?:\/(cancel|results))?$/.exec(path) ?? [];
    const found = kept.find(({ batch }) => batch.id === id);
    if (found === undefined) return refused(404, 'not found');
    const { batch } = found;
    if (end === 'results')
      return batch.processing_status === 'ended' ? new Response(found.results) : refused(404, 'not ended');
    if (end === 'cancel') {
      if (batch.processing_status === 'ended') return refused(400, 'the batch has ended');
      batch.processing_status = 'canceling';
      batch.cancel_initiated_at = new Date().toISOString();
    }
    if (method === 'DELETE') {
      kept.splice(kept.indexOf(found), 1);
      return Response.json({ id, type: 'message_batch_deleted' });
    }
    return Response.json(shown(batch));
  }

  function end(answered = Infinity, rest: 'canceled' | 'expired' = 'expired'): void {
    const newest = kept.at(-1);
    if (newest === undefined) throw new Error('there is no batch');
    const { batch, requests } = newest;
    const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
    const lines = requests.map(({ custom_id, params }, index) => {
      if (index >= answered) {
        counts[rest] += 1;
        return { custom_id, result: { type: rest } };
      }
      if (custom_id.startsWith('bad')) {
        counts.errored += 1;
        const error = { type: 'invalid_request_error', message: 'see https://api.anthropic.com' };
        return { custom_id, result: { type: 'errored', error: { type: 'error', error } } };
      }
      counts.succeeded += 1;
      const usage = { input: 60 + index, cacheRead: 30, output: 20 + index };
      served.requests += 1;
      served.input += usage.input;
      served.cacheRead += usage.cacheRead;
      served.output += usage.output;
      return { custom_id, result: { type: 'succeeded', message: messageOf(String(params['model']), usage) } };
    });
    newest.results = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    Object.assign(batch, {
      processing_status: 'ended',
      request_counts: counts,
      ended_at: new Date().toISOString(),
      results_url: `https://api.anthropic.com/v1/messages/batches/${batch.id}/results`,
    });
  }

  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const { headers, method } = request;
      if (headers.get('x-api-key') !== key || headers.get('anthropic-version') === null)
        return refused(401, 'wrong key');
      const planned = plans.findIndex((plan) => plan.path.test(`${method} ${pathname}`));
      if (planned >= 0) return (plans.splice(planned, 1)[0] as (typeof plans)[number]).answer();
      return await answer(request, method, pathname);
    },
  });

  return {
    url: `http://127.0.0.1:${server.port}`,
    key,
    kept,
    served,
    end,
    plan: (path, planned) => void plans.push({ path, answer: planned }),
    stop: () => server.stop(true),
  };
}

const messageOf = (model: string, usage: { input: number; cacheRead: number; output: number }) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text: 'a gate' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: 0,
    output_tokens: usage.output,
  },
});
