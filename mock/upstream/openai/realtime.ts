// /v1/realtime over WebSocket: session.created, conversation items, audio buffer, and the response.* events whose
// response.done reports usage per class. One record per connection, with the sum over its responses, also of those that
// were cut. Each response reads the instructions, the tools and the whole conversation.
import type { Server, ServerWebSocket, WebSocketHandler } from 'bun';
import type { Behaviour, MockUsage } from '#mock/upstream/behaviour.ts';
import type { Behaviours } from '#mock/upstream/behaviours.ts';
import { type Books, type ServedRequest, noUsage } from '#mock/upstream/books.ts';
import { newRecord } from '#mock/upstream/record.ts';
import { compose, type PromptSize } from './compose.ts';
import { errorJson, refuse } from './errors.ts';
import { nowSeconds, silentPcm, uniqueId } from './identity.ts';
import { countText, isObject, sizeOfMessages, textOf } from './prompt.ts';
import { realtimeUsage } from './usage.ts';

export interface RealtimeSocket {
  record: ServedRequest;
  behaviour: Behaviour;
  items: RealtimeItem[];
  session: Record<string, unknown>;
  bufferedAudioBytes: number;
  /** Of all audio so far. */
  audioMilliseconds: number;
  /** Set by response.cancel and when the caller leaves. */
  cancelled: boolean;
}

/** As sent by the caller or made here; `audioTokens` is the mock's own count. */
type RealtimeItem = Record<string, unknown> & { audioTokens: number };

type Socket = ServerWebSocket<RealtimeSocket>;

/** 24 kHz, 16 bit. */
const audioBytesPerMillisecond = 48;
const millisecondsPerInputToken = 100;
/** The tenth of a second that is sent for each piece. */
const audioTokensPerPiece = 2;

const keyProtocol = 'openai-insecure-api-key.';

export function openRealtime(
  request: Request,
  server: Server<RealtimeSocket>,
  books: Books,
  behaviours: Behaviours,
): Response | undefined {
  const { searchParams } = new URL(request.url);
  const model = searchParams.get('model') ?? '';
  const protocols = (request.headers.get('sec-websocket-protocol') ?? '')
    .split(',')
    .map((part) => part.trim());
  const fromProtocol = protocols.find((part) => part.startsWith(keyProtocol))?.slice(keyProtocol.length);
  const key = fromProtocol ?? (request.headers.get('authorization') ?? '').replace(/^Bearer /, '');
  const behaviour = behaviours.choose({
    key,
    model,
    path: '/v1/realtime',
    lastUserText: '',
    offersTools: false,
  });
  const record = newRecord(books);
  Object.assign(record, { key, model, path: '/v1/realtime', stream: true, tag: behaviour.tag ?? '' });
  if (books.keepsRequests) {
    record.headers = Object.fromEntries(request.headers.entries());
    record.body = Object.fromEntries(searchParams);
  }
  books.open(record);
  const status = key === '' || key.startsWith('sk-invalid') ? 401 : behaviour.status;
  if (status !== undefined) {
    record.status = status;
    books.close(record, 'refused');
    const body = refuse(status, {
      message: 'Realtime session refused',
      type: 'invalid_request_error',
      code: null,
    }).body;
    return new Response(body, { status, headers: { 'Content-Type': 'application/json' } });
  }
  const data: RealtimeSocket = {
    record,
    behaviour,
    items: [],
    session: sessionOf(model),
    bufferedAudioBytes: 0,
    audioMilliseconds: 0,
    cancelled: false,
  };
  const headers = protocols.includes('realtime') ? { 'Sec-WebSocket-Protocol': 'realtime' } : undefined;
  if (server.upgrade(request, { data, headers })) return undefined;
  books.close(record, 'refused');
  return new Response(
    errorJson({ message: 'Expected a WebSocket upgrade', type: 'invalid_request_error', code: null }),
    { status: 426 },
  );
}

function sessionOf(model: string): Record<string, unknown> {
  return {
    type: 'realtime',
    object: 'realtime.session',
    id: uniqueId('sess_'),
    model: model.split('@')[0],
    output_modalities: ['audio'],
    instructions: '',
    tools: [],
    tool_choice: 'auto',
    max_output_tokens: 'inf',
    expires_at: nowSeconds() + 3600,
  };
}

export function realtimeHandlers(books: Books): WebSocketHandler<RealtimeSocket> {
  return {
    idleTimeout: 0,
    open(socket) {
      emit(socket, 'session.created', { session: socket.data.session });
    },
    async message(socket, message) {
      await receive(socket, typeof message === 'string' ? message : message.toString());
    },
    close(socket, code) {
      socket.data.cancelled = true;
      books.close(socket.data.record, code === 1000 || code === 1005 ? 'complete' : 'aborted');
    },
  };
}

function emit(socket: Socket, type: string, fields: Record<string, unknown>): void {
  const text = JSON.stringify({ type, event_id: uniqueId('event_'), ...fields });
  socket.send(text);
  socket.data.record.eventsWritten += 1;
  socket.data.record.bytesWritten += text.length;
}

async function receive(socket: Socket, text: string): Promise<void> {
  const event = parse(text);
  switch (event['type']) {
    case 'session.update':
      if (isObject(event['session'])) Object.assign(socket.data.session, event['session']);
      return emit(socket, 'session.updated', { session: socket.data.session });
    case 'conversation.item.create':
      return addItem(socket, event['item']);
    case 'input_audio_buffer.append':
      socket.data.bufferedAudioBytes += audioBytes(event['audio']);
      return isObject(socket.data.session['turn_detection']) ? await hearTurn(socket) : undefined;
    case 'input_audio_buffer.clear':
      socket.data.bufferedAudioBytes = 0;
      return emit(socket, 'input_audio_buffer.cleared', {});
    case 'input_audio_buffer.commit':
      return commit(socket);
    case 'response.create':
      return await respond(socket, isObject(event['response']) ? event['response'] : {});
    case 'response.cancel':
      socket.data.cancelled = true;
      return undefined;
    default: {
      const error = {
        type: 'invalid_request_error',
        code: 'invalid_value',
        message: `Invalid value: '${String(event['type'])}'.`,
        param: 'type',
        event_id: event['event_id'] ?? null,
      };
      return emit(socket, 'error', { error });
    }
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function audioBytes(base64: unknown): number {
  return Buffer.from(String(base64), 'base64').length;
}

/** With turn detection each appended piece is one turn of the user, and is answered. */
async function hearTurn(socket: Socket): Promise<void> {
  const { data } = socket;
  const audio_start_ms = data.audioMilliseconds;
  emit(socket, 'input_audio_buffer.speech_started', { audio_start_ms });
  const audio_end_ms = audio_start_ms + data.bufferedAudioBytes / audioBytesPerMillisecond;
  emit(socket, 'input_audio_buffer.speech_stopped', { audio_end_ms });
  commit(socket);
  await respond(socket, {});
}

function commit(socket: Socket): void {
  const { data } = socket;
  const milliseconds = data.bufferedAudioBytes / audioBytesPerMillisecond;
  data.audioMilliseconds += milliseconds;
  data.bufferedAudioBytes = 0;
  const id = uniqueId('item_');
  emit(socket, 'input_audio_buffer.committed', { item_id: id, previous_item_id: null });
  const audioTokens = Math.ceil(milliseconds / millisecondsPerInputToken);
  addItem(socket, { id, type: 'message', role: 'user', content: [{ type: 'input_audio' }] }, audioTokens);
  if (!isObject(data.session['input_audio_transcription'])) return;
  const details = { input_token_details: { text_tokens: 0, audio_tokens: audioTokens } };
  emit(socket, 'conversation.item.input_audio_transcription.completed', {
    item_id: id,
    transcript: 'Hello there',
    usage: { type: 'tokens', input_tokens: audioTokens, output_tokens: 2, ...details },
  });
}

function addItem(socket: Socket, item: unknown, audioTokens = audioTokensOf(item)): void {
  const stored = { id: uniqueId('item_'), object: 'realtime.item', status: 'completed', ...(item as object) };
  socket.data.items.push({ ...stored, audioTokens });
  emit(socket, 'conversation.item.added', { item: stored, previous_item_id: null });
  emit(socket, 'conversation.item.done', { item: stored, previous_item_id: null });
}

function audioTokensOf(item: unknown): number {
  const content = isObject(item) && Array.isArray(item['content']) ? (item['content'] as unknown[]) : [];
  const bytes = content.reduce<number>(
    (sum, part) => sum + (isObject(part) && 'audio' in part ? audioBytes(part['audio']) : 0),
    0,
  );
  return Math.ceil(bytes / audioBytesPerMillisecond / millisecondsPerInputToken);
}

function promptOf({ session, items }: RealtimeSocket, wanted: Record<string, unknown>): PromptSize {
  const own = Array.isArray(wanted['input']) ? (wanted['input'] as unknown[]) : undefined;
  const read = own?.map((item) => ({ ...(item as object), audioTokens: audioTokensOf(item) })) ?? items;
  const size = sizeOfMessages(read);
  const tools = wanted['tools'] ?? session['tools'];
  size.textTokens += countText(textOf(wanted['instructions'] ?? session['instructions']));
  if (Array.isArray(tools) && tools.length > 0) size.textTokens += countText(JSON.stringify(tools));
  size.audioTokens = read.reduce((sum, { audioTokens }) => sum + audioTokens, 0);
  return size;
}

/** False: the response was cancelled or the caller left. */
async function pause({ data }: Socket, milliseconds: number): Promise<boolean> {
  const until = performance.now() + milliseconds;
  while (performance.now() < until && !data.cancelled)
    await Bun.sleep(Math.min(10, until - performance.now()));
  return !data.cancelled;
}

async function respond(socket: Socket, wanted: Record<string, unknown>): Promise<void> {
  const { data } = socket;
  const { behaviour, record } = data;
  data.cancelled = false;
  const { firstTokenDelayMilliseconds } = behaviour;
  if (firstTokenDelayMilliseconds !== undefined && !(await pause(socket, firstTokenDelayMilliseconds)))
    return;
  if (behaviour.errorAfterEvents === 0)
    return emit(socket, 'error', {
      error: { type: 'server_error', code: null, message: 'Refused', param: null },
    });
  const modalities = wanted['output_modalities'] ?? data.session['output_modalities'];
  const speaks = Array.isArray(modalities) && modalities.includes('audio');
  const fillsLimit = behaviour.fillsLimit === true;
  const limit = limitOf(wanted) ?? limitOf(data.session) ?? largestResponse;
  const { pieces, usage } = compose({
    model: record.model,
    behaviour,
    prompt: promptOf(data, wanted),
    maxOutputTokens: fillsLimit ? limit : undefined,
    choices: 1,
    tools: [],
    toolsWanted: 'none',
    parallelTools: false,
    afterToolResult: false,
    schema: undefined,
    reasoningWanted: false,
  });
  const response = {
    object: 'realtime.response',
    id: uniqueId('resp_'),
    status: 'in_progress',
    conversation_id: wanted['conversation'] === 'none' ? null : 'conv_mock',
    output: [] as unknown[],
    usage: null,
  };
  const item = { id: uniqueId('item_'), object: 'realtime.item', type: 'message', role: 'assistant' };
  const at = { response_id: response.id, item_id: item.id, output_index: 0, content_index: 0 };
  emit(socket, 'response.created', { response });
  emit(socket, 'response.output_item.added', {
    response_id: response.id,
    output_index: 0,
    item: { ...item, status: 'in_progress', content: [] },
  });
  const part = speaks ? { type: 'audio', transcript: '' } : { type: 'text', text: '' };
  emit(socket, 'response.content_part.added', { ...at, part });
  let sentPieces = 0;
  const count = () => {
    const isWhole = sentPieces === pieces.length;
    const given = fillsLimit ? wholeLimit(limit, speaks) : behaviour.usage;
    const counted = countedUsage(usage, { sentPieces, speaks, isWhole, given });
    record.usage = sum(record.usage, counted);
    return counted;
  };
  for (const delta of pieces) {
    if (behaviour.stall?.afterEvents === sentPieces) await pause(socket, behaviour.stall.milliseconds);
    if (behaviour.chunkDelayMilliseconds !== undefined) await pause(socket, behaviour.chunkDelayMilliseconds);
    if (data.cancelled) break;
    if (behaviour.resetAfterEvents === sentPieces) {
      count();
      return socket.terminate();
    }
    if (speaks) {
      emit(socket, 'response.output_audio_transcript.delta', { ...at, delta });
      emit(socket, 'response.output_audio.delta', { ...at, delta: silentPcm });
    } else emit(socket, 'response.output_text.delta', { ...at, delta });
    sentPieces += 1;
    record.outputTokensWritten += speaks ? 1 + audioTokensPerPiece : 1;
  }
  const text = pieces.slice(0, sentPieces).join('');
  const content = speaks ? { type: 'output_audio', transcript: text } : { type: 'output_text', text };
  if (speaks) {
    emit(socket, 'response.output_audio.done', at);
    emit(socket, 'response.output_audio_transcript.done', { ...at, transcript: text });
  } else emit(socket, 'response.output_text.done', { ...at, text });
  emit(socket, 'response.content_part.done', {
    ...at,
    part: speaks ? { type: 'audio', transcript: text } : { type: 'text', text },
  });
  const done = { ...item, status: 'completed', content: [content] };
  emit(socket, 'response.output_item.done', { response_id: response.id, output_index: 0, item: done });
  const counted = count();
  record.usageReports += 1;
  const status = sentPieces < pieces.length ? 'cancelled' : (behaviour.ending ?? 'completed');
  if (wanted['conversation'] !== 'none')
    data.items.push({ ...done, audioTokens: speaks ? sentPieces * audioTokensPerPiece : 0 });
  emit(socket, 'response.done', {
    response: {
      ...response,
      status,
      output: [done],
      usage: behaviour.usageReport === 'missing' ? null : realtimeUsage(counted),
    },
  });
  emit(socket, 'rate_limits.updated', {
    rate_limits: [{ name: 'requests', limit: 10_000, remaining: 9_999, reset_seconds: 1 }],
  });
}

/** Of the models of this API. */
const largestResponse = 4096;

const limitOf = (holder: Record<string, unknown>): number | undefined => {
  const limit = holder['max_output_tokens'] ?? holder['max_response_output_tokens'];
  return typeof limit === 'number' ? limit : undefined;
};

/** All that was asked for, as speech where it may be: the dearest answer. */
const wholeLimit = (limit: number, speaks: boolean): Partial<MockUsage> => ({
  outputTokens: limit,
  reasoningTokens: 0,
  audioOutputTokens: speaks ? limit : 0,
});

interface Sent {
  sentPieces: number;
  speaks: boolean;
  isWhole: boolean;
  /** The counts that the test sets. */
  given: Partial<MockUsage> | undefined;
}

/** Speech is counted as audio and, like its transcript, as text. */
function countedUsage(usage: MockUsage, { sentPieces, speaks, isWhole, given }: Sent): MockUsage {
  const audioOutputTokens = speaks ? sentPieces * audioTokensPerPiece : 0;
  if (!isWhole) return { ...usage, outputTokens: sentPieces + audioOutputTokens, audioOutputTokens };
  return { ...usage, outputTokens: usage.outputTokens + audioOutputTokens, audioOutputTokens, ...given };
}

function sum(left: MockUsage, right: MockUsage): MockUsage {
  const total = { ...noUsage };
  for (const field of Object.keys(total) as (keyof MockUsage)[]) total[field] = left[field] + right[field];
  return total;
}
