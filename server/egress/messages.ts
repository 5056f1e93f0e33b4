// Small helpers around one exchange: header lines that cannot smuggle, and whole bodies with a limit.
import { ConnectionError } from './connection-error.ts';
import type { Answer, OutboundCall } from './outbound-call.ts';

/** Header lines for a request. A name or value that could begin another header is refused. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new ConnectionError('format', `header ${JSON.stringify(name)} cannot be sent`);
    }
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** The whole body, or an error when it is longer than the limit. */
export function readAll(
  call: OutboundCall,
  answer: Answer,
  limitBytes: number,
  /** The body has begun. */
  onFirst?: () => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    answer.receive({
      data(bytes, start, end) {
        if (length === 0) onFirst?.();
        length += end - start;
        if (length > limitBytes) {
          call.abort();
          reject(new ConnectionError('format', 'the answer is too large'));
        } else parts.push(bytes.subarray(start, end));
      },
      flush() {},
      end() {
        const [only] = parts;
        resolve(parts.length === 1 && only ? only : Buffer.concat(parts, length));
      },
      fail: reject,
    });
  });
}
