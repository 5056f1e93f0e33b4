// Range requests (RFC 9110): one range of bytes. Several at once are answered with the whole file, which the standard allows.

/** `end` is included; undefined: to the end of the file. `start` undefined: the last `end` bytes. */
export interface AskedRange {
  readonly start: number | undefined;
  readonly end: number | undefined;
}

export function askedRange(header: string | null): AskedRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? undefined : Number(first);
  const end = last === '' ? undefined : Number(last);
  return start !== undefined && end !== undefined && end < start ? undefined : { start, end };
}

export const rangeText = ({ start, end }: AskedRange): string => `bytes=${start ?? ''}-${end ?? ''}`;

/** First byte and the one after the last; undefined: nothing of the file is in the range (416). */
export function bytesOf(range: AskedRange, size: number): { start: number; end: number } | undefined {
  const { start, end } = range;
  if (start === undefined) {
    const length = Math.min(end ?? 0, size);
    return length === 0 ? undefined : { start: size - length, end: size };
  }
  return start >= size ? undefined : { start, end: Math.min(size, (end ?? size) + 1) };
}

/** `bytes 0-99/1234`; the size is undefined where the upstream does not know it. */
export function readContentRange(
  header: string | undefined,
): { start: number; end: number; size: number | undefined } | undefined {
  const [, start, last, size] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header ?? '') ?? [];
  if (start === undefined || last === undefined || Number(last) < Number(start)) return undefined;
  return { start: Number(start), end: Number(last) + 1, size: size === '*' ? undefined : Number(size) };
}

/** True when the range still belongs to the file the caller has a part of. A weak tag never proves that. */
export const isSameFile = (ifRange: string | null, tag: string): boolean =>
  ifRange === null || ifRange === tag;
