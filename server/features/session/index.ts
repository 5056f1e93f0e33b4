// Signing in, signing up and signing out by password.
import type { RequestContext } from '#contract/context.ts';
import type { Handlers } from '#contract/endpoint.ts';
import type { session } from '#contract/session.ts';
import { createAttempts } from './attempts.ts';
import type { SessionDependencies } from './dependencies.ts';
import { createHumanCheck } from './human-check.ts';
import { login } from './login.ts';
import { register } from './register.ts';

export type { Fetcher, SessionDependencies } from './dependencies.ts';

export function createSessionHandlers(
  dependencies: SessionDependencies,
): Handlers<typeof session, RequestContext> {
  const attempts = createAttempts();
  const humanCheck = createHumanCheck(dependencies);
  return {
    login: login(dependencies, attempts, humanCheck),
    register: register(dependencies, humanCheck),
    logout: async (_, context) => {
      await context.endSession();
      return null;
    },
  };
}
