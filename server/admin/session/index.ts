// Sign-in, sign-up, sign-out; verification of an email address; password reset by mail.
import type { Handlers } from '#server/admin/context.ts';
import type { IsOwnPassword } from '#server/admin/accounts.ts';
import type { emails, session, signIn } from '#contract/admin/session.ts';
import { createAttempts } from './attempts.ts';
import { bindEmail } from './bind-email.ts';
import type { SessionDependencies } from './dependencies.ts';
import { createEnter, type Enter, type EnterFully } from './enter.ts';
import { createHumanCheck } from './human-check.ts';
import { ownPassword } from './own-password.ts';
import { login } from './login.ts';
import { register } from './register.ts';
import { resetPassword, sendResetMail } from './reset.ts';
import { sendVerification } from './verification.ts';

export type { Fetcher, SessionDependencies } from './dependencies.ts';
export type { Enter, EnterFully } from './enter.ts';

export interface SessionFeature {
  session: Handlers<typeof session>;
  emails: Handlers<typeof emails>;
  /** The second step; server/admin/security has the passkeys. */
  secondStep: Handlers<Pick<typeof signIn, 'loginSecondStep'>>['loginSecondStep'];
  enter: Enter;
  enterFully: EnterFully;
  isOwnPassword: IsOwnPassword;
}

export function createSession(dependencies: SessionDependencies): SessionFeature {
  const attempts = createAttempts(dependencies.store);
  const humanCheck = createHumanCheck(dependencies);
  const { enter, enterFully, secondStep } = createEnter(dependencies);
  return {
    session: {
      login: login(dependencies, attempts, humanCheck, enter),
      register: register(dependencies, humanCheck),
      logout: async (_, context) => {
        await dependencies.store.db.transaction().execute((transaction) => context.endSession(transaction));
        return null;
      },
    },
    emails: {
      verification: sendVerification(dependencies, humanCheck),
      resetMail: sendResetMail(dependencies, humanCheck),
      reset: resetPassword(dependencies),
      bindEmail: bindEmail(dependencies),
    },
    secondStep,
    enter,
    enterFully,
    isOwnPassword: ownPassword(dependencies, attempts),
  };
}
