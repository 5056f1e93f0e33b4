// The closing event of a typed stream that failed: passed on with its usage, without the supplier's names.
import { readEventText } from '#server/models/formats/sse.ts';
import { neutralText } from '#server/relay/errors/relay-error.ts';

export function neutralClosing(wire: string, event: unknown): string {
  const { event: name } = readEventText(wire);
  const text = JSON.stringify(event, (key, value: unknown) =>
    key === 'message' && typeof value === 'string' ? (neutralText(value) ?? '') : value,
  );
  return `${name === '' ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}
