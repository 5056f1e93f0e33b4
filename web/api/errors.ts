/** A refused or failed call, with the sentence to show. The transport returns data or throws one of these. */
import type { Conflict } from '#contract/based-on.ts';
import type { FieldProblem } from '#contract/endpoint.ts';

interface ErrorDetails {
  status: number;
  code?: string;
  fields?: readonly FieldProblem[];
  /** Entries of AllowedPrivateAddresses with which the call would not have been refused. */
  privateAddresses?: readonly string[];
  conflict?: Conflict;
  requestId?: string;
  retryAfterSeconds?: number;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0: the server was not reached. 200: it answered with success=false. */
  readonly status: number;
  /** Stable name of the refusal (contract/errors.ts), where the server gave one. */
  readonly code?: string;
  /** The fields of the request that were refused; a form marks them. */
  readonly fields: readonly FieldProblem[];
  readonly privateAddresses: readonly string[];
  /** Of a save of fields that another person changed meanwhile. */
  readonly conflict?: Conflict;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;

  constructor(message: string, details: ErrorDetails) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.fields = details.fields ?? [];
    this.privateAddresses = details.privateAddresses ?? [];
    this.conflict = details.conflict;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** The message of a thrown value of any type. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The private addresses that a call was refused for and that the super admin can allow. */
export function privateAddressesOf(error: unknown): readonly string[] {
  return error instanceof ApiError ? error.privateAddresses : [];
}

/** What a list shows in place of its rows. */
export function gridError(
  error: unknown,
): { message: string; requestId?: string; notAllowed?: boolean } | undefined {
  if (!error) return undefined;
  if (!(error instanceof ApiError)) return { message: errorMessage(error) };
  return { message: error.message, requestId: error.requestId, notAllowed: error.status === 403 };
}
