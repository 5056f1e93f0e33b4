// The closing event of a typed stream that failed: passed on with its usage, without the supplier's names.
import { readEvent } from '#server/formats/sse.ts';
import { neutralText } from './errors.ts';

export function neutralClosing(bytes: Uint8Array, event: unknown): string {
  const { event: name } = readEvent(bytes);
  const text = JSON.stringify(event, (key, value: unknown) =>
    key === 'message' && typeof value === 'string' ? (neutralText(value) ?? '') : value,
  );
  return `${name === '' ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}
