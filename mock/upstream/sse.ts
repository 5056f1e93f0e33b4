// Encodes a dialect's events, correctly or with faults. Separate from sending, so that the order of faults is visible:
// broken events first, then line endings, comments, BOM and the missing last newline.
import type { Behaviour } from './behaviour.ts';
import type { Answer, Dialect, StreamEvent } from './dialect.ts';

export interface WirePiece {
  text: string;
  /** Instead of the text, for binary framings. */
  bytes?: Uint8Array;
  tokens: number;
  usage: boolean;
  /** The stream ends here instead of writing the piece. */
  end?: 'reset' | 'cut';
}

export function* wirePieces(
  { events, done, framing }: Answer & { kind: 'events' },
  behaviour: Behaviour,
  dialect: Dialect,
  path: string,
): Generator<WirePiece> {
  let pending: WirePiece | undefined;
  let index = 0;
  for (const event of faulty(events, behaviour, dialect, path)) {
    if (pending) yield pending;
    if ('end' in event) {
      yield { text: '', tokens: 0, usage: false, end: event.end };
      return;
    }
    const framed = framing === undefined ? frame(event, behaviour, index) : framing.frame(event, index);
    index += 1;
    pending = {
      ...(typeof framed === 'string' ? { text: framed } : { text: '', bytes: framed }),
      tokens: event.tokens ?? 0,
      usage: event.usage ?? false,
    };
  }
  if (done !== undefined && !behaviour.omitDone) {
    if (pending) yield pending;
    pending = { text: frame({ data: done }, behaviour, index), tokens: 0, usage: false };
  }
  if (framing?.closing !== undefined) {
    if (pending) yield pending;
    pending = { text: framing.closing, tokens: 0, usage: false };
  }
  if (!pending) return;
  if (behaviour.omitFinalNewline) pending.text = pending.text.replace(/[\r\n]+$/, '');
  yield pending;
}

function* faulty(
  events: Iterable<StreamEvent>,
  behaviour: Behaviour,
  dialect: Dialect,
  path: string,
): Generator<StreamEvent | { end: 'reset' | 'cut' }> {
  if (behaviour.errorInside200) {
    yield dialect.midStreamError(path);
    return;
  }
  let index = 0;
  for (const event of events) {
    if (index === behaviour.resetAfterEvents) yield { end: 'reset' };
    if (index === behaviour.cutAfterEvents) yield { end: 'cut' };
    if (index === behaviour.errorAfterEvents) {
      yield dialect.midStreamError(path);
      return;
    }
    if (index === behaviour.malformedAfterEvents)
      yield { data: '{"id":"broken","choices":[{"delta":{"content":"ha' };
    if (index === 1 && behaviour.hugeEventBytes !== undefined) yield huge(event, behaviour.hugeEventBytes);
    yield event;
    index += 1;
  }
}

/** Valid JSON with an unknown field of the wanted size. */
function huge(event: StreamEvent, bytes: number): StreamEvent {
  return { ...event, tokens: 0, data: event.data.replace(/^\{/, `{"padding":"${'x'.repeat(bytes)}",`) };
}

function frame(event: StreamEvent, behaviour: Behaviour, index: number): string {
  const name = event.event === undefined ? '' : `event: ${event.event}\n`;
  const { lineEnding, comments, byteOrderMark, multilineData } = behaviour;
  if (lineEnding === undefined && !comments && !byteOrderMark && !multilineData) {
    return `${name}data: ${event.data}\n\n`;
  }
  // A JSON object may legally be spread over several data lines: the parser joins them with a newline.
  const data = multilineData ? event.data.replace('{', '{\ndata: ') : event.data;
  let text = `${name}data: ${data}\n\n`;
  if (comments) text = `: keep-alive ${index}\n\n${index % 2 === 0 ? 'id: 7\nretry: 1000\n' : ''}${text}`;
  if (lineEnding !== undefined) text = text.replaceAll('\n', lineEnding);
  return byteOrderMark && index === 0 ? `\uFEFF${text}` : text;
}
