/** Sends a chat and reads its events as they arrive. The stream ends on [DONE]; everything else is a failure. */
import { storedUser } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { failureText, readChunk, StreamFailure, type StreamListener } from './chunk.ts';
import { createEventReader } from './events.ts';
import type { ChatRequest } from './request.ts';

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
