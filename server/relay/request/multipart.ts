// Finds the parts of a multipart body by position. Linear; boundary length and number of parts are bounded.

export interface MultipartPart {
  name: string;
  isFile: boolean;
  /** From the part's boundary line to the next one. */
  start: number;
  end: number;
  bodyStart: number;
  bodyEnd: number;
}

const LONGEST_BOUNDARY = 70;
const MOST_PARTS = 256;
const LONGEST_HEADER_BYTES = 8 * 1024;

export function boundaryOf(contentType: string): string | undefined {
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined || boundary.length > LONGEST_BOUNDARY) return undefined;
  return /^[\w'()+,./:=? -]*[\w'()+,./:=?-]$/.test(boundary) ? boundary : undefined;
}

/** Undefined for a malformed body. */
export function parseMultipart(bytes: Uint8Array, boundary: string): MultipartPart[] | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const delimiter = `--${boundary}`;
  const parts: MultipartPart[] = [];
  let start = buffer.indexOf(delimiter);
  if (start !== 0) return undefined;
  for (;;) {
    const lineEnd = start + delimiter.length;
    if (buffer.toString('latin1', lineEnd, lineEnd + 2) === '--') return parts;
    if (buffer.toString('latin1', lineEnd, lineEnd + 2) !== '\r\n' || parts.length >= MOST_PARTS)
      return undefined;
    const headerStart = lineEnd + 2;
    const headerEnd = buffer.indexOf('\r\n\r\n', headerStart);
    if (headerEnd < 0 || headerEnd - headerStart > LONGEST_HEADER_BYTES) return undefined;
    const bodyStart = headerEnd + 4;
    const next = buffer.indexOf(`\r\n${delimiter}`, bodyStart - 2);
    if (next < 0) return undefined;
    const disposition = dispositionOf(buffer.toString('utf8', headerStart, headerEnd));
    if (disposition === undefined) return undefined;
    parts.push({ ...disposition, start, end: next + 2, bodyStart, bodyEnd: Math.max(bodyStart, next) });
    start = next + 2;
  }
}

function dispositionOf(headers: string): { name: string; isFile: boolean } | undefined {
  const line = headers.split('\r\n').find((each) => /^content-disposition:\s*form-data/i.test(each));
  const name = line === undefined ? undefined : /;\s*name="([^"]*)"/i.exec(line)?.[1];
  if (line === undefined || name === undefined) return undefined;
  return { name, isFile: /;\s*filename\*?=/i.test(line) };
}
