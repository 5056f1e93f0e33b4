// Joins the parts of an account for app.ts: mail, sign-in, second factors, self service.
import type { Settings } from '#contract/settings.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import { forgetInitialPassword } from '#server/app/initial-password.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import { createMailHandlers, createOwnerLetters, openMailQueue } from '#server/admin/mail/index.ts';
import { createOutsideLogins } from '#server/admin/outside-logins/index.ts';
import { createSecondFactor, createSecurity, forgetKeys } from '#server/admin/security/index.ts';
import { forgetChats } from '#server/admin/chats/index.ts';
import { removeSamplesOf } from '#server/relay/shadow-calls/samples.ts';
import { createSelfHandlers } from '#server/admin/self/index.ts';
import { createAttempts } from '#server/admin/session/attempts.ts';
import { usableEmail } from '#server/admin/session/email.ts';
import { createSession } from '#server/admin/session/index.ts';
import { requiredSignOn } from '#server/admin/organizations/sign-on/index.ts';
import { createUserHandlers } from '#server/admin/users/index.ts';
import { createUserManagementHandlers } from '#server/admin/users/management.ts';
import type { RootLog } from '#server/platform/log.ts';
import type { Relay } from '#server/relay/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { joinOrganizations } from './organizations.ts';

interface AccountParts {
  store: Store;
  settings: LiveSettings;
  ledger: Ledger;
  log: RootLog;
  egress: Pick<Egress, 'fetch' | 'requireHost' | 'textRecords'>;
  dataDir: string;
  relay: Pick<Relay, 'priceOf'>;
  /** Schedules the mail job to run after this many milliseconds. */
  wakeMail: (afterMs: number) => void;
}

export function joinAccounts(parts: AccountParts) {
  const { store, settings, ledger, log, egress, dataDir, relay, wakeMail } = parts;
  const { requireHost } = egress;
  const queue = openMailQueue({ store, settings, log, onWake: wakeMail, requireHost });
  const ownerLetters = createOwnerLetters({ queue, settings });
  const forgetInitial = () => forgetInitialPassword(dataDir);
  const secondFactor = createSecondFactor(store);
  const session = createSession({
    store,
    settings,
    ledger,
    fetcher: (url, init) => egress.fetch('system', url, init),
    mailer: queue,
    ownerLetters,
    secondFactor,
    requiredSignOn: requiredSignOn({ store, settings }),
    forgetInitialPassword: forgetInitial,
  });
  const outsideLogins = createOutsideLogins({
    store,
    settings,
    egress,
    log,
    tries: createAttempts(store),
    ownerLetters,
    signUps: {
      ledger,
      settings,
      usableEmail: (text) => usableEmail(text, settings.current),
      enter: session.enter,
    },
  });
  const { isOwnPassword, enterFully } = session;
  const security = createSecurity({
    store,
    settings,
    secondFactor,
    ownerLetters,
    isOwnPassword,
    enterFully,
    waysIn: outsideLogins.waysIn,
  });
  const joined = { ...parts, letters: queue, ownerLetters, enter: session.enter };
  const organizations = joinOrganizations(joined);
  const { leaveOrganizations } = organizations;
  return {
    handlers: {
      ...organizations.handlers,
      session: session.session,
      signIn: { loginSecondStep: session.secondStep, ...security.passkeySignIn },
      emails: session.emails,
      outsideLogins: outsideLogins.handlers,
      security: security.security,
      users: createUserHandlers({
        store,
        settings,
        priceOf: relay.priceOf,
        ownerLetters,
        isOwnPassword,
        forgetInitialPassword: forgetInitial,
      }),
      userManagement: createUserManagementHandlers({
        store,
        settings,
        ledger,
        ownerLetters,
        resetKeys: security.resetKeys,
        forgetTexts,
        leaveOrganizations,
      }),
      self: createSelfHandlers({ store, settings, ledger, forgetKeys, forgetTexts, leaveOrganizations }),
      mail: createMailHandlers({ store, settings, queue, requireHost }),
    },
    /** The origins that signing in may call. */
    origins: () => [...humanCheckOrigins(settings.current), ...outsideLogins.origins()],
    mailQueue: queue,
    checkSignOn: organizations.checkSignOn,
  };
}

/** All that is kept of what a user wrote. */
async function forgetTexts(...[db, userId]: Parameters<typeof forgetChats>): Promise<void> {
  await forgetChats(db, userId);
  await removeSamplesOf(db, userId);
}

function humanCheckOrigins({ TurnstileServerAddress }: Settings): string[] {
  return [TurnstileServerAddress]
    .filter((address) => URL.canParse(address))
    .map((address) => new URL(address).origin);
}
