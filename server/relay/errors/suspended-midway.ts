// An organization that is suspended while a call of it runs. Callers read the code of a refused call, with a sentence that does not
// say that nothing was charged.
import { RelayError } from './relay-error.ts';

/** `reason`: as the administrator wrote it; may be blank. */
export const suspendedMidway = (reason: string): RelayError =>
  midway({ reason: reason === '' ? '' : ` (${reason})` });

/** The refusal that a new call would get, as the end of a running one. */
export const asMidway = (refusal: RelayError): RelayError =>
  refusal.code === 'organization_suspended' ? midway(refusal.parameters) : refusal;

const midway = (parameters: RelayError['parameters']): RelayError =>
  new RelayError('organization_suspended_midway', parameters, { publicCode: 'organization_suspended' });
