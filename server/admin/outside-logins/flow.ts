// The state of a redirect login: kept under the browser's own session, so that only the browser that began it can finish it;
// valid once, for minutes, for one provider and one intent. A signed-in user binds, a visitor signs in; a state of one
// intent is invalid for the other.
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
} from 'oauth4webapi';
import { z } from 'zod';
import type { RequestContext } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { OUTSIDE_FLOW_SECONDS, type OutsideProvider } from '#contract/admin/outside-logins.ts';

const flowValue = z.object({
  /** The user who binds; 0 = a visitor who signs in. */
  userId: z.number(),
  /** Empty: the client did not name one; older clients of this API do not. */
  provider: z.string(),
  aff: z.string(),
  nonce: z.string(),
  verifier: z.string(),
});
export type FlowValue = z.output<typeof flowValue>;

export interface BegunFlow extends FlowValue {
  state: string;
  /** PKCE, S256. */
  challenge: string;
}

const nameOfFlow = (state: string) => `outside:${state}`;

export async function beginFlow(
  context: RequestContext,
  provider: OutsideProvider | undefined,
  aff: string,
): Promise<BegunFlow> {
  const state = generateRandomState();
  const value: FlowValue = {
    userId: context.user?.id ?? 0,
    provider: provider ?? '',
    aff,
    nonce: generateRandomNonce(),
    verifier: generateRandomCodeVerifier(),
  };
  await context.flow.keep(nameOfFlow(state), value, OUTSIDE_FLOW_SECONDS);
  const challenge = await calculatePKCECodeChallenge(value.verifier);
  return { ...value, state, challenge };
}

export async function takeFlow(
  context: RequestContext,
  provider: OutsideProvider,
  state: string,
): Promise<FlowValue> {
  const found = flowValue.safeParse(state === '' ? null : await context.flow.take(nameOfFlow(state)));
  const isGood =
    found.success &&
    found.data.userId === (context.user?.id ?? 0) &&
    (found.data.provider === provider || (found.data.provider === '' && provider !== 'oidc'));
  if (!isGood) throw new AppError('outside_state_invalid');
  return found.data;
}
