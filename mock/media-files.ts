// Real pictures, sounds and a server of files with ranges, for tests of results.
import { deflateSync, crc32 } from 'node:zlib';

export interface ServedFile {
  bytes: Uint8Array;
  /** Blank: none is sent. */
  type: string;
}

type Colour = readonly [red: number, green: number, blue: number];

/** A picture whose points are given by a function. */
export function pngOf(size: number, colourAt: (x: number, y: number) => Colour): ServedFile {
  const rows = Buffer.alloc(size * (1 + size * 3));
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) rows.set(colourAt(x, y), y * (1 + size * 3) + 1 + x * 3);
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const frame = Buffer.alloc(8 + body.length);
    frame.writeUInt32BE(data.length, 0);
    body.copy(frame, 4);
    frame.writeUInt32BE(crc32(body), 4 + body.length);
    return frame;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return { bytes: Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]), type: 'image/png' };
}

/** A picture of vertical bars, different for each number. */
export const pngFile = (number: number, size = 96): ServedFile =>
  pngOf(size, (x, y) => {
    const isBar = Math.floor((x * 5) / size) % 2 === number % 2;
    return [
      (number * 67 + (isBar ? 90 : 20)) % 256,
      (90 + number * 31 + Math.floor((y * 80) / size)) % 256,
      (isBar ? 140 : 110 + number * 13) % 256,
    ];
  });

/** A tone that grows and fades, as 8-bit sound. */
export function wavFile(seconds: number, rate = 8000): ServedFile {
  const samples = seconds * rate;
  const bytes = Buffer.alloc(44 + samples, 128);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples, 40);
  for (let at = 0; at < samples; at += 1) {
    const loudness = Math.abs(Math.sin((at / samples) * Math.PI * 7)) * (1 - at / samples / 2);
    bytes[44 + at] = 128 + Math.round(110 * loudness * Math.sin(at / 6));
  }
  return { bytes, type: 'audio/wav' };
}

/** Answers as a plain file server does: one range, If-Range by the tag. */
export function answerFile(request: Request, { bytes, type }: ServedFile): Response {
  const tag = `"${Bun.hash(bytes).toString(16)}"`;
  const headers: Record<string, string> = { ETag: tag, ...(type === '' ? {} : { 'Content-Type': type }) };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('range') ?? '') ?? [];
  const ifRange = request.headers.get('if-range');
  if (first === undefined || (ifRange !== null && ifRange !== tag))
    return new Response(Buffer.from(bytes), { headers });
  const start = Number(first);
  const end = last === '' ? bytes.length : Math.min(bytes.length, Number(last) + 1);
  if (start >= bytes.length)
    return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${bytes.length}` } });
  return new Response(Buffer.from(bytes.subarray(start, end)), {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${start}-${end - 1}/${bytes.length}` },
  });
}
