/** Answers that `early.js` asked for before the console's code was there. Each is used once, and only while it is new. */
import { storedUser } from './session.ts';

const NEW_MILLISECONDS = 15_000;

declare global {
  interface Window {
    earlyAnswers?: Record<string, { user?: string; organization?: string; answer: Promise<Response> }>;
  }
}

/**
 * Undefined: ask the server. A call that failed is asked again by the same rule. `organization`: the one that the call acts for;
 * the answer for another account is none.
 */
export async function earlyAnswer(
  method: string,
  url: string,
  organization: number | undefined,
): Promise<Response | undefined> {
  const waiting = window.earlyAnswers;
  const found = waiting?.[url];
  if (method !== 'GET' || waiting === undefined || found === undefined) return undefined;
  delete waiting[url];
  const user = storedUser();
  // Somebody signed in or out in the meantime.
  const isOthers =
    found.user !== (user && String(user.id)) ||
    found.organization !== (organization === undefined ? undefined : String(organization));
  if (isOthers || performance.now() > NEW_MILLISECONDS) return undefined;
  return await found.answer.catch(() => undefined);
}
