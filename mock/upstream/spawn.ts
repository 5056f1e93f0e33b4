// The mock in its own process, with a typed remote control.
import type { BehaviourRule } from './behaviours.ts';
import type { BooksSummary, ServedRequest } from './books.ts';

export interface SpawnedMock {
  url: string;
  processId: number;
  behave: (rule: BehaviourRule) => Promise<number>;
  clearRules: () => Promise<void>;
  counts: () => Promise<BooksSummary>;
  requests: (query: { tag?: string; key?: string; limit?: number }) => Promise<ServedRequest[]>;
  reset: () => Promise<void>;
  stop: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

export interface SpawnOptions {
  keepRequests?: number;
  /** Any free one by default. */
  port?: number;
  tls?: { cert: string; key: string };
}

export async function spawnMockUpstream(options: SpawnOptions = {}): Promise<SpawnedMock> {
  const { tls } = options;
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/main.ts`], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: {
      ...process.env,
      MOCK_KEEP_REQUESTS: String(options.keepRequests ?? 0),
      MOCK_PORT: String(options.port ?? 0),
      ...(tls === undefined ? {} : { MOCK_TLS_CERT: tls.cert, MOCK_TLS_KEY: tls.key }),
    },
  });
  const url = await readUrl(child.stdout);
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}/__mock/${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      ...(tls === undefined ? {} : { tls: { ca: tls.cert } }),
    });
    if (!response.ok) throw new Error(`mock upstream: ${method} ${path} answered ${response.status}`);
    return await response.json();
  };
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  return {
    url,
    processId: child.pid,
    behave: async (rule) => ((await call('POST', 'rules', rule)) as { id: number }).id,
    clearRules: async () => void (await call('DELETE', 'rules')),
    counts: async () => (await call('GET', 'counts')) as BooksSummary,
    requests: async (query) => {
      const given = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
      return (await call('GET', `requests?${new URLSearchParams(given).toString()}`)) as ServedRequest[];
    },
    reset: async () => void (await call('POST', 'reset')),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function readUrl(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  const reader = stdout.getReader();
  const decoder = new TextDecoder();
  while (!text.includes('\n')) {
    const { value, done } = await reader.read();
    if (done) throw new Error('the mock upstream ended before it printed its URL');
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return (JSON.parse(text.slice(0, text.indexOf('\n'))) as { url: string }).url;
}
