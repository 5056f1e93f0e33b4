// What can go wrong on the way to an upstream and back.

export class ConnectionError extends Error {
  override name = 'ConnectionError';
  readonly reason: 'connect' | 'certificate' | 'closed' | 'reset' | 'format' | 'timeout' | 'aborted';
  constructor(reason: ConnectionError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
