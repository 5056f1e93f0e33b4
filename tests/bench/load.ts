// The load generator, a separate process: reads one job per line on standard input, writes one result per line.
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
  /** One for each key. */
  readonly #requests: Buffer[];
  #opened = 0;
  readonly #hostname: string;
  readonly #port: number;
  readonly #latencies: number[] = [];
  readonly #latenciesByStatus = new Map<number, number[]>();
  readonly #firstEvents: number[] = [];
  readonly #statuses: Record<string, number> = {};
  readonly #connections = new Set<Connection>();
  /** With a pace: idle connections, and requests that wait for one. */
  readonly #idle: Connection[] = [];
  #due = 0;
  #connecting = 0;
  #withRetryAfter = 0;
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
    this.#requests = (job.keys ?? [job.key]).map((key) => {
      const head = [
        `POST ${job.path} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        ...sdkHeaders,
        `Content-Length: ${Buffer.byteLength(job.body)}`,
      ];
      return Buffer.from(`${head.join('\r\n')}\r\n\r\n${job.body}`);
    });
  }

  async result(): Promise<LoadResult> {
    const startedAt = performance.now();
    if (this.#job.seconds !== undefined) this.#deadline = startedAt + this.#job.seconds * 1000;
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    if (this.#job.perSecond === undefined) await this.#openAll();
    else await this.#pace(this.#job.perSecond);
    await finished;
    for (const connection of this.#connections) connection.close();
    return {
      requests: this.#done,
      aborted: this.#aborted,
      errors: this.#errors,
      statuses: this.#statuses,
      withRetryAfter: this.#withRetryAfter,
      events: this.#events,
      seconds: (performance.now() - startedAt) / 1000,
      latencyMilliseconds: spreadOf(this.#latencies),
      latencyByStatus: Object.fromEntries(
        Array.from(this.#latenciesByStatus, ([status, values]) => [status, spreadOf(values)]),
      ),
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

  /** Requests are due at even intervals; a late turn of the event loop sends several. */
  async #pace(perSecond: number): Promise<void> {
    const startedAt = performance.now();
    for (let fallen = 0; this.#mayStart() || (this.#due > 0 && performance.now() < this.#deadline);) {
      const shouldHaveFallen = Math.floor(((performance.now() - startedAt) * perSecond) / 1000);
      for (; fallen < shouldHaveFallen && this.#mayStart(); fallen += 1) {
        this.#started += 1;
        this.#due += 1;
      }
      this.#serveDue();
      await Bun.sleep(1);
    }
    // The time is over: requests without a connection are not sent any more.
    this.#started -= this.#due;
    this.#due = 0;
    this.#finishIfIdle();
  }

  #serveDue(): void {
    while (this.#due > 0) {
      const connection = this.#idle.pop();
      if (connection === undefined) break;
      if (connection.isOpen) {
        this.#due -= 1;
        connection.send();
      } else this.#connections.delete(connection);
    }
    const { connections, connectingAtOnce = 64 } = this.#job;
    const wanted = Math.min(this.#due, connectingAtOnce);
    while (this.#connecting < wanted && this.#connections.size < connections) void this.#connectPaced();
  }

  async #connectPaced(): Promise<void> {
    const connection = this.#connection();
    this.#connecting += 1;
    try {
      await connection.open(this.#hostname, this.#port);
      this.#idle.push(connection);
    } catch (error) {
      this.#connections.delete(connection);
      this.#firstError ||= String(error);
    }
    this.#connecting -= 1;
    this.#serveDue();
  }

  async #openOne(): Promise<void> {
    if (!this.#mayStart()) return this.#finishIfIdle();
    const connection = this.#connection();
    // Counted before the connection opens, so that pending connections do not exceed the job's number.
    this.#started += 1;
    try {
      await connection.open(this.#hostname, this.#port);
    } catch (error) {
      return this.#onBroken(connection, String(error));
    }
    connection.send();
  }

  #connection(): Connection {
    const request = this.#requests[this.#opened++ % this.#requests.length] ?? Buffer.alloc(0);
    const connection = new Connection(request, {
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
    return connection;
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
    this.#note(exchange);
    if (this.#job.perSecond !== undefined) {
      this.#idle.push(connection);
      this.#serveDue();
      return this.#finishIfIdle();
    }
    if (!this.#mayStart()) return this.#finishIfIdle();
    this.#started += 1;
    connection.send();
  }

  #note({ status, startedAt, hasRetryAfter }: Exchange): void {
    const milliseconds = performance.now() - startedAt;
    this.#latencies.push(milliseconds);
    const ofStatus = this.#latenciesByStatus.get(status);
    if (ofStatus === undefined) this.#latenciesByStatus.set(status, [milliseconds]);
    else ofStatus.push(milliseconds);
    if (hasRetryAfter) this.#withRetryAfter += 1;
  }

  #onBroken(connection: Connection, reason: string): void {
    this.#errors += 1;
    this.#firstError ||= reason;
    this.#connections.delete(connection);
    if (this.#job.perSecond !== undefined) return this.#finishIfIdle();
    // A stopped server must not turn the generator into a busy loop.
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
