// Both ends of a worker thread that answers every text with one text, in order.
import { StoreClosedError } from '#server/platform/store/errors.ts';

export interface Thread {
  send(this: void, text: string): void;
  terminate(this: void): void;
}

export interface ThreadListener {
  reply(text: string): void;
  /** The thread is gone; nothing sent to it will be answered. Called once, also after `terminate`. */
  end(error: Error): void;
}

export function startThread(entry: URL, name: string, listener: ThreadListener): Thread {
  const worker = new Worker(entry.href, { name });
  let ended = false;
  const end = (error: Error) => {
    if (ended) return;
    ended = true;
    listener.end(error);
  };
  worker.addEventListener('message', (event: MessageEvent<string>) => {
    // Outside the port's own delivery: while that is on the stack Bun delivers nothing more of this thread, and a
    // continuation that blocks on the next answer (as `expect().rejects` does) would never get it.
    setImmediate(() => listener.reply(event.data));
  });
  worker.addEventListener('error', (event: ErrorEvent) => {
    end(new StoreClosedError(`The ${name} thread failed: ${event.message}`));
  });
  worker.addEventListener('close', () => end(new StoreClosedError(`The ${name} thread ended.`)));
  return {
    send(text) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin.
      worker.postMessage(text);
    },
    terminate() {
      end(new StoreClosedError());
      worker.terminate();
    },
  };
}

/** Called inside a thread: from then on it answers. `answer` must not throw. */
export function serveThread(answer: (text: string) => string): void {
  const port = globalThis as unknown as Worker;
  port.addEventListener('message', (event: MessageEvent<string>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin.
    port.postMessage(answer(event.data));
  });
}
