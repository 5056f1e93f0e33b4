// /v1/realtime over WebSocket: session.created, conversation items, audio buffer, and the response.* events whose
// response.done reports usage per class. One record per connection, with the sum over its responses, also of those that
// were cut.
import type { Server, WebSocketHandler } from 'bun';
import type { Behaviours } from '#mock/upstream/behaviours.ts';
import type { Books } from '#mock/upstream/books.ts';
import { newRecord } from '#mock/upstream/record.ts';
import { errorJson, refuse } from './errors.ts';
import { nowSeconds, uniqueId } from './identity.ts';
import { isObject } from './prompt.ts';
import { respond } from './realtime-response.ts';
import {
  audioBytes,
  AUDIO_BYTES_PER_MILLISECOND,
  audioTokensOf,
  emit,
  MILLISECONDS_PER_INPUT_TOKEN,
  type RealtimeSocket,
  type Socket,
} from './realtime-socket.ts';

const KEY_PROTOCOL = 'openai-insecure-api-key.';

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
  const fromProtocol = protocols.find((part) => part.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
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
    return new Response(body, {
      status,
      headers: { 'Content-Type': 'application/json', ...behaviour.headers },
    });
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

/** With turn detection each appended piece is one turn of the user, and is answered. */
async function hearTurn(socket: Socket): Promise<void> {
  const { data } = socket;
  const audio_start_ms = data.audioMilliseconds;
  emit(socket, 'input_audio_buffer.speech_started', { audio_start_ms });
  const audio_end_ms = audio_start_ms + data.bufferedAudioBytes / AUDIO_BYTES_PER_MILLISECOND;
  emit(socket, 'input_audio_buffer.speech_stopped', { audio_end_ms });
  commit(socket);
  await respond(socket, {});
}

function commit(socket: Socket): void {
  const { data } = socket;
  const milliseconds = data.bufferedAudioBytes / AUDIO_BYTES_PER_MILLISECOND;
  data.audioMilliseconds += milliseconds;
  data.bufferedAudioBytes = 0;
  const id = uniqueId('item_');
  emit(socket, 'input_audio_buffer.committed', { item_id: id, previous_item_id: null });
  const audioTokens = Math.ceil(milliseconds / MILLISECONDS_PER_INPUT_TOKEN);
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
