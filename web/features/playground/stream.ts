/** Sends a chat and reads its events as they arrive. The stream ends on [DONE]; everything else is a failure. */
import { storedUser } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import type { AnswerUsage } from './conversation.ts';
import { createEventReader } from './events.ts';
import type { ChatRequest } from './request.ts';

export interface StreamListener {
  onText: (text: string) => void;
  onReasoning: (text: string) => void;
  onUsage: (usage: AnswerUsage) => void;
  /** Once the server has answered. */
  onRequestId?: (requestId: string) => void;
}

/** The error message of the server or the stream; it is shown in the answer. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure';
  readonly status: number;
  constructor(message: string, status = 200) {
    super(message);
    this.status = status;
  }
}

interface Chunk {
  choices?: { delta?: { content?: unknown; reasoning_content?: unknown; reasoning?: unknown } }[];
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    prompt_tokens_details?: { cached_tokens?: number };
  } | null;
  error?: unknown;
}

function failureText(data: string): string {
  try {
    const { error } = JSON.parse(data) as { error?: { message?: unknown } | string };
    if (typeof error === 'string') return error;
    if (typeof error?.message === 'string') return error.message;
  } catch {
    // Not JSON: the text is the message.
  }
  return data;
}

export function readChunk(data: string, listener: StreamListener): void {
  let chunk: Chunk;
  try {
    chunk = JSON.parse(data) as Chunk;
  } catch {
    throw new StreamFailure(data);
  }
  if (chunk.error !== undefined && chunk.error !== null) throw new StreamFailure(failureText(data));
  const delta = chunk.choices?.[0]?.delta;
  const reasoning = delta?.reasoning_content ?? delta?.reasoning;
  if (typeof reasoning === 'string' && reasoning !== '') listener.onReasoning(reasoning);
  if (typeof delta?.content === 'string' && delta.content !== '') listener.onText(delta.content);
  if (chunk.usage) {
    listener.onUsage({
      prompt: chunk.usage.prompt_tokens ?? 0,
      cached: chunk.usage.prompt_tokens_details?.cached_tokens ?? 0,
      completion: chunk.usage.completion_tokens ?? 0,
    });
  }
}

export interface StreamWords {
  unreachable: string;
  broken: string;
}

export async function streamChat(
  request: ChatRequest,
  listener: StreamListener,
  words: StreamWords,
  signal: AbortSignal,
): Promise<void> {
  const user = storedUser();
  const response = await fetch('/pg/chat/completions', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Accept-Language': currentLanguage(),
      ...(user ? { 'New-Api-User': String(user.id) } : {}),
    },
    body: JSON.stringify(request),
    signal,
    credentials: 'same-origin',
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new StreamFailure(words.unreachable, 0);
  });
  const requestId = response.headers.get('x-request-id');
  if (requestId) listener.onRequestId?.(requestId);
  if (!response.ok || !response.body) {
    throw new StreamFailure(failureText(await response.text()) || `HTTP ${response.status}`, response.status);
  }
  const isDone = await readEvents(response.body, listener).catch((error: unknown) => {
    if (signal.aborted || error instanceof StreamFailure) throw error;
    throw new StreamFailure(words.broken);
  });
  if (!isDone) throw new StreamFailure(words.broken);
}

async function readEvents(body: ReadableStream<Uint8Array>, listener: StreamListener): Promise<boolean> {
  const events = createEventReader();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    const found = done ? events.end() : events.push(decoder.decode(value, { stream: true }));
    for (const data of found) {
      if (data === '[DONE]') {
        await reader.cancel().catch(() => undefined);
        return true;
      }
      readChunk(data, listener);
    }
    if (done) return false;
  }
}
