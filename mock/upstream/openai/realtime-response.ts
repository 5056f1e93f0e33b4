// A response of the realtime API: its events, piece by piece, and the usage that response.done reports. It reads the
// instructions, the tools and the whole conversation.
import type { MockUsage } from '#mock/upstream/behaviour.ts';
import { NO_USAGE } from '#mock/upstream/books.ts';
import { compose, type PromptSize } from './compose.ts';
import { silentPcm, uniqueId } from './identity.ts';
import { countText, sizeOfMessages, textOf } from './prompt.ts';
import { audioTokensOf, emit, type RealtimeSocket, type Socket } from './realtime-socket.ts';
import { realtimeUsage } from './usage.ts';

/** The tenth of a second that is sent for each piece. */
const AUDIO_TOKENS_PER_PIECE = 2;

type Fields = Readonly<Record<string, unknown>>;

export async function respond(socket: Socket, wanted: Fields): Promise<void> {
  const { data } = socket;
  const { behaviour } = data;
  data.cancelled = false;
  const { firstTokenDelayMilliseconds } = behaviour;
  if (firstTokenDelayMilliseconds !== undefined && !(await pause(socket, firstTokenDelayMilliseconds)))
    return;
  if (behaviour.errorAfterEvents === 0)
    return emit(socket, 'error', {
      error: { type: 'server_error', code: null, message: 'Refused', param: null },
    });
  const answer = composeAnswer(socket, wanted);
  announce(socket, answer);
  if (await sendPieces(socket, answer)) finish(socket, answer, wanted);
}

/** A response under way. */
interface Answer {
  readonly pieces: readonly string[];
  readonly speaks: boolean;
  readonly response: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly item: Readonly<Record<string, unknown>>;
  /** Names the place in the events of the content. */
  readonly at: Readonly<Record<string, unknown>>;
  sentPieces: number;
  /** Adds to the record what was made so far. */
  count(): MockUsage;
}

function composeAnswer({ data }: Socket, wanted: Fields): Answer {
  const { behaviour, record } = data;
  const modalities = wanted['output_modalities'] ?? data.session['output_modalities'];
  const speaks = Array.isArray(modalities) && modalities.includes('audio');
  const fillsLimit = behaviour.fillsLimit === true;
  const limit = limitOf(wanted) ?? limitOf(data.session) ?? LARGEST_RESPONSE;
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
  return {
    pieces,
    speaks,
    response,
    item,
    at: { response_id: response.id, item_id: item.id, output_index: 0, content_index: 0 },
    sentPieces: 0,
    count() {
      const isWhole = this.sentPieces === pieces.length;
      const given = fillsLimit ? wholeLimit(limit, speaks) : behaviour.usage;
      const counted = countedUsage(usage, { sentPieces: this.sentPieces, speaks, isWhole, given });
      record.usage = sum(record.usage, counted);
      return counted;
    },
  };
}

function announce(socket: Socket, { response, item, at, speaks }: Answer): void {
  emit(socket, 'response.created', { response });
  emit(socket, 'response.output_item.added', {
    response_id: response.id,
    output_index: 0,
    item: { ...item, status: 'in_progress', content: [] },
  });
  const part = speaks ? { type: 'audio', transcript: '' } : { type: 'text', text: '' };
  emit(socket, 'response.content_part.added', { ...at, part });
}

/** False: the connection was cut on command. */
async function sendPieces(socket: Socket, answer: Answer): Promise<boolean> {
  const { behaviour, record } = socket.data;
  const { pieces, speaks, at } = answer;
  for (const delta of pieces) {
    if (behaviour.stall?.afterEvents === answer.sentPieces) await pause(socket, behaviour.stall.milliseconds);
    if (behaviour.chunkDelayMilliseconds !== undefined) await pause(socket, behaviour.chunkDelayMilliseconds);
    if (socket.data.cancelled) break;
    if (behaviour.resetAfterEvents === answer.sentPieces) {
      answer.count();
      socket.terminate();
      return false;
    }
    if (speaks) {
      emit(socket, 'response.output_audio_transcript.delta', { ...at, delta });
      emit(socket, 'response.output_audio.delta', { ...at, delta: silentPcm });
    } else emit(socket, 'response.output_text.delta', { ...at, delta });
    answer.sentPieces += 1;
    record.outputTokensWritten += speaks ? 1 + AUDIO_TOKENS_PER_PIECE : 1;
  }
  return true;
}

function finish(socket: Socket, answer: Answer, wanted: Fields): void {
  const { data } = socket;
  const { behaviour, record } = data;
  const { pieces, speaks, response, item, at, sentPieces } = answer;
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
  const counted = answer.count();
  record.usageReports += 1;
  const status = sentPieces < pieces.length ? 'cancelled' : (behaviour.ending ?? 'completed');
  if (wanted['conversation'] !== 'none')
    data.items.push({ ...done, audioTokens: speaks ? sentPieces * AUDIO_TOKENS_PER_PIECE : 0 });
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

function promptOf({ session, items }: RealtimeSocket, wanted: Fields): PromptSize {
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

/** Of the models of this API. */
const LARGEST_RESPONSE = 4096;

const limitOf = (holder: Fields): number | undefined => {
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
  const audioOutputTokens = speaks ? sentPieces * AUDIO_TOKENS_PER_PIECE : 0;
  if (!isWhole) return { ...usage, outputTokens: sentPieces + audioOutputTokens, audioOutputTokens };
  return { ...usage, outputTokens: usage.outputTokens + audioOutputTokens, audioOutputTokens, ...given };
}

function sum(left: MockUsage, right: MockUsage): MockUsage {
  const total = { ...NO_USAGE };
  for (const field of Object.keys(total) as (keyof MockUsage)[]) total[field] = left[field] + right[field];
  return total;
}
