// Connections with a time limit: a server that breaks off or does not answer costs at most two seconds.
import { Client, type ClientBase, type ClientConfig } from 'pg';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import { isAwayError } from './errors.ts';

/** A batch takes milliseconds; a server that needs this long counts as away. */
const TIMEOUT_MS = 2000;

/** One connection that is kept. Pieces of work run one after the other; the connection closes after them. */
export interface Link {
  run<T>(work: (client: ClientBase) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** `prepare` runs on every new connection, before its first piece of work. */
export function openLink(
  configuration: ClientConfig,
  prepare?: (client: ClientBase) => Promise<unknown>,
): Link {
  let kept: Client | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(ignore);
    return result;
  }

  async function connect(): Promise<Client> {
    const client = new Client(configuration);
    const lose = () => {
      if (kept === client) kept = undefined;
    };
    client.on('error', lose);
    client.on('end', lose);
    try {
      await inTime(client.connect());
      if (prepare !== undefined) await inTime(prepare(client));
    } catch (error) {
      void client.end().catch(ignore);
      // Also a refused password or a missing database: nothing was sent, and the operations can wait.
      throw new LedgerUnavailableError(`no connection to the database: ${String(error)}`, { cause: error });
    }
    kept = client;
    return client;
  }

  async function runNow<T>(work: (client: ClientBase) => Promise<T>): Promise<T> {
    const client = kept ?? (await connect());
    try {
      return await inTime(work(client));
    } catch (error) {
      const isUsable = !isAwayError(error) && (await undo(client));
      if (!isUsable) {
        if (kept === client) kept = undefined;
        void client.end().catch(ignore);
      }
      throw error;
    }
  }

  return {
    run: (work) => inTurn(() => runNow(work)),
    close: () =>
      inTurn(async () => {
        const client = kept;
        kept = undefined;
        if (client !== undefined) await inTime(client.end()).catch(ignore);
      }),
  };
}

async function undo(client: ClientBase): Promise<boolean> {
  return inTime(client.query('rollback')).then(
    () => true,
    () => false,
  );
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new LedgerUnavailableError('the database did not answer in time')),
      TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function ignore(): void {}
