// What can go wrong between this process and an upstream.

/**
 * `connect`: no connection, or the proxy refused. `certificate`: the upstream did not prove its name. `closed`: the
 * connection ended too early. `format`: not HTTP, or not what was agreed. `too_large`: over the limit of the call.
 * `aborted`: given up by this side.
 */
export type ConnectionProblem =
  | 'connect'
  | 'certificate'
  | 'closed'
  | 'format'
  | 'timeout'
  | 'too_large'
  | 'aborted';

export class ConnectionError extends Error {
  override name = 'ConnectionError';
  readonly reason: ConnectionProblem;
  constructor(reason: ConnectionProblem, message: string) {
    super(message);
    this.reason = reason;
  }
}

const CONNECT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ConnectionRefused',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOENT',
  'FailedToOpenSocket',
]);
const FORMAT_CODES: ReadonlySet<string> = new Set([
  'Malformed_HTTP_Response',
  'InvalidHTTPResponse',
  'InvalidContentLength',
  'ResponseHeadersTooLarge',
]);
/** Codes of OpenSSL and BoringSSL for a chain or name that could not be verified. */
const CERTIFICATE_CODE = /^ERR_(TLS|SSL)_|CERT|_SIGNATURE|_ISSUER/;

/** An error of the platform's client, by its code. */
export function connectionErrorOf(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const said = typeof message === 'string' ? message : 'the connection failed';
  return new ConnectionError(problemOf(typeof code === 'string' ? code : ''), said);
}

function problemOf(code: string): ConnectionProblem {
  if (CONNECT_CODES.has(code)) return 'connect';
  // Without a code: the request itself could not be built, for example a header that holds a line break.
  if (code === '' || FORMAT_CODES.has(code)) return 'format';
  return CERTIFICATE_CODE.test(code) ? 'certificate' : 'closed';
}
