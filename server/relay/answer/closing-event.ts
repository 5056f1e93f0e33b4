// The closing event of a typed stream that failed: passed on with its usage, without the supplier's names.
import { decodeText, type ByteText } from '#server/egress/index.ts';
import { readEventText } from '#server/formats/sse.ts';
import { neutralText } from '#server/relay/errors/relay-error.ts';

export function neutralClosing(bytes: ByteText, event: unknown): string {
  const { event: name } = readEventText(decodeText(bytes));
  const text = JSON.stringify(event, (key, value: unknown) =>
    key === 'message' && typeof value === 'string' ? (neutralText(value) ?? '') : value,
  );
  return `${name === '' ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}
