// The two WebAuthn ceremonies: the challenge is stored in the browser's flow and used once, name and origin are those of
// the operator's server address, and the device must have verified its user. The library is loaded with the first
// ceremony, because it takes 7 MB.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { RequestContext } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { passkeyAssertion, passkeyAttestation } from '#contract/admin/security.ts';
import { z } from 'zod';
import type { SecurityDependencies } from './dependencies.ts';

export type Attestation = z.output<typeof passkeyAttestation>;
export type Assertion = z.output<typeof passkeyAssertion>;
/** The ceremony a stored challenge belongs to. */
export type Ceremony = 'passkey_register' | 'passkey_login' | 'passkey_confirm';

const CHALLENGE_SECONDS = 300;

const webAuthn = () => import('@simplewebauthn/server');

interface StoredKey {
  credential_id: string;
  public_key: string;
  counter: number;
}

export function createCeremonies({ store, settings }: Pick<SecurityDependencies, 'store' | 'settings'>) {
  function site() {
    const { origin, hostname } = new URL(settings.current.ServerAddress || 'http://localhost');
    return { origin, rpID: hostname, rpName: settings.current.SystemName };
  }

  /** A pseudonym: the security key stores it, and it must not disclose the account. */
  const handleOf = (userId: number) => Buffer.from(store.vault.digest('passkey_user', String(userId)), 'hex');

  async function consumeChallenge(ceremony: Ceremony, context: RequestContext): Promise<string> {
    const challenge = z.string().safeParse(await context.flow.take(ceremony));
    if (!challenge.success) throw new AppError('passkey_refused');
    return challenge.data;
  }

  return {
    handleOf: (userId: number) => handleOf(userId).toString('base64url'),

    async beginRegistration(
      user: { id: number; username: string; display_name: string },
      known: readonly string[],
      context: RequestContext,
    ) {
      const { rpID, rpName } = site();
      const { generateRegistrationOptions } = await webAuthn();
      const options = await generateRegistrationOptions({
        rpName,
        rpID,
        userName: user.username,
        userID: new Uint8Array(handleOf(user.id)),
        userDisplayName: user.display_name || user.username,
        attestationType: 'none',
        excludeCredentials: known.map((id) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      await context.flow.keep('passkey_register', options.challenge, CHALLENGE_SECONDS);
      return { ...options };
    },

    async finishRegistration(credential: Attestation, context: RequestContext): Promise<StoredKey> {
      const expectedChallenge = await consumeChallenge('passkey_register', context);
      const { origin, rpID } = site();
      const { verifyRegistrationResponse } = await webAuthn();
      const { verified, registrationInfo } = await refuseOnError(context, () =>
        verifyRegistrationResponse({
          response: credential as RegistrationResponseJSON,
          expectedChallenge,
          expectedOrigin: origin,
          expectedRPID: rpID,
          requireUserVerification: true,
        }),
      );
      if (!verified || !registrationInfo) throw new AppError('passkey_refused');
      const { id, publicKey, counter } = registrationInfo.credential;
      return { credential_id: id, public_key: Buffer.from(publicKey).toString('base64url'), counter };
    },

    /** `known` restricts the choice to these keys; without it the device offers all its keys of this site. */
    async beginAssertion(ceremony: Ceremony, context: RequestContext, known: readonly string[] = []) {
      const { generateAuthenticationOptions } = await webAuthn();
      const options = await generateAuthenticationOptions({
        rpID: site().rpID,
        allowCredentials: known.map((id) => ({ id })),
        userVerification: 'required',
      });
      await context.flow.keep(ceremony, options.challenge, CHALLENGE_SECONDS);
      return { ...options };
    },

    takeChallenge: consumeChallenge,

    /** The key's new counter. */
    verifyAssertion: (challenge: string, credential: Assertion, key: StoredKey, context: RequestContext) =>
      verifyAssertion({ ...site(), challenge }, credential, key, context),
  };
}

/** The reason of a refusal is only logged. */
async function refuseOnError<T>(context: RequestContext, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.log.warn('a passkey was refused', { reason: reason.slice(0, 300) });
    throw new AppError('passkey_refused');
  }
}

/** A counter that did not rise means a copied key, which is refused. */
async function verifyAssertion(
  { origin, rpID, challenge }: { origin: string; rpID: string; challenge: string },
  credential: Assertion,
  key: StoredKey,
  context: RequestContext,
): Promise<number> {
  const { verifyAuthenticationResponse } = await webAuthn();
  const { verified, authenticationInfo } = await refuseOnError(context, () =>
    verifyAuthenticationResponse({
      response: credential as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      credential: {
        id: key.credential_id,
        publicKey: new Uint8Array(Buffer.from(key.public_key, 'base64url')),
        counter: key.counter,
      },
    }),
  );
  if (!verified) throw new AppError('passkey_refused');
  return authenticationInfo.newCounter;
}
