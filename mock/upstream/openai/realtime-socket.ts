// One connection of the realtime API: its state, its events, and how its sound is counted.
import type { ServerWebSocket } from 'bun';
import type { Behaviour } from '#mock/upstream/behaviour.ts';
import type { ServedRequest } from '#mock/upstream/books.ts';
import { uniqueId } from './identity.ts';
import { isObject } from './prompt.ts';

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
export type RealtimeItem = Record<string, unknown> & { audioTokens: number };

export type Socket = ServerWebSocket<RealtimeSocket>;

/** 24 kHz, 16 bit. */
export const AUDIO_BYTES_PER_MILLISECOND = 48;
export const MILLISECONDS_PER_INPUT_TOKEN = 100;

export function emit(socket: Socket, type: string, fields: Record<string, unknown>): void {
  const text = JSON.stringify({ type, event_id: uniqueId('event_'), ...fields });
  socket.send(text);
  socket.data.record.eventsWritten += 1;
  socket.data.record.bytesWritten += text.length;
}

export function audioBytes(base64: unknown): number {
  return Buffer.from(String(base64), 'base64').length;
}

export function audioTokensOf(item: unknown): number {
  const content = isObject(item) && Array.isArray(item['content']) ? (item['content'] as unknown[]) : [];
  const bytes = content.reduce<number>(
    (sum, part) => sum + (isObject(part) && 'audio' in part ? audioBytes(part['audio']) : 0),
    0,
  );
  return Math.ceil(bytes / AUDIO_BYTES_PER_MILLISECOND / MILLISECONDS_PER_INPUT_TOKEN);
}
