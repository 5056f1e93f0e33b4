// A name server on loopback that answers questions for TXT records.
import { createSocket } from 'node:dgram';

export interface NameServer {
  address: string;
  /** By name; a name without records does not exist. */
  records: Map<string, string[]>;
  asked: string[];
  /** Names that are answered with a failure of the server. */
  failing: Set<string>;
  close(): void;
}

const TXT = 16;
const HEADER_BYTES = 12;
const PIECE_BYTES = 255;
const FOUND = 0x8180;
const SERVER_FAILURE = 0x8182;
const NO_SUCH_NAME = 0x8183;

export async function startNameServer(): Promise<NameServer> {
  const records = new Map<string, string[]>();
  const asked: string[] = [];
  const failing = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const { name, end, type } = questionIn(message);
    asked.push(name);
    const found = type === TXT && !failing.has(name) ? (records.get(name.toLowerCase()) ?? []) : [];
    const header = Buffer.from(message.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(failing.has(name) ? SERVER_FAILURE : found.length > 0 ? FOUND : NO_SUCH_NAME, 2);
    header.writeUInt16BE(found.length, 6);
    header.writeUInt32BE(0, 8);
    const answer = [header, message.subarray(HEADER_BYTES, end), ...found.map(recordOf)];
    socket.send(Buffer.concat(answer), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${socket.address().port}`;
  return { address, records, asked, failing, close: () => socket.close() };
}

function questionIn(message: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 5, type: message.readUInt16BE(at + 1) };
}

/** Points at the name of the question; a long text is cut into pieces. */
function recordOf(text: string): Buffer {
  const pieces: Buffer[] = [];
  for (let start = 0; start < Math.max(1, text.length); start += PIECE_BYTES) {
    const piece = Buffer.from(text.slice(start, start + PIECE_BYTES), 'latin1');
    pieces.push(Buffer.from([piece.length]), piece);
  }
  const data = Buffer.concat(pieces);
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(1, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
