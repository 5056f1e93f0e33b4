// What other folders may use of the outbound door.
export { NETWORKS_OF_OPERATOR } from './addresses.ts';
export { isHostEntry } from './allowed-hosts.ts';
export { ConnectionError, type ConnectionProblem } from './connection-error.ts';
export { createEgress, requireWebAddress } from './egress.ts';
export { EgressError } from './refusal.ts';
export type { Egress, EgressClass, EgressInit, EgressOptions } from './egress.ts';
export { readAll, withHeaders } from './http-call.ts';
export type { Answer, OutboundCall, Timeouts } from './http-call.ts';
export { parseProxy } from './proxy.ts';
export { connectionFact, egressFact, egressSentence } from './sentences.ts';
export { createS3, type S3, type S3Options } from './s3.ts';
export { IndexedSet, type IndexedSetMember } from './indexed-set.ts';
export type { SocketRequest } from './socket-call.ts';
export type { Target } from './target.ts';
export { HandshakeRefusedError, type UpstreamSocket } from './web-socket.ts';
export { throughWorker, workerOrigins } from './worker.ts';
export type { Worker } from './worker.ts';
