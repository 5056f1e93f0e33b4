import { DatabaseError } from '#server/platform/store/errors.ts';

/** The database cannot serve: new calls are refused at once (HTTP 503). `isUnavailable` of the store recognises its code. */
export class LedgerUnavailableError extends DatabaseError {
  override name = 'LedgerUnavailableError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 'STORE_AWAY', options);
  }
}

/** Not a whole number of units between 0 and the cap; the HTTP layer answers 400. */
export class AmountError extends Error {
  override name = 'AmountError';
}
