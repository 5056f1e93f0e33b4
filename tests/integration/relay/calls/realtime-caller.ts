// A caller of /v1/realtime that keeps every event it receives.
import { eventually } from './harness.ts';

export interface RealtimeEvent {
  type: string;
  delta?: string;
  error?: { type: string; code: string; message: string };
  response?: { id: string; status: string; usage: unknown };
}

export interface RealtimeCaller {
  readonly events: readonly RealtimeEvent[];
  /** Code and reason of the close. */
  readonly closed: Promise<{ code: number; reason: string }>;
  send(event: object): void;
  /** Waits until this many events of the type have come. */
  until(type: string, count?: number): Promise<void>;
  count(type: string): number;
  /** Leaves; `terminate`: without a closing frame. */
  leave(how?: 'close' | 'terminate'): void;
}

export const patience = 30_000;

export async function openRealtime(
  url: string,
  key: string,
  headers: Record<string, string> = {},
  query = 'model=gpt-realtime',
): Promise<RealtimeCaller> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?${query}`, {
    headers: { Authorization: `Bearer ${key}`, ...headers },
  } as unknown as string[]) as WebSocket & { terminate(): void };
  const events: RealtimeEvent[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  socket.addEventListener('message', ({ data }) => events.push(JSON.parse(String(data)) as RealtimeEvent));
  let isClosed = false;
  socket.addEventListener('close', ({ code, reason }) => {
    isClosed = true;
    closed.resolve({ code, reason });
  });
  const count = (type: string) => events.filter((event) => event.type === type).length;
  const caller: RealtimeCaller = {
    events,
    closed: closed.promise,
    send: (event) => socket.send(JSON.stringify(event)),
    async until(type, wanted = 1) {
      const seen = await eventually(
        () => count(type),
        (found) => found >= wanted || isClosed,
        patience,
      );
      if (seen < wanted)
        throw new Error(`${seen} of ${wanted} ${type}; last: ${JSON.stringify(events.at(-1))}`);
    },
    count,
    leave: (how = 'close') => (how === 'close' ? socket.close() : socket.terminate()),
  };
  await caller.until('session.created');
  return caller;
}

/** So many seconds of 24 kHz, 16 bit silence. */
export const silence = (seconds: number): string => Buffer.alloc(48_000 * seconds).toString('base64');

export const userText = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
