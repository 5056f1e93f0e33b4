// The callers' side of realtime sessions, as the platform's server calls it.
import type { WebSocketHandler } from 'bun';
import type { RealtimeSession } from './session.ts';

const LONGEST_MESSAGE_BYTES = 32 * 1024 * 1024;

export function realtimeHandlers(silentSeconds: number): WebSocketHandler<RealtimeSession> {
  return {
    idleTimeout: silentSeconds,
    maxPayloadLength: LONGEST_MESSAGE_BYTES,
    // Above this the platform drops messages; the brake stops the upstream long before.
    backpressureLimit: 2 * LONGEST_MESSAGE_BYTES,
    sendPings: true,
    open: (socket) => socket.data.attach(socket),
    message: (socket, message) => socket.data.fromCaller(message),
    close: (socket) => socket.data.callerLeft(),
  };
}
