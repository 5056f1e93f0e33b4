// Bytes as a text with one character for each of them. Searching, cutting and joining such a text is much cheaper than
// doing the same with views of a buffer, and a socket writes it as it is. The type keeps it apart from texts that people
// read: those are encoded first.

declare const mark: unique symbol;
/** Every buffer has it, without a name of an encoding to be looked up; the types of the platform leave it out. */
interface LatinReader {
  latin1Slice(start: number, end: number): ByteText;
}

export type ByteText = string & { readonly [mark]: true };

export function byteText(bytes: Buffer, start: number, end: number): ByteText {
  return (bytes as unknown as LatinReader).latin1Slice(start, end);
}

/** Counting is what the platform does fastest: a pattern takes ten times as long, a hundred times for long texts. */
export const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

export function encodeText(text: string): ByteText {
  return (isAscii(text) ? text : Buffer.from(text).toString('latin1')) as ByteText;
}

export function decodeText(bytes: ByteText): string {
  return isAscii(bytes) ? bytes : bytesOf(bytes).toString();
}

export function bytesOf(bytes: ByteText): Buffer {
  return Buffer.from(bytes, 'latin1');
}

/** What is searched for in such a text, or joined to it. */
export const ascii = (text: string): ByteText => text as ByteText;
