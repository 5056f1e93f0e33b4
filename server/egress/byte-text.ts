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

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\0-\x7f]/;

export const isAscii = (text: string): boolean => !beyondAscii.test(text);

export function encodeText(text: string): ByteText {
  return (beyondAscii.test(text) ? Buffer.from(text).toString('latin1') : text) as ByteText;
}

export function decodeText(bytes: ByteText): string {
  return beyondAscii.test(bytes) ? bytesOf(bytes).toString() : bytes;
}

export function bytesOf(bytes: ByteText): Buffer {
  return Buffer.from(bytes, 'latin1');
}

/** What is searched for in such a text, or joined to it. */
export const ascii = (text: string): ByteText => text as ByteText;
