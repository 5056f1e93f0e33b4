// What other folders may use of the outbound door.
export { ascii, byteText, bytesOf, decodeText, encodeText, isAscii, type ByteText } from './byte-text.ts';
export { createEgress, EgressError } from './egress.ts';
export type { ChannelRequest, Egress, EgressClass, EgressInit, EgressOptions, Target } from './egress.ts';
export { headerLines, readAll } from './messages.ts';
export type { Answer, BodySink, OutboundCall, Timeouts } from './outbound-call.ts';
export { ConnectionError } from './connection-error.ts';
export { parseProxy } from './proxy.ts';
export { Roster, type RosterMember } from './roster.ts';
export type { SocketRequest } from './socket-call.ts';
export { throughWorker, workerOrigins } from './worker.ts';
export type { Worker } from './worker.ts';
