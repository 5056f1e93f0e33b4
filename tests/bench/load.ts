// The load generator, a process of its own: takes one job per line on standard input, answers one result per line.
import { createInterface } from 'node:readline';
import { Connection, type Exchange } from './load-connection.ts';
import { type LoadJob, type LoadResult, spreadOf } from './load-job.ts';

/** What the official SDK sends with every call; a relay has to read it all. */
const sdkHeaders = [
  'Accept: application/json',
  'User-Agent: OpenAI/JS 6.49.0',
  'X-Stainless-Lang: js',
  'X-Stainless-Package-Version: 6.49.0',
  'X-Stainless-OS: Linux',
  'X-Stainless-Arch: x64',
  'X-Stainless-Runtime: node',
  'X-Stainless-Runtime-Version: v24.4.0',
  'X-Stainless-Retry-Count: 0',
  'X-Stainless-Timeout: 600',
  'Accept-Language: *',
  'Sec-Fetch-Mode: cors',
  'Accept-Encoding: gzip, deflate',
];

class Run {
  readonly #job: LoadJob;
  readonly #request: Buffer;
  readonly #hostname: string;
  readonly #port: number;
  readonly #latencies: number[] = [];
  readonly #firstEvents: number[] = [];
  readonly #statuses: Record<string, number> = {};
  readonly #connections = new Set<Connection>();
  #started = 0;
  #done = 0;
  #aborted = 0;
  #errors = 0;
  #events = 0;
  #openStreams = 0;
  #mostOpenStreams = 0;
  #firstError = '';
  #deadline = Number.POSITIVE_INFINITY;
  #finish: () => void = () => undefined;

  constructor(job: LoadJob) {
    this.#job = job;
    const { hostname, port } = new URL(job.url);
    this.#hostname = hostname;
    this.#port = Number(port);
    const head = [
      `POST ${job.path} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${job.key}`,
      'Content-Type: application/json',
      ...sdkHeaders,
      `Content-Length: ${Buffer.byteLength(job.body)}`,
    ];
    this.#request = Buffer.from(`${head.join('\r\n')}\r\n\r\n${job.body}`);
  }

  async result(): Promise<LoadResult> {
    const startedAt = performance.now();
    if (this.#job.seconds !== undefined) this.#deadline = startedAt + this.#job.seconds * 1000;
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    await this.#openAll();
    await finished;
    for (const connection of this.#connections) connection.close();
    return {
      requests: this.#done,
      aborted: this.#aborted,
      errors: this.#errors,
      statuses: this.#statuses,
      events: this.#events,
      seconds: (performance.now() - startedAt) / 1000,
      latencyMilliseconds: spreadOf(this.#latencies),
      firstEventMilliseconds: spreadOf(this.#firstEvents),
      mostOpenStreams: this.#mostOpenStreams,
      firstError: this.#firstError,
    };
  }

  async #openAll(): Promise<void> {
    const { connections, connectingAtOnce = 64 } = this.#job;
    for (let opened = 0; opened < connections; opened += connectingAtOnce) {
      const count = Math.min(connectingAtOnce, connections - opened);
      await Promise.all(Array.from({ length: count }, () => this.#openOne()));
    }
  }

  async #openOne(): Promise<void> {
    if (!this.#mayStart()) return this.#finishIfIdle();
    const connection = new Connection(this.#request, {
      onFirstEvent: (exchange) => {
        this.#openStreams += 1;
        this.#mostOpenStreams = Math.max(this.#mostOpenStreams, this.#openStreams);
        this.#firstEvents.push(exchange.firstEventAt - exchange.startedAt);
      },
      onEvent: (connection, exchange) => this.#onEvent(connection, exchange),
      onDone: (connection, exchange) => this.#onDone(connection, exchange),
      onBroken: (connection, reason) => this.#onBroken(connection, reason),
    });
    this.#connections.add(connection);
    // Counted before the connection stands, so that connections under way do not overshoot the job's number.
    this.#started += 1;
    try {
      await connection.open(this.#hostname, this.#port);
    } catch (error) {
      return this.#onBroken(connection, String(error));
    }
    connection.send();
  }

  #mayStart(): boolean {
    return (
      this.#started < (this.#job.requests ?? Number.POSITIVE_INFINITY) && performance.now() < this.#deadline
    );
  }

  #onEvent(connection: Connection, exchange: Exchange): void {
    this.#events += 1;
    if (exchange.events !== this.#job.abortAfterEvents) return;
    this.#aborted += 1;
    this.#openStreams -= 1;
    connection.abort();
    this.#connections.delete(connection);
    void this.#openOne();
  }

  #onDone(connection: Connection, exchange: Exchange): void {
    this.#done += 1;
    if (exchange.events > 0) this.#openStreams -= 1;
    this.#statuses[exchange.status] = (this.#statuses[exchange.status] ?? 0) + 1;
    this.#latencies.push(performance.now() - exchange.startedAt);
    if (!this.#mayStart()) return this.#finishIfIdle();
    this.#started += 1;
    connection.send();
  }

  #onBroken(connection: Connection, reason: string): void {
    this.#errors += 1;
    this.#firstError ||= reason;
    this.#connections.delete(connection);
    // A server that is gone must not turn the generator into a busy loop.
    setTimeout(() => void this.#openOne(), 10);
  }

  #finishIfIdle(): void {
    if (this.#done + this.#aborted + this.#errors >= this.#started && !this.#mayStart()) this.#finish();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await new Run(JSON.parse(line) as LoadJob).result();
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
