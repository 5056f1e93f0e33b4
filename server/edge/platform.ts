// Answers of the fast way as the platform's server wants them, for calls that reach it all the same (the playground's).
import { ascii, bytesOf } from '#server/egress/byte-text.ts';
import { isStreamed, type PlainAnswer, type StreamedBody } from './exchange.ts';

interface DirectController {
  write(bytes: Uint8Array | string): number | Promise<number>;
  flush(): number | Promise<number>;
  close(error?: Error): void;
}

export function responseOf({ status, headers, body, isEncoded }: PlainAnswer): Response {
  const init = { status, headers };
  if (isStreamed(body)) return new Response(readable(body), init);
  return new Response(isEncoded === true && typeof body === 'string' ? bytesOf(ascii(body)) : body, init);
}

function readable(body: StreamedBody): ReadableStream {
  const finished = Promise.withResolvers<void>();
  const source = {
    type: 'direct',
    pull: (controller: DirectController): Promise<void> => {
      const send = (bytes: Uint8Array): void => {
        const written = controller.write(bytes);
        if (typeof written === 'number') return;
        body.full();
        written.then(
          () => body.drained(),
          () => body.left(),
        );
      };
      body.attach({
        write: (bytes) => send(bytesOf(bytes)),
        // The controller keeps what it is given; these bytes are only lent.
        writeInPlace: (bytes, start, end) => send(Buffer.from(bytes.subarray(start, end))),
        flush: () => void controller.flush(),
        close() {
          controller.close();
          finished.resolve();
        },
      });
      return finished.promise;
    },
    cancel: () => body.left(),
  };
  return new ReadableStream(source as unknown as Bun.UnderlyingSource);
}
